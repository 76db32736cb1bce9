"""One wrong number in the draft of a table that agrees with itself: how often a review finds it, by kind of error.

`pytest -s -m slow tests/transcribe/test_injected.py` prints the shares.
"""

import random
from decimal import ROUND_HALF_UP, Decimal
from statistics import fmean, stdev

import pytest

from robustdr.audit.audited import audit
from robustdr.transcribe.command import transcribe

TABLES = 25  # of each kind
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
    return ["R@5", "R@20", "R@100"], [list(map(shown, row)) for row in rows], "swap", {}


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
    return [f"{name} nDCG@10" for name in BEIR], bold, "bold", {}


def share(rng):
    counts = [rng.randrange(20, 900) for _ in SYSTEMS]
    total = sum(counts)
    return ["Queries", "Share"], [[str(n), rf"{shown(100 * n / total)}\%"] for n in counts], (-1,), {}


def whole(rng):
    counts = [rng.randrange(5, 45) for _ in SYSTEMS]
    return ["EM"], [[shown(100 * n / 50)] for n in counts], "decimal", {"caption": "Accuracy (n = 50)"}


def rows(rng):
    return BEIR, [[shown(draw(rng)) for _ in BEIR] for _ in SYSTEMS], "row", {}


def total(rng):
    parts = [[rng.randrange(20, 900) for _ in range(4)] for _ in SYSTEMS]
    return ["A", "B", "C", "D", "Total"], [[*map(str, row), str(sum(row))] for row in parts], (-1,), {}


def outside(rng):
    return ["nDCG@10", "RR@10"], [[shown(draw(rng)), shown(draw(rng))] for _ in SYSTEMS], "outside", {}


KINDS = [average, seeds, harmonic, order, difference, relative, best, share, whole, rows, total, outside]


def wrong(rng, printed):
    """The number with one of its first two digits changed."""
    at = rng.choice([at for at, character in enumerate(printed) if character.isdigit()][:2])
    return printed[:at] + rng.choice([d for d in "123456789" if d != printed[at]]) + printed[at + 1 :]


def inject(rng, cells, where):
    line = rng.randrange(len(cells))
    row = cells[line]
    if where == "swap":
        row[0], row[1] = row[1], row[0]
    elif where == "bold":
        column = rng.randrange(len(row))
        line = next(n for n, other in enumerate(cells) if not other[column].startswith("\\"))
        cells[line][column] = "75.5"
    elif where == "row":
        cells[line] = list(cells[line - 1])
    elif where == "decimal":  # another whole number of 50 would be no error that can be seen
        row[0] = row[0][:-1] + rng.choice("123456789")
    elif where == "outside":
        row[0] = f"1{row[0]}"
    else:
        column = rng.choice(where)
        row[column] = wrong(rng, row[column])


def latex(heads, cells, caption="Results"):
    lines = [" & ".join([name, *row]) + r" \\" for name, row in zip(SYSTEMS, cells, strict=True)]
    head = " & ".join(["Model", *heads]) + r" \\ \midrule"
    body = "\n".join([head, *lines])
    columns = "l" + "r" * len(heads)
    return rf"\begin{{table}}\caption{{{caption}}}\begin{{tabular}}{{{columns}}}{body}\end{{tabular}}\end{{table}}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_errors_in_drafts_as_they_are(tmp_path, kind):
    found = false = 0
    for seed in range(TABLES):
        rng = random.Random(f"{kind.__name__} {seed}")
        heads, cells, where, more = kind(rng)
        for injected in (False, True):
            if injected:
                inject(rng, cells, where)
            (tmp_path / "a.tex").write_text(latex(heads, cells, **more), encoding="utf-8")
            findings = audit(transcribe(tmp_path / "a.tex").reported).findings
            found += injected and bool(findings)
            false += not injected and bool(findings)
    print(f"{kind.__name__}: {found} of {TABLES} found; {false} findings without an error")
    assert found >= 0.8 * TABLES and false == 0
