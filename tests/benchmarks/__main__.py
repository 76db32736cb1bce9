"""Run the benchmarks, one after the other, and print their ratios as one table.

    python tests/benchmarks [NAME [ARGUMENT …]]

`make bench` runs them all. A benchmark that fails does not stop the others; the exit status tells. Speeds are compared
within one process on one machine, in turns; no speed is asserted.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RATIO = re.compile(r"^ratio: (\w+): (.+): (\S+)$", re.MULTILINE)


def run(name: str, *arguments: str) -> tuple[int, str]:
    """The exit status of one benchmark and what it printed, which is shown as it comes."""
    path = os.pathsep.join(str(ROOT / part) for part in ("workflow", "tests"))
    command = [sys.executable, "-um", f"benchmarks.bench_{name}", *arguments]
    environment = {**os.environ, "PYTHONPATH": path, "TQDM_DISABLE": "1"}
    printed = []
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    return process.returncode, "".join(printed)


def main(names: list[str], *arguments: str) -> int:
    rows, failed = [], []
    for name in names:
        started = time.perf_counter()
        print(f"== {name}", flush=True)
        status, printed = run(name, *arguments)
        ended = f"failed with {status}" if status else "done"
        print(f"== {name}: {ended} after {time.perf_counter() - started:.0f} s\n", flush=True)
        rows += RATIO.findall(printed)
        failed += [name] if status else []
    print("| benchmark | compared | ratio |\n| --- | --- | ---: |")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    every = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    sys.exit(main(sys.argv[1:2] or every, *sys.argv[2:]))
