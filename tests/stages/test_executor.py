"""`snakemake --executor robustdr`: real runs of a real stage in Snakemake's own process."""

import subprocess
import sys

from robustdr.core.benchmarks import costs
from snakemake_executor_plugin_robustdr import run

WORKFLOW = """
rule all:
    input: "made/corpus.jsonl"
rule corpus:
    output: "made/corpus.jsonl"
    log: "logs/corpus.log"
    benchmark: "benchmarks/corpus.tsv"
    params: source='{"kind": "local", "corpus": "corpus.tsv", "splits": {}}'
    shell: "false; python -m robustdr.stages corpus --source {params.source:q} --output {output} > {log} 2>&1"
"""


def snakemake(folder, passages):
    """A run whose command would fail in a shell."""
    (folder / "corpus.tsv").write_text(passages)
    (folder / "Snakefile").write_text(WORKFLOW)
    options = ["--executor", "robustdr", "--cores", "1", "--show-failed-logs", "--", "all"]
    return subprocess.run([sys.executable, "-m", "snakemake", *options], cwd=folder, capture_output=True, text=True)


def test_a_job_runs_in_snakemake_s_process_and_leaves_log_and_benchmark(tmp_path):
    done = snakemake(tmp_path, "d1\ta cat\n")
    assert done.returncode == 0, done.stderr
    assert '"text": "a cat"' in (tmp_path / "made/corpus.jsonl").read_text()
    assert (tmp_path / "logs/corpus.log").read_text() == "{'passages': 1}\n"
    assert costs(tmp_path / "benchmarks/corpus.tsv")["s"] >= 0


def test_what_is_wrong_with_a_job_is_in_its_log_and_ends_the_run(tmp_path):
    done = snakemake(tmp_path, "d1\ta cat\nd2\n")
    assert done.returncode == 1 and not (tmp_path / "made/corpus.jsonl").exists()
    (line,) = (tmp_path / "logs/corpus.log").read_text().splitlines()
    assert line.startswith("robustdr: corpus.tsv:2: ") and line in done.stderr


def test_any_end_of_a_stage_is_a_status(tmp_path):
    log = tmp_path / "log"
    command = f"set -e; python -m robustdr.stages %s > {log} 2>&1"
    assert run(command % "nothing", log) == 2 and "'nothing' is unknown" in log.read_text()
    assert run(command % "nothing --network", log) == 2 and "'nothing' is unknown" in log.read_text()
    wrong = f"index --settings none --corpus {log} --output {tmp_path}/made --reads []"
    assert run(command % wrong, log) == 1 and log.read_text().startswith("Traceback")
