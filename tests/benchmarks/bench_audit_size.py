"""How long the audit takes by the size of a paper: `python tests/benchmarks audit_size [cells]`.

The shapes are those that a search could be quadratic in: one long table with its relations, the same without any,
many small tables, and tables in which every tenth or every block has a wrong average and a wrong drop. Processor
seconds, from the text of a reported.yaml to the report.
"""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import report
from robustdr.audit.audited import audit
from robustdr.audit.formats import markdown
from robustdr.audit.reported import load

SYSTEMS, VARIATIONS = [f"s{index}" for index in range(10)], [f"v{index}" for index in range(8)]
RELATIONS = """\
    relations:
      - {for: {query_set: mean, system: "*"}, mean_of: {query_set: [v0, v1, v2, v3, v4, v5, v6, v7]}}
      - {for: {value: drop}, drop_from: {query_set: original}}
"""


def block(rng: random.Random, prefix: str, wrong: bool) -> Iterator[str]:
    """An original row, its variations and their mean, each with a drop: 190 numbers."""
    rows = {name: [rng.randint(2000, 9000) for _ in SYSTEMS] for name in ["original", *VARIATIONS]}
    rows["mean"] = [sum(rows[name][index] for name in VARIATIONS) / 8 for index in range(len(SYSTEMS))]
    rows["mean"][0] += 500 * wrong
    for name, values in rows.items():
        drops = [f"/{100 * (value / base - 1):.1f}%" for value, base in zip(values, rows["original"], strict=True)]
        numbers = [f"{v / 100:.2f}{'' if name == 'original' else d}" for v, d in zip(values, drops, strict=True)]
        if wrong and name == "v0":
            numbers[0] = f"{values[0] / 100:.2f}/-{rng.uniform(0, 99):.1f}%"
        yield f"      {prefix}{name} | {' | '.join(numbers)}\n"


def text(cells: int, tables: int, declared: bool, wrong: int) -> str:
    """A reported.yaml of about so many cells."""
    rng = random.Random(0)
    columns = ", ".join(f"{{system: {name}, measure: RR@10, and: drop}}" for name in SYSTEMS)
    lines = ["paper: large\ntitle: large\ntables:\n"]
    blocks = max(1, round(cells / 190 / tables))
    for table in range(tables):
        lines.append(f"  table{table}:\n    caption: t{table}\n    unit: percent\n    row: [category, query_set]\n")
        lines.append(f"    columns: [{columns}]\n    cells: |\n")
        for number in range(blocks):
            lines += block(rng, f"c{number} | ", bool(wrong) and number % wrong == 0)
        lines.append(RELATIONS if declared else "")
    return "".join(lines)


SHAPES = {
    "one table": (1, True, 0),
    "one table without relations": (1, False, 0),
    "131 tables": (131, True, 0),
    "one table, every tenth block wrong": (1, True, 10),
    "one table, every block wrong": (1, True, 1),
}


def seconds(cells: int, tables: int, declared: bool, wrong: int) -> float:
    """Processor seconds from the file to the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.yaml"
        path.write_text(text(cells, tables, declared, wrong), encoding="utf-8")
        started = time.process_time()
        markdown([audit(load(path))])
        return time.process_time() - started


def main() -> None:
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    for name, shape in SHAPES.items():
        whole, half = seconds(cells, *shape), seconds(cells // 2, *shape)
        print(f"{name}: {cells:,} cells in {whole:.1f} s, half of them in {half:.1f} s", flush=True)
        report("audit_size", f"{name}: seconds of {cells:,} cells / of half as many", whole / half)


if __name__ == "__main__":
    main()
