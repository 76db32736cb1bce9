"""How long `snakemake --dry-run --profile slurm` takes for each full-scale table, and how many jobs it plans.

python tests/benchmarks/bench_dry_run.py
"""

import re
import subprocess
import time
from pathlib import Path

import yaml


def main() -> None:
    experiments = sorted(Path("config/papers").glob("*/experiment.yaml"))
    tables = [
        f"results/tables/{path.parent.name}_{table}.md"
        for path in experiments
        for table in yaml.safe_load(path.read_text(encoding="utf-8"))["tables"]
    ]
    print("| target | jobs | seconds |\n| --- | ---: | ---: |")
    for targets in (*([table] for table in tables), tables):
        started = time.perf_counter()
        done = subprocess.run(
            ["snakemake", "--dry-run", "--forceall", "--profile", "slurm", *targets],
            capture_output=True,
            text=True,
            check=True,
        )
        jobs = re.search(r"^total +(\d+)$", done.stdout + done.stderr, re.MULTILINE)[1]
        name = targets[0] if len(targets) == 1 else f"all {len(tables)} tables"
        print(f"| {name} | {jobs} | {time.perf_counter() - started:.1f} |", flush=True)


if __name__ == "__main__":
    main()
