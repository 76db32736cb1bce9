"""SIGKILL at any moment costs time, and nothing else."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from tests.faults.conftest import TABLE, results, same, start, temporaries
from tests.workflow.small import tiny

pytestmark = pytest.mark.slow
KILLS = 20


def workers(folder: Path) -> list[psutil.Process]:
    """The processes that work in `folder`, orphans included, Snakemake itself not."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder) and "robustdr.stages" in process.cmdline():
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.kill()


def kill_a_worker(snakemake: subprocess.Popen, folder: Path, draw: random.Random) -> bool:
    """Kill one of the jobs that run after a moment; False where all had ended."""
    time.sleep(draw.uniform(0.2, 1.5))
    while snakemake.poll() is None and not (found := workers(folder)):
        time.sleep(0.02)
    if snakemake.poll() is not None:
        return False
    kill(draw.choice(found))
    return True


def kill_snakemake(snakemake: subprocess.Popen, folder: Path, everything: bool) -> bool:
    """Kill Snakemake with its workers, or alone: then they go on as orphans. False where it had ended."""
    if snakemake.poll() is not None:
        return False
    if everything:
        os.killpg(snakemake.pid, signal.SIGKILL)
    snakemake.kill()
    snakemake.wait()
    # What --unlock does, without planning the jobs first.
    shutil.rmtree(folder / ".snakemake/locks", ignore_errors=True)
    return True


def test_kills_at_random_moments_leave_no_trace_in_the_results(finished, tmp_path):
    project = tiny(tmp_path / "killed")
    draw = random.Random(1)
    killed = Counter()
    try:
        while killed.total() < KILLS:
            if (project.folder / TABLE).exists():
                (project.folder / "results").rename(tmp_path / f"done{len(list(tmp_path.iterdir()))}")
            snakemake = start(project.folder, "--retries", "3", "--", TABLE)
            for _ in range(draw.randint(0, 3)):
                killed["worker"] += kill_a_worker(snakemake, project.folder, draw)
            time.sleep(draw.uniform(0.5, 3))
            everything = draw.random() < 0.5
            killed["all" if everything else "snakemake"] += kill_snakemake(snakemake, project.folder, everything)
        for orphan in workers(project.folder):
            orphan.wait(timeout=400)
        status, output = project.snakemake("--", TABLE)
        assert status == 0, output
        same(results(project.folder), results(finished.folder))
        assert not temporaries(project.folder)
        assert min(killed[victim] for victim in ("worker", "snakemake", "all")) > 0
    finally:
        for orphan in workers(project.folder):
            kill(orphan)
