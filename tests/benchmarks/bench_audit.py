"""How many single errors the audit sees: `python tests/benchmarks audit [papers]`.

Each trial takes a random paper that agrees with itself, rounds it, puts one error into one cell, and asks whether the
audit reports anything. A single changed digit is often one that rounding explains; the more decimals, the fewer.
"""

import random
import sys
import time
from itertools import pairwise
from statistics import fmean

from audit.synthetic import CONVENTIONS, Number, Paper, random_paper
from benchmarks.common import report
from robustdr.audit.audited import audit

Grid = dict[str, list[tuple[str, list[list[str]]]]]
DECIMALS = (0, 1, 2, 3)


def digit_changed(rng: random.Random, paper: Paper, printed: Grid, rounding: str) -> bool:
    """One digit of one cell becomes another digit. False where nothing changed."""
    cell, index = _any_cell(rng, printed)
    digits = [position for position, character in enumerate(cell[index]) if character.isdigit()]
    position = rng.choice(digits)
    other = rng.choice([d for d in "0123456789" if d != cell[index][position]])
    cell[index] = cell[index][:position] + other + cell[index][position + 1 :]
    return True


def digits_swapped(rng: random.Random, paper: Paper, printed: Grid, rounding: str) -> bool:
    """Two neighbouring digits of one cell change places."""
    cell, index = _any_cell(rng, printed)
    text = cell[index]
    digits = [position for position, character in enumerate(text) if character.isdigit()]
    pairs = [(a, b) for a, b in pairwise(digits) if text[a] != text[b]]
    if not pairs:
        return False
    a, b = rng.choice(pairs)
    cell[index] = text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :]
    return True


def copied_from_a_sibling(rng: random.Random, paper: Paper, printed: Grid, rounding: str) -> bool:
    """One cell gets the text of another row of its column."""
    rows = printed[rng.choice([table for table in printed if table != "restated"])]
    (_, target), (_, source) = rng.sample(rows, 2)
    column = rng.randrange(len(target))
    index = rng.randrange(min(len(target[column]), len(source[column])))
    before = target[column][index]
    target[column][index] = source[column][index]
    return target[column][index] != before


def row_left_out(rng: random.Random, paper: Paper, printed: Grid, rounding: str) -> bool:
    """The mean over the variations is taken without one of them."""
    table = rng.choice(["runs", "effect"])
    rows = {label: cells for label, cells in paper.grids[table] if label.startswith("v")}
    columns = (
        range(2, 6) if table == "effect" else range(sum(cell[0].form == "percent_sign" for cell in rows["v1"]) - 3)
    )
    column = rng.choice(columns)
    left_out = rng.choice(list(rows))
    parts = [cells[column][0] for label, cells in rows.items() if label != left_out]
    text = Number(fmean(part.value for part in parts), parts[0].decimals, parts[0].form).printed(rounding)
    cell = printed[table][-1][1][column]
    before, cell[0] = cell[0], text
    return text != before


ERRORS = (digit_changed, digits_swapped, copied_from_a_sibling, row_left_out)


def _any_cell(rng: random.Random, printed: Grid) -> tuple[list[str], int]:
    cells = [cell for rows in printed.values() for _, row in rows for cell in row]
    cell = rng.choice(cells)
    return cell, rng.randrange(len(cell))


def detection(error, decimals: int, trials: int, seed: int = 0) -> tuple[int, int]:
    """(errors that the audit reports, errors made)."""
    rng = random.Random(f"{seed} {error.__name__} {decimals}")
    seen = made = 0
    while made < trials:
        paper = random_paper(rng, decimals)
        rounding = rng.choice(list(CONVENTIONS.values()))
        printed = paper.print(rounding)
        if error(rng, paper, printed, rounding):
            made += 1
            seen += bool(audit(paper.reported(printed)).findings)
    return seen, made


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    started = time.perf_counter()
    print(f"| error in one cell | {' | '.join(f'{d} decimals' for d in DECIMALS)} |")
    print(f"|---|{'---:|' * len(DECIMALS)}")
    reported = 0
    for error in ERRORS:
        rates = [detection(error, decimals, trials) for decimals in DECIMALS]
        print(f"| {error.__name__.replace('_', ' ')} | {' | '.join(f'{seen / made:.1%}' for seen, made in rates)} |")
        reported += rates[DECIMALS.index(2)][0]
    print(f"\n{trials} papers per figure, {time.perf_counter() - started:.0f} s")
    report("audit", "single errors reported / made, at two decimals", reported / (trials * len(ERRORS)))


if __name__ == "__main__":
    main()
