"""A wrong digit in any cell, covered by a rule or not: `python tests/review/anywhere.py FILES [--errors 3]`.

FILES are papers of any kind that the reviewer reads, or reported.yaml files, whose declared relations are left out: the
numbers are then read as those of any paper. In each table, one digit of a cell that is drawn at random becomes another
one, as often as `--errors` says. An error is found if the table has a finding that it did not have before, and its cell
is one of the numbers that disagree; or if a sentence or another table now differs from it. Most cells stand under no
rule at all, so `contradicted.py` says, by rules of its own, which errors contradict anything that is printed. Prints:
cells, findings in the tables as they are, errors, how many are found, how many contradict, and how many of those are.
"""

import argparse
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import contradicted

from robustdr.audit import restated
from robustdr.audit.audited import audit
from robustdr.audit.cells import parse
from robustdr.audit.reported import load
from robustdr_review.paragraphs import paragraphs
from robustdr_review.prose import LOOK, Prose
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
    """By (kind, place of the cell), what the findings in a table say, and the places of all cells that disagree."""
    found = {}
    for finding in audit(alone(reported, table)).findings:
        related = [cell for check in finding.checks for cells in check.operands.values() for cell in cells]
        for cell in (flaw.cell for flaw in finding.flaws):
            places = {(one.line, one.column) for one in (cell, *related)}
            found[finding.kind, cell.line, cell.column] = finding.hypothesis, places
    return found


class Counts(NamedTuple):
    """What is counted of a paper, or of many."""

    cells: int = 0
    findings: int = 0
    found: int = 0
    made: int = 0
    contradicting: int = 0
    found_contradicting: int = 0

    def plus(self, other):
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self):
        share = self.found_contradicting / max(self.contradicting, 1)
        return (
            f"{self.cells:,} cells, {self.findings} findings; {self.found} of {self.made} wrong digits found; "
            f"{self.found_contradicting} of {self.contradicting} that contradict anything printed ({share:.0%})"
        )


def differing(reported, text):
    """The cells, in words, from which sentences differ."""
    return {(tie.sentence, tie.number, tie.cells) for tie in Prose(reported).check(text).ties if tie.verdict == LOOK}


def injected(reported, rng, errors, text=(), missed=None):
    """What is counted.

    Args:
        text: paragraphs, each with its line. missed: a list that gets (kinds of contradictions, cell, wrong number).
    """
    counts = Counts()
    twice = contradicted.restated(reported, "\n\n".join(words for _, words in text))
    spoken = differing(reported, text)
    for table in reported.tables.values():
        if table.id.startswith("prose") or not table.cells:
            continue
        before = findings(reported, table)
        holding, values = contradicted.statements(table)
        counts = counts.plus(Counts(len(table.cells), len({(kind, line) for kind, line, _ in before})))
        for _ in range(errors):
            if (drawn := with_wrong_digit(table, rng)) is None:
                continue
            changed, wrong = drawn
            place = wrong.line, wrong.column
            named = re.compile(rf"(?<![\d.]){re.escape(wrong.printed)}(?![\d.])")
            is_found = any(
                named.search(said) if key in before else place in places
                for key, (said, places) in findings(reported, changed).items()
                if (said, places) != before.get(key)
            )
            kinds = contradicted.contradicts(holding, values, place, float(wrong.number))
            kinds += ["restated"] if (table.id, *place) in twice else []
            if not is_found and "restated" in kinds:
                full = replace(reported, tables={**reported.tables, table.id: changed})
                is_found = any(wrong in broken.cells for broken in restated.broken(full))
            if not is_found and "restated" in kinds and text:
                said = differing(full, text) - spoken
                is_found = any(wrong.printed in cells for _, _, cells in said)
            counts = counts.plus(Counts(0, 0, is_found, 1, bool(kinds), bool(kinds) and is_found))
            if kinds and not is_found and missed is not None:
                old = next(cell for cell in table.cells if (cell.line, cell.column) == place)
                missed.append((kinds, str(old), old.printed, wrong.printed))
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--errors", type=int, default=3, help="wrong digits for each table")
    parser.add_argument("--verbose", action="store_true", help="print the errors that contradict and are not found")
    given = parser.parse_args()
    total = Counts()
    for file in given.files:
        is_draft = file.suffix == ".yaml"
        read = load(file) if is_draft else transcribe(file).reported
        missed = []
        text = [] if is_draft else list(paragraphs(file)[0])
        counts = injected(read, random.Random(file.name), given.errors, text, missed)
        total = total.plus(counts)
        print(f"{file}: {counts}", *(missed if given.verbose else ()), sep="\n   ", flush=True)
    print(f"all: {total}")
