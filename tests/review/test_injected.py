"""One error in the draft of a table that agrees with itself: how often a review finds it, and suspects the right cell.

`pytest -s -m slow tests/review/test_injected.py` prints the shares, by kind of table and of error.
"""

import random
import re
from decimal import ROUND_HALF_UP, Decimal
from statistics import fmean, stdev

import pytest

from review.kinds import swapped
from robustdr.audit.audited import audit
from robustdr.audit.causes import causes
from robustdr_review.transcribe import transcribe

TABLES = 12  # of each kind
SYSTEMS = ["BM25", "DPR", "ANCE", "TAS-B", "SPLADE", "ColBERT", "GTR", "Contriever"]
BEIR = ["NQ", "FiQA", "SciFact", "Quora", "HotpotQA", "FEVER"]


def shown(number, decimals=1):
    return str(Decimal(str(number)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def draw(rng, low=20, high=70):
    return float(shown(rng.uniform(low, high)))


def average(rng):
    rows = [[draw(rng) for _ in BEIR] for _ in SYSTEMS]
    return [*BEIR, "Avg."], [[*map(shown, row), shown(fmean(row))] for row in rows], (-1,), {}


def seeds(rng):
    rows = [[centre + rng.uniform(-2, 2) for _ in range(5)] for centre in (draw(rng) for _ in SYSTEMS)]
    rows = [[float(shown(one)) for one in row] for row in rows]
    heads = [*(f"Seed {n}" for n in range(1, 6)), "Mean", "Std"]
    return heads, [[*map(shown, row), shown(fmean(row)), shown(stdev(row), 2)] for row in rows], (-2, -1), {}


def harmonic(rng):
    pairs = [(draw(rng, 30, 90), draw(rng, 30, 90)) for _ in SYSTEMS]
    return ["P", "R", "F1"], [[shown(p), shown(r), shown(2 * p * r / (p + r))] for p, r in pairs], (-1,), {}


def order(rng):
    rows = []
    for _ in SYSTEMS:
        first = draw(rng, 20, 40)
        rows.append([first, first + draw(rng, 8, 15), first + draw(rng, 20, 30)])
    return ["R@5", "R@20", "R@100"], [list(map(shown, row)) for row in rows], (), {}


def difference(rng):
    pairs = [(draw(rng), draw(rng)) for _ in SYSTEMS]
    return ["Clean", "Typo", "Δ"], [[shown(a), shown(b), shown(b - a)] for a, b in pairs], (-1,), {}


def relative(rng):
    pairs = [(draw(rng), draw(rng)) for _ in SYSTEMS]
    return (
        ["Clean", "Typo", "drop"],
        [[shown(a), shown(b), rf"{shown((b - a) / a * 100)}\%"] for a, b in pairs],
        (-1,),
        {},
    )


def best(rng):
    rows = [[draw(rng) for _ in BEIR] for _ in SYSTEMS]
    top = [max(column) for column in zip(*rows, strict=True)]
    bold = [[rf"\textbf{{{x}}}" if x == t else str(x) for x, t in zip(row, top, strict=True)] for row in rows]
    return [f"{name} nDCG@10" for name in BEIR], bold, (), {}


def share(rng):
    counts = [rng.randrange(20, 900) for _ in SYSTEMS]
    total = sum(counts)
    return ["Queries", "Share"], [[str(n), rf"{shown(100 * n / total)}\%"] for n in counts], (-1,), {}


def whole(rng):
    counts = [rng.randrange(5, 45) for _ in SYSTEMS]
    return ["EM"], [[shown(100 * n / 50)] for n in counts], (), {"caption": "Accuracy (n = 50)"}


def rows(rng):
    return BEIR, [[shown(draw(rng)) for _ in BEIR] for _ in SYSTEMS], (), {}


def total(rng):
    parts = [[rng.randrange(20, 900) for _ in range(4)] for _ in SYSTEMS]
    return ["A", "B", "C", "D", "Total"], [[*map(str, row), str(sum(row))] for row in parts], (-1,), {}


def outside(rng):
    return ["nDCG@10", "RR@10"], [[shown(draw(rng)), shown(draw(rng))] for _ in SYSTEMS], (), {}


def one_digit(rng, text):
    """One of the first two digits is another one."""
    at = rng.choice([at for at, character in enumerate(text) if character.isdigit()][:2])
    return text[:at] + rng.choice([d for d in "123456789" if d != text[at]]) + text[at + 1 :]


def point(rng, text):
    """The decimal point stands one digit further left; None where one digit alone stands before it."""
    return re.sub(r"(\d)\.(\d)", r".\1\2", text) if re.search(r"\d\d\.\d", text) else None


def changed(change, places):
    """Change the first of some places that can be changed; return the places."""

    def error(rng, cells, results):
        for line, column in places(rng, cells, results):
            if wrong := change(rng, cells[line][column]):
                cells[line][column] = wrong
                return [(line, column)]
        return None

    return error


def everywhere(rng, cells, results):
    places = [(line, column) for line in range(len(cells)) for column in range(len(cells[0]))]
    return rng.sample(places, len(places))


def in_results(rng, cells, results):
    column = rng.choice(results) % len(cells[0])
    return [(line, column) for line in rng.sample(range(len(cells)), len(cells))]


def exchanged(rng, cells, results):
    """A cell is exchanged with the one below."""
    for line, column in everywhere(rng, cells[:-1], results):
        if (right := cells[line][column]) != cells[line + 1][column]:
            cells[line][column], cells[line + 1][column] = cells[line + 1][column], right
            return [(line, column), (line + 1, column)]
    return None


def beside(rng, cells, results):
    row = rng.randrange(len(cells))
    cells[row][:2] = cells[row][1::-1]
    return [(row, 0), (row, 1)]


def larger(rng, cells, results):
    """A number that is not bold becomes the largest."""
    column = rng.randrange(len(cells[0]))
    line = next(line for line, row in enumerate(cells) if not row[column].startswith("\\"))
    cells[line][column] = "75.5"
    return [(line, column)]


def row_above(rng, cells, results):
    line = rng.randrange(1, len(cells))
    cells[line] = list(cells[line - 1])
    return [(at, column) for at in (line - 1, line) for column in range(len(cells[0]))]


def no_whole(rng, text):
    """No whole number of 50: another one would be no error that can be seen."""
    return text[:-1] + rng.choice("123456789")


DIGIT = changed(one_digit, in_results)  # in another cell, nothing tells which of them is wrong
SLIPS = {
    "another digit": DIGIT,
    "two digits swapped": changed(swapped, everywhere),
    "the point shifted": changed(point, everywhere),
    "two rows exchanged": exchanged,
}
ERRORS = {
    **dict.fromkeys([average, seeds, harmonic, difference, relative, share, total], SLIPS),
    order: {"two columns exchanged": beside},
    best: {"another best": larger},
    rows: {"a row copied": row_above},
    whole: {"another digit": changed(no_whole, everywhere)},
    outside: {"a digit added": changed(lambda rng, text: f"1{text}", everywhere)},
}


def latex(heads, cells, caption="Results"):
    lines = [" & ".join([name, *row]) + r" \\" for name, row in zip(SYSTEMS, cells, strict=True)]
    head = " & ".join(["Model", *heads]) + r" \\ \midrule"
    body = "\n".join([head, *lines])
    columns = "l" + "r" * len(heads)
    return rf"\begin{{table}}\caption{{{caption}}}\begin{{tabular}}{{{columns}}}{body}\end{{tabular}}\end{{table}}"


def is_suspected(found, cells, places):
    """Whether the first cause names a wrong number; if its hypothesis names none, whether it is about its cell."""
    cause = causes(found)[0]
    said = next(iter(cause.hypotheses), "")
    wrong = [cells[line][column].replace("\\", "") for line, column in places]
    if re.search(r"(swapped|shifted|wrong|exchanged)", said) and re.search(r"(?<!\w)\d", said):
        return any(re.search(rf"(?<![\d.]){re.escape(one)}(?![\d.])", said) for one in wrong)
    table = found.reported.tables[cause.worst.cell.table]
    row = [line for line, _ in table.rows].index(cause.worst.cell.line)
    return (row, cause.worst.cell.column) in places or any(f"{one} (" in cause.worst.words for one in wrong)


@pytest.mark.slow
def test_errors_in_drafts_as_they_are(tmp_path):
    paper = tmp_path / "a.tex"

    def reviewed(heads, cells, more):
        paper.write_text(latex(heads, cells, **more), encoding="utf-8")
        made = transcribe(paper)
        return audit(made.reported, made.relations)

    sums = [0, 0, 0]
    for kind, errors in ERRORS.items():
        for name, error in errors.items():
            counted = [0, 0, 0]
            for seed in range(TABLES):
                rng = random.Random(f"{kind.__name__} {name} {seed}")
                heads, cells, results, more = kind(rng)
                assert not reviewed(heads, cells, more).findings
                if (made := error(rng, cells, results)) is None:
                    continue
                found = reviewed(heads, cells, more)
                named = bool(found.findings) and is_suspected(found, cells, made)
                counted = [n + more for n, more in zip(counted, (1, bool(found.findings), named), strict=True)]
            print(f"{kind.__name__:10} | {name:21} | " + " | ".join(f"{n:3}" for n in counted))
            sums = [n + more for n, more in zip(sums, counted, strict=True)]
    made, found, named = sums
    print(f"all: {made} errors, {found} found, {named} of them suspected first in the right cell")
    assert found >= 0.9 * made and named >= 0.9 * found
