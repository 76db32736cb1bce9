"""The job graph at full scale: jobs, seconds and memory of `snakemake -n` on one table and on the whole report.

    python tests/benchmarks dag [seeds …]

Nothing is executed. The project is copied, and every experiment of the copy has as many seeds as are asked for: 3 make
about 1,000 jobs, 35 about 10,000. Seconds are processor seconds of one core, Python's start included, the best of two:
a dry run keeps one core busy, so they are what it takes on a machine that has nothing else to do.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import report
from workflow.conftest import OFFLINE, Project

SEEDS, ROUNDS = (3, 35), 2
TARGETS = ("results/tables/rodr_table2.md", "results/report/index.html")


def set_seeds(folder: Path, count: int) -> None:
    """Give every experiment `count` seeds and let the full scale run them all."""
    values = {folder / "config/scales/full.yaml": str(count)}
    values |= {path: str([*range(1, count + 1)]) for path in folder.glob("config/papers/*/experiment.yaml")}
    for path, value in values.items():
        text, found = re.subn(r"(?m)^seeds: [^#\n]*", f"seeds: {value}  ", path.read_text(encoding="utf-8"))
        assert found == 1, f"{path}: one line `seeds:` is expected"
        path.write_text(text, encoding="utf-8")


def dry_run(folder: Path, target: str) -> tuple[int, float, float]:
    """Jobs, processor seconds and peak memory in MB."""
    command = [Path(sys.executable).with_name("snakemake"), "-n", "--quiet", "rules", "--profile", "slurm", target]
    papers = ",".join(path.parent.name for path in folder.glob("config/papers/*/experiment.yaml"))
    command += ["--config", f"papers=[{papers}]"]
    with tempfile.TemporaryFile("w+") as output:
        environment = {**os.environ, **OFFLINE}
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        printed = output.read()
    total = re.search(r"(?m)^total\s+(\d+)$", printed)
    assert process.returncode == 0 and total, printed
    return int(total[1]), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def main(seeds: list[int]) -> None:
    per_job = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Project(Path(name)).folder
        for count in seeds:
            set_seeds(folder, count)
            for target in TARGETS:
                jobs, seconds, peaks = zip(*(dry_run(folder, target) for _ in range(ROUNDS)), strict=True)
                per_job[count] = min(seconds) / jobs[0]
                print(f"{count} seeds, {target}: {jobs[0]:,} jobs planned in {min(seconds):.1f} processor seconds,"
                      f" the slower run {max(seconds):.1f}, peak memory {max(peaks):.0f} MB", flush=True)  # fmt: skip
    fewest, most = min(seeds), max(seeds)
    report("dag", f"time a job of the report with {most} seeds / with {fewest}", per_job[most] / per_job[fewest])


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or list(SEEDS))
