"""A wrong digit in any cell, covered by a rule or not: `python tests/review/anywhere.py FILES [--errors 3]`.

FILES are papers of any kind that the reviewer reads, or reported.yaml files, whose declared relations are left out: the
numbers are then read as those of any paper. In each table, one digit of a cell that is drawn at random becomes another
one, as often as `--errors` says. An error is found if a finding that the table did not have before is about its cell,
or names the wrong number in its hypothesis. Most cells stand under no rule at all, so a share far below 1 is to be
expected. Prints: cells, findings in the tables as they are, errors, and how many of them are found.
"""

import argparse
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from robustdr.audit.audited import audit
from robustdr.audit.cells import parse
from robustdr.audit.reported import load
from robustdr_review.transcribe import transcribe


def alone(reported, table):
    """A paper with one table, without declared relations."""
    return replace(reported, tables={table.id: replace(table, relations=[], runs=[], tests=[])}, words=reported.words)


def with_wrong_digit(table, rng):
    """(table, wrong cell): one digit of any cell is another one; None if the table has no such cell."""
    cells = [cell for cell in table.cells if not cell.hedge and any(map(str.isdigit, cell.printed))]
    if not cells:
        return None
    cell = rng.choice(cells)
    place = rng.choice([match.start() for match in re.finditer(r"\d", cell.printed)])
    other = rng.choice([digit for digit in "0123456789" if digit != cell.printed[place]])
    printed = cell.printed[:place] + other + cell.printed[place + 1 :]
    wrong = replace(cell, printed=printed, number=parse("", printed, 1, {})[0].number)
    return replace(table, cells=[wrong if one is cell else one for one in table.cells]), wrong


def findings(reported, table):
    return [
        (finding.kind, flaw.cell.line, flaw.cell.column, finding.hypothesis)
        for finding in audit(alone(reported, table)).findings
        for flaw in finding.flaws
    ]


def injected(reported, rng, errors):
    """(cells, findings of the tables as they are, found errors, made errors)."""
    cells = wrong_before = found = made = 0
    for table in reported.tables.values():
        if table.id.startswith("prose") or not table.cells:
            continue
        before = findings(reported, table)
        cells += len(table.cells)
        wrong_before += len({(kind, line) for kind, line, *_ in before})
        for _ in range(errors):
            if (drawn := with_wrong_digit(table, rng)) is None:
                continue
            changed, wrong = drawn
            new = Counter(findings(reported, changed)) - Counter(before)
            named = re.compile(rf"(?<![\d.]){re.escape(wrong.printed)}(?![\d.])")
            made += 1
            found += any(
                (line, column) == (wrong.line, wrong.column) or bool(named.search(said))
                for _, line, column, said in new
            )
    return cells, wrong_before, found, made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--errors", type=int, default=3, help="wrong digits for each table")
    given = parser.parse_args()
    sums = [0, 0, 0, 0]
    for file in given.files:
        read = load(file) if file.suffix == ".yaml" else transcribe(file).reported
        counted = injected(read, random.Random(file.name), given.errors)
        sums = [a + b for a, b in zip(sums, counted, strict=True)]
        print(
            f"{file}: {counted[0]:,} cells, {counted[1]} findings; {counted[2]} of {counted[3]} wrong digits found",
            flush=True,
        )
    share = f"{sums[2] / max(sums[3], 1):.0%}"
    print(f"all: {sums[0]:,} cells, {sums[1]} findings; {sums[2]} of {sums[3]} wrong digits found ({share})")
