"""What attesting costs: seconds of a stage's checks and of its record beside all seconds of its job.

    python tests/benchmarks attesting [results/mini]

With the folder of a finished run, it measures what isolation costs in place of this: the shell's reset of variables,
and the check of all modules that a job loaded, times the jobs of the run, as a share of the run's processor seconds.

The jobs are those of a tiny pipeline, each a process of its own, as rules start it. It runs twice: the second time with
the notes of the first, as in a run of many jobs. Seconds are processor seconds of the job, Python's start included.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import report
from faults.pipeline import stages, write_source
from robustdr.graph.environment import reset
from robustdr.keys.provenance import Code, made_of

CHECKS = ("check_code", "verify", "check_inputs", "check_chain", "check_loaded", "hardware", "record")
CODE = f"""
import json, sys, time
from robustdr.keys.attestation import watch
watch()
from robustdr.stages import __main__ as stages

spent = 0.0

def timed(check):
    def run(*given, **named):
        global spent
        start = time.process_time()
        try:
            return check(*given, **named)
        finally:
            spent += time.process_time() - start
    return run

for name in {CHECKS!r}:
    setattr(stages, name, timed(getattr(stages, name)))
status = stages.main(sys.argv[1:])
print(json.dumps([status, spent, time.process_time()]))
"""


def job(argv: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of the checks of a stage, and of its whole job.

    Raises:
        RuntimeError: the job failed.
    """
    named = argv[argv.index("--code") + 1 :] if "--code" in argv else [argv[0]]
    command = [sys.executable, "-c", CODE, *argv, "--made-of", made_of(Code(named))]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    status, checks, whole = json.loads(done.stdout.splitlines()[-1])
    if status:
        raise RuntimeError(f"{argv[0]}: {done.stderr}")
    return checks, whole


LOADS = {
    "torch": "torch, transformers",
    "no torch": "numpy, pyarrow.parquet, bm25s, pytrec_eval",
}
WITH_TORCH = ("download_checkpoint", "embed", "retrieve", "train")  # rules
TIMED = """
from robustdr.keys import attestation
attestation.watch()
import {0}, time
start = time.process_time()
attestation.check_origins()
print(time.process_time() - start)
"""


def isolation(finished: Path) -> None:
    """Print what isolation costs the jobs of a finished run."""
    files = list((finished / "benchmarks").rglob("*.tsv"))
    with_torch = sum(file.relative_to(finished / "benchmarks").parts[0] in WITH_TORCH for file in files)
    rows = [dict(zip(*(line.split("\t") for line in file.read_text().splitlines()[:2]), strict=True)) for file in files]
    jobs = {"torch": with_torch, "no torch": len(files) - with_torch}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".snakemake").mkdir()
        before = os.times()
        for _ in range(10):
            subprocess.run(["bash", "-c", reset().replace("{{", "{").replace("}}", "}")], check=True)
        after = os.times()
        shell = (sum(after[2:4]) - sum(before[2:4])) / 10
        total = shell * len(files)
        for kind, loaded in LOADS.items():
            command = [sys.executable, "-P", "-s", "-c", TIMED.format(loaded)]
            first, *noted = (
                float(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
                for _ in range(3)
            )
            print(f"{jobs[kind]} jobs, {kind}: {min(noted) * 1e3:.0f} ms, the first time {first * 1e3:.0f} ms")
            total += jobs[kind] * min(noted) + first
    spent = sum(float(row["cpu_time"]) for row in rows)
    print(f"shell: {shell * 1e3:.0f} ms; all {len(files)} jobs: {total:.1f} s of {spent:.0f} s, {total / spent:.2%}")


def main(finished: str = "") -> None:
    if finished:
        return isolation(Path(finished))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_source(folder)
        (folder / ".snakemake").mkdir()  # notes are kept where it is
        os.environ["OMP_NUM_THREADS"] = "1"
        for noted in ("the first job of its sort", "with notes"):
            all_checks = all_whole = 0.0
            for argv in stages():
                checks, whole = job(argv, folder)
                print(f"{argv[0]}, {noted}: {checks:.3f} s of {whole:.2f} s, {checks / whole:.1%}")
                all_checks, all_whole = all_checks + checks, all_whole + whole
            report("attesting", f"seconds of tiny jobs / of their checks, {noted}", all_whole / all_checks)


if __name__ == "__main__":
    main(*sys.argv[1:])
