"""The line of progress: what is left by hand, and real runs of Snakemake, one of which fails."""

import io
import logging
import re
import subprocess
import sys

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from robustdr.core.progress import WEIGHTS, Progress, recorded
from snakemake_logger_plugin_robustdr import LogHandler

WORKFLOW = """
rule all:
    input: "b.txt"
rule train:
    output: "a.txt"
    benchmark: "benchmarks/train/a.tsv"
    shell: "touch {output}"
rule table:
    input: "a.txt"
    output: "b.txt"
    log: "last.log"
    shell: "echo what went wrong > {log}; %s; touch {output}"
"""


def run(folder, command):
    """A real run of two jobs and a target, the last of which runs `command`."""
    (folder / "Snakefile").write_text(WORKFLOW % command)
    options = [
        "--cores",
        "1",
        "--show-failed-logs",
        "--logger",
        "robustdr",
        "--logger-robustdr-benchmarks",
        "benchmarks",
    ]
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *options, "--", "all"], cwd=folder, capture_output=True, text=True
    )


def test_a_run_says_what_is_done_and_nothing_else(tmp_path):
    done = run(tmp_path, "true")
    assert done.returncode == 0 and done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == "0 of 3 jobs, 0 of 1 models trained"
    assert lines[-1] == "3 of 3 jobs, 1 of 1 models trained"
    # A slow machine is told the same once more after a minute, and more minutes.
    matches = [
        re.fullmatch(r"([0-3]) of 3 jobs, [01] of 1 models trained(, about \d+ minutes? left)?", line) for line in lines
    ]
    assert list(dict.fromkeys(match[1] for match in matches)) == ["0", "1", "2", "3"]
    assert next(match for match in matches if match[1] == "1")[2]
    (log,) = (tmp_path / ".snakemake/log").iterdir()
    assert "rule table:" in log.read_text()


def test_a_failed_job_is_told_in_full_and_last(tmp_path):
    done = run(tmp_path, "false")
    assert done.returncode == 1
    progress, _, error = done.stderr.partition("Error in rule table:")
    assert "1 of 3 jobs" in progress and "touch b.txt" in error and "what went wrong" in error
    assert " of 3 jobs" not in error and "Complete log" in error


def test_what_is_left_is_the_work_left_at_the_speed_so_far():
    """Two cores: after 10 s two jobs of 10 s are done; four of them and one of 30 s, known from before, are left."""
    progress = Progress({"embed": [20.0, 40.0]})
    progress.plan({"vary": 6, "embed": 1})
    assert progress.seconds_left(0.0) is None
    for job in (1, 2):
        progress.start(job, "vary", 0.0)
    for job in (1, 2):
        progress.finish(job, 10.0)
    assert progress.seconds_left(10.0) == pytest.approx((4 * 10 + 30) / 2)
    progress.start(3, "embed", 10.0)
    progress.start(4, "vary", 10.0)
    # 20 + 2 · 6 seconds of work in 16; 4 are left of the job, 24 of the other, and three jobs of 10.
    assert progress.seconds_left(16.0) == pytest.approx((4 + 24 + 30) / 2)
    assert progress.line(16.0) == "2 of 7 jobs, about 1 minute left"


def test_a_rule_that_nothing_was_measured_of_has_its_weight():
    """A variation took twice its weight: a training takes twice its own."""
    progress = Progress({"embed": [100.0], "training_data": [7.0]})
    progress.plan({"vary": 1, "train": 1})
    progress.start(1, "vary", 0.0)
    assert progress.expected("train") is None and progress.seconds_left(1.0) is None
    progress.finish(1, 2 * WEIGHTS["vary"])
    assert progress.expected("train") == pytest.approx(2 * WEIGHTS["train"])
    assert progress.expected("embed") == 100.0 and progress.expected("training_data") == 7.0


def test_no_time_is_told_where_a_job_that_is_left_is_unknown():
    progress = Progress({})
    progress.plan({"vary": 2, "something_else": 1})
    progress.start(1, "vary", 0.0)
    progress.finish(1, 4.0)
    assert progress.seconds_left(4.0) is None and progress.line(4.0) == "1 of 3 jobs"


def test_models_are_those_that_training_makes():
    progress = Progress({})
    progress.plan({"train": 2, "pretrain": 1, "training_data": 5})
    progress.start(1, "train", 0.0)
    progress.finish(1, 60.0)
    assert progress.line(60.0).startswith("1 of 8 jobs, 1 of 3 models trained, about ")


def test_the_seconds_of_earlier_jobs_are_read(tmp_path):
    for name, seconds in (("vary/c.dev.tsv", "1.5"), ("split/c/dev.tsv", "2"), ("site.tsv", "3")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"s\th:m:s\n{seconds}\t0:00:01\n")
    (tmp_path / "cut.tsv").write_text("s\th:m:s\n\t0:0")
    assert recorded(tmp_path) == {"vary": [1.5], "split": [2.0], "site": [3.0]}
    assert recorded(tmp_path / "none") == {}


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    handler = LogHandler(None, None)

    def log(event, level=logging.INFO, message="", **fields):
        record = logging.LogRecord("snakemake", level, "", 0, message, (), None)
        record.__dict__ |= {"event": event, **fields}
        handler.emit(record)

    log(LogEvent.RUN_INFO, stats={"vary": 2, "total": 2})
    assert terminal.getvalue() == "0 of 2 jobs"
    for job in (1, 2):
        log(LogEvent.JOB_INFO, jobid=job, rule_name="vary")
        log(LogEvent.JOB_FINISHED, job_id=job)
    handler.close()
    output = terminal.getvalue()
    assert output.count("\n") == 1 and output.endswith("2 of 2 jobs\n")
    log(LogEvent.JOB_INFO, jobid=3, rule_name="vary")
    log(None, logging.ERROR, "it broke")
    log(LogEvent.JOB_FINISHED, job_id=3)
    assert terminal.getvalue().endswith("it broke\n")
