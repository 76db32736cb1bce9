"""What a job took, in Snakemake's benchmark files."""

import re
from pathlib import Path

from robustdr.core.files import write_text

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


def costs(benchmark: Path) -> dict[str, float] | None:
    """Return seconds (`s`) and memory (`max_rss`, MB) of a job, where they were measured; None if there is no file."""
    if not benchmark.is_file():
        return None
    head, *rows = (line.split("\t") for line in benchmark.read_text(encoding="utf-8").splitlines() or [""])
    row = dict(zip(head, rows[0], strict=False)) if rows else {}  # a run that was killed may leave half a file
    return {name: float(row[name]) for name in ("s", "max_rss") if NUMBER.fullmatch(row.get(name, ""))}


def write_costs(benchmark: Path, seconds: float) -> None:
    """Write what a job took that Snakemake did not run."""
    write_text(benchmark, f"s\n{seconds:.4f}\n")
