"""`robustdr evaluate` through Snakemake, killed or ended; the same command goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from robustdr.own import SMALL
from robustdr.own.signals import working_in

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With more passages than are read in one process."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "c.tsv").write_text("".join(f"d{n}\tstone river tree number {n}\n" for n in range(SMALL + 1)))
    (folder / "q.tsv").write_text("q1\twhat is a stone\nq2\twhere is the river\n")
    (folder / "r.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    return folder


def start(folder, model, log):
    options = [
        "--corpus",
        "c.tsv",
        "--queries",
        "q.tsv",
        "--qrels",
        "r.txt",
        "--variations",
        "misspell",
        "--cores",
        "1",
    ]
    command = [sys.executable, "-m", "robustdr", "evaluate", "--model", str(model), *options, "-o", "rep"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    with open(folder / log, "w") as file:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=file, start_new_session=True)


def wait_for_jobs(process, folder):
    """Until Snakemake holds its lock and runs a job."""
    for _ in range(1800):
        time.sleep(0.1)
        assert process.poll() is None, [path.read_text() for path in folder.glob("*.log")]
        if [*folder.glob("rep/.snakemake/locks/*")] and len(working_in(folder / "rep")) > 1:
            return
    raise AssertionError("no job was started")


def test_a_killed_evaluation_goes_on_and_an_ended_one_leaves_no_process(folder, tiny_model):
    killed = start(folder, tiny_model, "first.log")
    wait_for_jobs(killed, folder)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert [*folder.glob("rep/.snakemake/locks/*")]
    ended = start(folder, tiny_model, "second.log")
    wait_for_jobs(ended, folder)
    ended.send_signal(signal.SIGTERM)
    ended.wait(timeout=4)
    assert working_in(folder / "rep") == [] and ended.returncode == 143
    lines = (folder / "second.log").read_text().splitlines()
    assert "rep: goes on where a call that was killed stopped" in lines
    assert lines[-1] == "robustdr: ended by SIGTERM; the same command goes on where it was"
    assert not any("Traceback" in line for line in lines)
    last = start(folder, tiny_model, "third.log")
    assert last.wait(timeout=500) == 0, (folder / "third.log").read_text()
    assert (folder / "rep/index.html").is_file()
