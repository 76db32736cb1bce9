"""What attesting costs: seconds of a stage's checks and of its record beside all seconds of its job.

    python tests/benchmarks attesting

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


def main() -> None:
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
    main()
