"""How many errors of many kinds a review finds: `python tests/review/kinds.py [--cases 6] [--from 0] [--verbose]`.

Each case is a small paper that is drawn, of one or two tables and a few sentences, whose numbers come from drawn data
and fit each other. One number is changed: any cell or number that an error of this kind may hit, whether a rule of the
reviewer covers it or not. The last kinds change any digit of any cell. Papers are written as Markdown, LaTeX and HTML,
with heads and words that vary. An error is found if the review has a finding, or a number with the verdict `differs` or
`look`, which it did not have before, and which names the wrong number or its cell. Prints found and tried by kind, and
the findings and such numbers in papers without an error, all of which are false. Cases from 100 on were not looked at
while rules were written.
"""

import argparse
import contextlib
import copy
import io
import json
import random
import re
import tempfile
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import fmean, median, quantiles, stdev

from scipy import stats

from robustdr.cli import main as robustdr

SYSTEMS = ["BM25", "DPR", "ANCE", "TAS-B", "SPLADE", "ColBERT", "GTR", "Contriever", "CharacterBERT", "RocketQA"]
SETS = ["FiQA", "SciFact", "Quora", "HotpotQA", "FEVER", "ArguAna", "Touche", "Scidocs", "Robust04"]
SCALES = ["Anxiety", "Trust", "Fatigue", "Optimism", "Workload", "Satisfaction", "Curiosity", "Stress"]
TRAITS = ["Female", "Married", "Smoker", "Diabetes", "Hypertension", "Employed", "Urban", "Asthma"]
TYPES = ["PER", "LOC", "ORG", "MISC", "DATE", "EVENT", "GPE"]
MINUS = "−"


def shown(number, decimals=1):
    return str(Decimal(repr(float(number))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def bare(number, decimals=3):
    """Without the zero before the point, as p and r are often printed."""
    return shown(number, decimals).replace("0.", ".", 1)


@dataclass
class Grid:
    """A table; the first column has the labels."""

    caption: str
    heads: list[str]
    rows: list[list[str]]
    bold: set[tuple[int, int]] = field(default_factory=set)


@dataclass
class Paper:
    """Tables and sentences, in the order in which they stand; the first sentence is the abstract."""

    tables: list[Grid]
    sentences: list[str] = field(default_factory=list)

    def with_cell(self, row, column, text, table=0):
        changed = copy.deepcopy(self)
        assert changed.tables[table].rows[row][column] != text
        changed.tables[table].rows[row][column] = text
        return changed, text

    def with_words(self, old, new, said=None):
        changed = copy.deepcopy(self)
        changed.sentences = [one.replace(old, new) for one in self.sentences]
        assert changed.sentences != self.sentences
        return changed, said or new

    def transposed(self):
        """With rows and columns of all tables exchanged."""
        for one in self.tables:
            first, *rest = zip(one.heads, *one.rows, strict=True)
            one.heads, one.rows = list(first), [list(row) for row in rest]
            one.bold = {(column - 1, row + 1) for row, column in one.bold}
        return self


def as_markdown(paper):
    parts = [f"# A study\n\n## Abstract\n\n{paper.sentences[0] if paper.sentences else ''}\n\n## 1. Results\n"]
    for number, one in enumerate(paper.tables, 1):
        rows = [
            [f"**{text}**" if (row, column) in one.bold else text for column, text in enumerate(fields)]
            for row, fields in enumerate(one.rows)
        ]
        lines = [one.heads, ["---"] * len(one.heads), *rows]
        parts.append(f"Table {number}: {one.caption}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join([*parts, *paper.sentences[1:]]) + "\n"


def as_latex(paper):
    def tex(text):
        return re.sub(r"([%#&_])", r"\\\1", text).replace("χ²", r"$\chi^2$").replace("Δ", r"$\Delta$")

    parts = [r"\documentclass{article}\begin{document}"]
    parts += [rf"\begin{{abstract}}{tex(one)}\end{{abstract}}" for one in paper.sentences[:1]]
    for one in paper.tables:
        rows = [
            " & ".join(
                rf"\textbf{{{tex(text)}}}" if (row, column) in one.bold else tex(text)
                for column, text in enumerate(fields)
            )
            for row, fields in enumerate(one.rows)
        ]
        body = " \\\\\n".join([" & ".join(map(tex, one.heads)) + r" \\ \midrule" + "\n" + rows[0], *rows[1:]])
        parts.append(
            rf"\begin{{table}}\caption{{{tex(one.caption)}}}\begin{{tabular}}{{l{'r' * (len(one.heads) - 1)}}}\toprule"
            f"\n{body} \\\\\n\\bottomrule\\end{{tabular}}\\end{{table}}"
        )
    return "\n\n".join([*parts, *map(tex, paper.sentences[1:]), r"\end{document}"])


def as_html(paper):
    parts = [f"<h2>Abstract</h2><p>{escape(one)}</p>" for one in paper.sentences[:1]]
    for number, one in enumerate(paper.tables, 1):
        head = "".join(f"<th>{escape(text)}</th>" for text in one.heads)
        body = "".join(
            "<tr>"
            + "".join(
                f"<td>{'<b>' * ((row, column) in one.bold)}{escape(text)}{'</b>' * ((row, column) in one.bold)}</td>"
                for column, text in enumerate(fields)
            )
            + "</tr>"
            for row, fields in enumerate(one.rows)
        )
        caption = f"<caption>Table {number}: {escape(one.caption)}</caption>"
        parts.append(f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    return "<html><body>" + "\n".join([*parts, *(f"<p>{escape(one)}</p>" for one in paper.sentences[1:])])


FORMS = {".md": as_markdown, ".tex": as_latex, ".html": as_html}

# Errors in the text of a number.


def digit(rng, text, least=0):
    """One digit is another one, so that the number moves by `least` of its own size."""
    number = float(re.sub(r"[^\d.]", "", text))
    candidates = [
        text[:at] + other + text[at + 1 :]
        for at, character in enumerate(text)
        if character.isdigit()
        for other in "0123456789"
        if other != character
        and not (other == "0" and (at == 0 or (not text[at - 1].isdigit() and text[at - 1] != ".")))
    ]
    far = [one for one in candidates if abs(float(re.sub(r"[^\d.]", "", one)) - number) > least * abs(number)]
    return rng.choice(far or candidates)


def swapped(rng, text):
    """Two neighbouring digits change places; None if that is the same number, or one with a leading zero."""
    places = [at for at, character in enumerate(text) if character.isdigit()]
    pairs = [(a, b) for a, b in pairwise(places) if text[a] != text[b] and (a > places[0] or text[b] != "0")]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    return text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :]


# Papers.


def ranked(rng, rows=None, average=True, decimals=None, measure=None):
    """Systems on sets, with an average or none; the last system leads nearly everywhere."""
    systems = rng.sample(SYSTEMS, rows or rng.randint(3, 7))
    sets = rng.sample(SETS, rng.randint(3, 6))
    decimals = decimals or rng.choice([1, 1, 2])
    measure = measure or rng.choice(["nDCG@10", "RR@10", "Recall@100"])
    ease = [rng.uniform(-12, 12) for _ in sets]
    lines = []
    for place, _ in enumerate(systems):
        skill = 32 + 3.5 * place + rng.uniform(-1, 1)
        lines.append([float(shown(skill + one + rng.uniform(-3, 3), decimals)) for one in ease])
    heads = [rng.choice(["Model", "System", "Method"]), *sets]
    body = [[name, *(shown(n, decimals) for n in line)] for name, line in zip(systems, lines, strict=True)]
    if average:
        heads.append(rng.choice(["Avg.", "Average", "Mean", "Avg"]))
        body = [[*fields, shown(fmean(line), decimals)] for fields, line in zip(body, lines, strict=True)]
    caption = rng.choice([f"{measure} of all systems.", f"Results ({measure}).", f"Effectiveness as {measure}."])
    sentences = ["We compare retrievers on public collections."]
    return Paper([Grid(caption, heads, body)], sentences)


def best_in_bold(paper, plain=()):
    """Mark the largest number of each column, but for those of `plain`."""
    grid = paper.tables[0]
    for column in range(1, len(grid.heads)):
        numbers = [float(row[column]) for row in grid.rows]
        if column not in plain:
            grid.bold |= {(row, column) for row, number in enumerate(numbers) if number == max(numbers)}
    return paper


def any_cell(rng, paper, columns=None, table=0):
    grid = paper.tables[table]
    return rng.randrange(len(grid.rows)), rng.choice(columns or range(1, len(grid.heads)))


def average_wrong(rng):
    paper = ranked(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, -1, digit(rng, paper.tables[0].rows[row][-1], 0.02))


def average_swapped(rng):
    while True:
        paper = ranked(rng, rows=rng.randint(3, 4))
        row = rng.randrange(len(paper.tables[0].rows))
        if wrong := swapped(rng, paper.tables[0].rows[row][-1]):
            return paper, *paper.with_cell(row, -1, wrong)


def part_of_average_wrong(rng):
    paper = ranked(rng)
    row, column = any_cell(rng, paper, range(1, len(paper.tables[0].heads) - 1))
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.05))


def average_transposed(rng):
    paper = ranked(rng).transposed()
    column = rng.randrange(1, len(paper.tables[0].heads))
    return paper, *paper.with_cell(-1, column, digit(rng, paper.tables[0].rows[-1][column], 0.02))


def point_shifted(rng):
    paper = ranked(rng)
    row, column = any_cell(rng, paper)
    text = paper.tables[0].rows[row][column]
    return paper, *paper.with_cell(row, column, re.sub(r"(\d)\.(\d)", r".\1\2", text))


def counted(rng):
    groups = rng.sample(SETS, rng.randint(3, 6))
    heads = ["Collection", "Train", "Dev", "Test", "Total"]
    rows = []
    for name in groups:
        counts = [rng.randrange(1200, 9800), rng.randrange(120, 980), rng.randrange(120, 980)]
        rows.append([name, *(f"{n:,}" for n in [*counts, sum(counts)])])
    return Paper([Grid("Questions of each collection.", heads, rows)], ["We gather questions."])


def total_wrong(rng):
    paper = counted(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, -1, digit(rng, paper.tables[0].rows[row][-1]))


def part_of_total_wrong(rng):
    paper = counted(rng)
    row, column = any_cell(rng, paper, (1, 2, 3))
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column]))


def total_row_wrong(rng):
    paper = counted(rng)
    columns = list(zip(*(row[1:] for row in paper.tables[0].rows), strict=True))
    sums = [f"{sum(int(one.replace(',', '')) for one in column):,}" for column in columns]
    paper.tables[0].rows.append(["Total", *sums])
    column = rng.randrange(1, 5)
    return paper, *paper.with_cell(-1, column, digit(rng, sums[column - 1]))


def changed(rng, relative):
    systems = rng.sample(SYSTEMS, rng.randint(3, 6))
    rows = []
    for name in systems:
        clean = float(shown(rng.uniform(35, 70)))
        typo = float(shown(clean - rng.uniform(4, 20)))
        change = 100 * (typo - clean) / clean if relative else typo - clean
        rows.append([name, shown(clean), shown(typo), shown(change) + "%" * relative])
    heads = ["Model", "Clean", "Typos", rng.choice(["Drop", "Change", "Rel. change"]) if relative else "Δ"]
    return Paper([Grid("RR@10 on clean queries and on queries with typos.", heads, rows)], ["We add typos."])


def difference_wrong(rng):
    paper = changed(rng, relative=False)
    row, column = any_cell(rng, paper)
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.02))


def relative_change_wrong(rng):
    paper = changed(rng, relative=True)
    row, column = any_cell(rng, paper)
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.1))


def sign_lost(rng):
    paper = changed(rng, relative=rng.random() < 0.5)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 3, paper.tables[0].rows[row][3].lstrip("-"))


def extracted(rng):
    rows = []
    for name in rng.sample(TYPES, rng.randint(2, 5)):
        p, r = (float(shown(rng.uniform(45, 95))) for _ in "pr")
        rows.append([name, shown(p), shown(r), shown(2 * p * r / (p + r))])
    heads = rng.choice(
        [["Type", "P", "R", "F1"], ["Type", "Precision", "Recall", "F1"], ["Type", "Prec.", "Rec.", "F"]]
    )
    return Paper([Grid("Extraction by type.", heads, rows)], ["We extract entities."])


def f1_wrong(rng):
    paper = extracted(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 3, digit(rng, paper.tables[0].rows[row][3], 0.02))


def precision_wrong(rng):
    paper = extracted(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    column = rng.choice([1, 2])
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.05))


def characteristics(rng):
    n = rng.choice([84, 126, 212, 340, 512])
    rows = []
    for name in rng.sample(TRAITS, rng.randint(3, 6)):
        count = rng.randrange(9, n - 5)
        rows.append([name, f"{count} ({shown(100 * count / n)}%)" if n % 4 else f"{count} ({shown(100 * count / n)})"])
    head = f"Patients (n = {n}), n (%)" if n % 4 else f"n (%), n = {n}"
    return Paper(
        [Grid("Characteristics of the patients.", ["Characteristic", head], rows)], [f"We asked {n} patients."]
    )


def share_of_count_wrong(rng):
    paper = characteristics(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    text = paper.tables[0].rows[row][1]
    start = text.index("(")
    changed_paper, _ = paper.with_cell(row, 1, text[:start] + (wrong := digit(rng, text[start:], 0.03)))
    return paper, changed_paper, wrong.strip("()")


def count_of_share_wrong(rng):
    paper = characteristics(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    count, rest = paper.tables[0].rows[row][1].split(" ", 1)
    changed_paper, _ = paper.with_cell(row, 1, f"{(wrong := digit(rng, count, 0.04))} {rest}")
    return paper, changed_paper, wrong


def parts_of_100_wrong(rng):
    rows = []
    for name in rng.sample(SCALES, rng.randint(3, 5)):
        weights = [rng.randint(5, 40) for _ in range(4)]
        rows.append([name, *(shown(100 * one / sum(weights)) + "%" for one in weights)])
    paper = Paper([Grid("Answers in percent.", ["Item", "Never", "Rarely", "Often", "Always"], rows)], ["We asked."])
    row, column = any_cell(rng, paper)
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.05))


def confused(rng):
    rows = []
    for name in rng.sample(SYSTEMS, rng.randint(1, 4)):
        tp, fp, fn, tn = (rng.randrange(20, 180) for _ in range(4))
        rates = tp / (tp + fp), tp / (tp + fn), (tp + tn) / (tp + fp + fn + tn)
        rows.append([name, *map(str, (tp, fp, fn, tn)), *(shown(one, 3) for one in rates)])
    heads = ["Model", "TP", "FP", "FN", "TN", "Precision", "Recall", "Accuracy"]
    return Paper([Grid("Confusion counts and rates.", heads, rows)], ["We classify."])


def rate_wrong(rng):
    paper = confused(rng)
    row, column = any_cell(rng, paper, (5, 6, 7))
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.02))


def confusion_count_wrong(rng):
    paper = confused(rng)
    row, column = any_cell(rng, paper, (1, 2, 3, 4))
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[0].rows[row][column], 0.1))


def accuracy_of_counts_wrong(rng):
    rows = []
    for name in rng.sample(SYSTEMS, rng.randint(2, 5)):
        total = rng.randrange(100, 900)
        correct = rng.randrange(total // 3, total)
        rows.append([name, str(correct), str(total), shown(100 * correct / total)])
    head = rng.choice(["Accuracy (%)", "Accuracy", "Acc."])
    paper = Paper([Grid("Answers that are correct.", ["Model", "Correct", "Total", head], rows)], ["We count answers."])
    row = rng.randrange(len(rows))
    return paper, *paper.with_cell(row, 3, digit(rng, rows[row][3], 0.02))


def depths_out_of_order(rng):
    name = rng.choice(["R", "Recall", "Success", "Hits"])
    rows = []
    for system in rng.sample(SYSTEMS, rng.randint(1, 4)):
        first = rng.uniform(20, 40)
        rows.append([system, *map(shown, (first, first + rng.uniform(5, 15), first + rng.uniform(18, 30)))])
    paper = Paper([Grid("Depths.", ["Model", f"{name}@5", f"{name}@20", f"{name}@100"], rows)], ["We search."])
    row, at = rng.randrange(len(rows)), rng.choice([1, 2])
    changed_paper, wrong = paper.with_cell(row, at, rows[row][at + 1])
    changed_paper.tables[0].rows[row][at + 1] = rows[row][at]
    return paper, changed_paper, wrong


def top_five_below_top_one(rng):
    rows = []
    for system in rng.sample(SYSTEMS, rng.randint(2, 4)):
        first = rng.uniform(60, 80)
        rows.append([system, shown(rng.uniform(20, 90)), shown(first), shown(first + rng.uniform(6, 15))])
    heads = ["Model", "Params (M)", *rng.choice([("Top-1", "Top-5"), ("Acc@1", "Acc@5"), ("top-1 acc.", "top-5 acc.")])]
    paper = Paper([Grid("Accuracy on images.", heads, rows)], ["We classify images."])
    row = rng.randrange(len(rows))
    changed_paper, wrong = paper.with_cell(row, 2, rows[row][3])
    changed_paper.tables[0].rows[row][3] = rows[row][2]
    return paper, changed_paper, wrong


def share_above_100(rng):
    paper = ranked(rng, rows=rng.randint(1, 3), average=False)
    heads = [f"nDCG@{n}" for n in range(10, 10 * len(paper.tables[0].heads), 10)]
    paper.tables[0].heads[1:] = heads
    paper.tables[0].caption = "Results."
    row, column = any_cell(rng, paper)
    text = paper.tables[0].rows[row][column]
    return paper, *paper.with_cell(row, column, "1" + text)


def correlation_above_1(rng):
    names = rng.sample(SCALES, rng.randint(1, 5))
    rows = [[name, shown(rng.uniform(0.2, 0.9), 2), shown(rng.uniform(0.2, 0.9), 2)] for name in names]
    heads = ["Scale", *rng.choice([("Pearson", "Spearman"), ("r", "ρ"), ("Pearson r", "Kendall τ")])]
    paper = Paper([Grid("Correlation with age.", heads, rows)], ["We correlate."])
    row, column = any_cell(rng, paper)
    return paper, *paper.with_cell(row, column, "1" + rows[row][column][1:])


def described(rng):
    rows = []
    for name in rng.sample(SCALES, rng.randint(1, 4)):
        data = [rng.lognormvariate(1.2, 0.5) for _ in range(41)]
        low, middle, high = quantiles(data)
        numbers = [min(data), low, middle, fmean(data), high, max(data), stdev(data)]
        rows.append([name, *(shown(one, 2) for one in numbers)])
    heads = ["Variable", "Min", "Q1", "Median", "Mean", "Q3", "Max", "SD"]
    return Paper([Grid("Times in minutes.", heads, rows)], ["We measure times."])


def median_above_maximum(rng):
    paper = described(rng)
    row, column = any_cell(rng, paper, (3, 4))
    largest = float(paper.tables[0].rows[row][6])
    return paper, *paper.with_cell(row, column, shown(largest + rng.uniform(0.5, 4), 2))


def quartile_out_of_order(rng):
    paper = described(rng)
    row, column = any_cell(rng, paper, (2, 5))
    middle = float(paper.tables[0].rows[row][3])
    wrong = middle * rng.uniform(1.1, 1.4) if column == 2 else middle * rng.uniform(0.6, 0.9)
    return paper, *paper.with_cell(row, column, shown(wrong, 2))


def deviation_above_range(rng):
    paper = described(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    low, high = (float(paper.tables[0].rows[row][column]) for column in (1, 6))
    return paper, *paper.with_cell(row, 7, shown((high - low) * rng.uniform(0.6, 0.9), 2))


def asked(rng, errors=False):
    """Ratings from 1 to 7 of groups: n, mean and deviation of whole numbers."""
    n = rng.randint(14, 38)
    rows = []
    for name in rng.sample(SCALES, rng.randint(2, 5)):
        data = [min(7, max(1, round(rng.gauss(4, 1.5)))) for _ in range(n)]
        row = [name, str(n), shown(fmean(data), 2), shown(stdev(data), 2)]
        rows.append([*row, shown(stdev(data) / sqrt(n), 2)] if errors else row)
    heads = ["Scale", rng.choice(["n", "N"]), rng.choice(["M", "Mean"]), "SD", *["SE"] * errors]
    return Paper([Grid("Ratings on a scale from 1 to 7.", heads, rows)], [f"We asked {n} participants."])


def mean_of_no_ratings(rng):
    paper = asked(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    n = int(paper.tables[0].rows[row][1])
    possible = {shown(total / n, 2) for total in range(8 * n)}
    text = paper.tables[0].rows[row][2]
    wrong = rng.choice([one for last in range(100) if (one := f"{text[:2]}{last:02d}") not in possible])
    return paper, *paper.with_cell(row, 2, wrong)


def deviation_of_no_ratings(rng):
    paper = asked(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 3, shown(rng.uniform(3.3, 4.9), 2))


def mean_off_the_scale(rng):
    paper = asked(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 2, shown(rng.choice([rng.uniform(0.1, 0.9), rng.uniform(7.2, 9.4)]), 2))


def error_of_mean_wrong(rng):
    paper = asked(rng, errors=True)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 4, digit(rng, paper.tables[0].rows[row][4], 0.2))


def deviation_of_share_wrong(rng):
    """The deviation of answers yes or no follows from their share."""
    rows = []
    for name in rng.sample(TRAITS, rng.randint(2, 4)):
        n = rng.randint(60, 300)
        share = rng.randrange(n // 5, n - n // 5) / n
        rows.append([name, str(n), shown(share, 2), shown(sqrt(share * (1 - share) * n / (n - 1)), 2)])
    paper = Paper(
        [Grid(rng.choice(["Answers (0 = no, 1 = yes).", "Binary variables."]), ["Variable", "N", "Mean", "SD"], rows)],
        ["We asked."],
    )
    row = rng.randrange(len(rows))
    return paper, *paper.with_cell(row, 3, shown(float(rows[row][3]) * rng.choice([0.4, 0.6, 1.3]), 2))


def share_of_no_whole(rng):
    n = rng.choice([20, 25, 40, 50, 60])
    rows = [[name, shown(100 * rng.randrange(n // 3, n) / n)] for name in rng.sample(SYSTEMS, rng.randint(3, 6))]
    heads = ["Model", rng.choice(["Accuracy", "EM", "Success rate"])]
    paper = Paper([Grid(f"Results (n = {n}).", heads, rows)], ["We ask questions."])
    row = rng.randrange(len(rows))
    possible = {shown(100 * count / n) for count in range(n + 1)}
    text = rows[row][1]
    wrong = rng.choice([one for last in "123456789" if (one := f"{text[:-1]}{last}") not in possible])
    return paper, *paper.with_cell(row, 1, wrong)


def regressed(rng, stars=False):
    rows = []
    for name in rng.sample(SCALES, rng.randint(2, 5)):
        error = float(shown(rng.uniform(0.05, 0.4), 3))
        b = float(shown(error * rng.choice([-1, 1]) * rng.choice([rng.uniform(0.1, 1.7), rng.uniform(2.2, 5)]), 3))
        t = b / error
        p = 2 * stats.norm.sf(abs(t))
        low, high = b - 1.96 * error, b + 1.96 * error
        mark = "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""
        row = [name, shown(b, 3) + mark * stars, shown(error, 3)]
        rows.append(row if stars else [*row, shown(t, 2), f"[{shown(low, 3)}, {shown(high, 3)}]", p_text(p)])
    heads = ["Predictor", rng.choice(["b", "B", "Estimate", "Coef."]), rng.choice(["SE", "Std. Error"])]
    caption = "Regression (N = 412)." + " * p < .05, ** p < .01, *** p < .001." * stars
    return Paper([Grid(caption, heads if stars else [*heads, "t", "95% CI", "p"], rows)], ["We regress."])


def p_text(p):
    return "< .001" if p < 0.001 else bare(p)


def t_of_estimate_wrong(rng):
    paper = regressed(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    return paper, *paper.with_cell(row, 3, digit(rng, paper.tables[0].rows[row][3], 0.2))


def limits_reversed(rng):
    paper = regressed(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    low, high = paper.tables[0].rows[row][4].strip("[]").split(", ")
    changed_paper, _ = paper.with_cell(row, 4, f"[{high}, {low}]")
    return paper, changed_paper, high


def estimate_outside(rng):
    paper = regressed(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    low, high = map(float, paper.tables[0].rows[row][4].strip("[]").split(", "))
    return paper, *paper.with_cell(row, 1, shown(rng.choice([low - 0.05, high + 0.05]), 3))


def limit_wrong(rng):
    """A limit of a symmetric interval, so that its estimate is no longer in the middle."""
    paper = regressed(rng)
    row = rng.randrange(len(paper.tables[0].rows))
    ends = paper.tables[0].rows[row][4].strip("[]").split(", ")
    at = rng.randrange(2)
    shift = (float(ends[1]) - float(ends[0])) * rng.uniform(0.2, 0.6) * (2 * at - 1)
    ends[at] = shown(float(ends[at]) + shift, 3)
    changed_paper, _ = paper.with_cell(row, 4, f"[{', '.join(ends)}]")
    return paper, changed_paper, ends[at]


def stars_wrong(rng):
    while True:
        paper = regressed(rng, stars=True)
        for row in rng.sample(range(len(paper.tables[0].rows)), len(paper.tables[0].rows)):
            text = paper.tables[0].rows[row][1]
            if text.count("*") < 3 and abs(float(text.rstrip("*")) / float(paper.tables[0].rows[row][2])) < 2.4:
                wrong = text.rstrip("*") + "***"
                return paper, *paper.with_cell(row, 1, wrong)[:1], text.rstrip("*")


def tested(rng, kind):
    rows = []
    for name in rng.sample(SCALES, rng.randint(2, 5)):
        if kind == "t":
            t, df = float(shown(rng.uniform(0.3, 4), 2)), rng.randint(18, 120)
            rows.append([name, shown(t, 2), str(df), p_text(2 * stats.t.sf(t, df))])
        elif kind == "f":
            f, one, two = float(shown(rng.uniform(0.3, 9), 2)), rng.randint(1, 3), rng.randint(30, 120)
            rows.append([name, shown(f, 2), str(one), str(two), p_text(stats.f.sf(f, one, two))])
        elif kind == "chi2":
            x, df = float(shown(rng.uniform(0.3, 14), 2)), rng.randint(1, 4)
            rows.append([name, shown(x, 2), str(df), p_text(stats.chi2.sf(x, df))])
        else:
            n, r = rng.randint(20, 90), float(shown(rng.uniform(0.05, 0.5), 2))
            rows.append([name, str(n), shown(r, 2), p_text(2 * stats.t.sf(r * sqrt((n - 2) / (1 - r * r)), n - 2))])
    heads = {"t": ["t", "df", "p"], "f": ["F", "df1", "df2", "p"], "chi2": ["χ²", "df", "p"], "r": ["n", "r", "p"]}[
        kind
    ]
    return Paper([Grid("Tests of the scales.", ["Scale", *heads], rows)], ["We test."])


def p_in_column_wrong(kind):
    def make(rng):
        paper = tested(rng, kind)
        row = rng.randrange(len(paper.tables[0].rows))
        old = paper.tables[0].rows[row][-1]
        wrong = rng.choice([".200", ".410", ".320"] if old.startswith("<") or float(old) < 0.1 else [".004", ".021"])
        return paper, *paper.with_cell(row, len(paper.tables[0].heads) - 1, wrong)

    return make


def bold_wrong(rng):
    paper = best_in_bold(ranked(rng, rows=rng.randint(4, 7)))
    column = rng.randrange(1, len(paper.tables[0].heads) - 1)
    grid = paper.tables[0]
    second = sorted(range(len(grid.rows)), key=lambda row: float(grid.rows[row][column]))[-2]
    wrong_paper = copy.deepcopy(paper)
    wrong_paper.tables[0].bold -= {(row, column) for row in range(len(grid.rows))}
    wrong_paper.tables[0].bold.add((second, column))
    return paper, wrong_paper, grid.rows[second][column]


def larger_than_bold(rng):
    paper = best_in_bold(ranked(rng, rows=rng.randint(4, 7), average=False))
    grid = paper.tables[0]
    row, column = rng.choice(
        sorted({(r, c) for r in range(len(grid.rows)) for c in range(1, len(grid.heads))} - grid.bold)
    )
    largest = max(float(one[column]) for one in grid.rows)
    decimals = len(grid.rows[0][1].split(".")[1])
    return paper, *paper.with_cell(row, column, shown(largest + rng.uniform(0.5, 8), decimals))


def row_copied(rng):
    paper = ranked(rng, rows=rng.randint(3, 7), average=False)
    rows = paper.tables[0].rows
    source, row = rng.sample(range(len(rows)), 2)
    changed_paper = copy.deepcopy(paper)
    changed_paper.tables[0].rows[row][1:] = rows[source][1:]
    return paper, changed_paper, rows[source][1]


def twice(rng):
    """A table, and another one with some of its rows and a row of its own."""
    paper = ranked(rng, rows=rng.randint(4, 7))
    first = paper.tables[0]
    rows = [list(row) for row in rng.sample(first.rows, 3)]
    own = [float(shown(float(text) + rng.uniform(-2, 2))) for text in rows[0][1:-1]]
    decimals = len(rows[0][1].split(".")[1])
    own_row = ["Ours", *(shown(n, decimals) for n in own), shown(fmean(own), decimals)]
    paper.tables.append(Grid(first.caption, list(first.heads), [*rows, own_row]))
    return paper


def tables_differ(rng):
    paper = twice(rng)
    row, column = rng.randrange(3), rng.randrange(1, len(paper.tables[1].heads))
    return paper, *paper.with_cell(row, column, digit(rng, paper.tables[1].rows[row][column], 0.02), table=1)


def seeds_deviation_wrong(rng):
    rows = []
    for name in rng.sample(SYSTEMS, rng.randint(3, 5)):
        runs = [float(shown(rng.gauss(50, 1.5))) for _ in range(rng.choice([3, 5]))]
        runs = runs[:3]
        rows.append([name, *map(shown, runs), shown(fmean(runs)), shown(stdev(runs), 2)])
    paper = Paper([Grid("Three runs.", ["Model", "Seed 1", "Seed 2", "Seed 3", "Mean", "Std"], rows)], ["Runs."])
    row = rng.randrange(len(rows))
    return paper, *paper.with_cell(row, 5, digit(rng, rows[row][5], 0.3))


def median_is_mean(rng):
    while True:
        rows = []
        for name in rng.sample(SYSTEMS, rng.randint(3, 5)):
            numbers = [float(shown(rng.lognormvariate(3, 0.6))) for _ in range(5)]
            rows.append([name, *map(shown, numbers), shown(median(numbers)), shown(fmean(numbers))])
        wrong = [row for row in range(len(rows)) if abs(float(rows[row][6]) - float(rows[row][7])) > 1]
        if wrong:
            break
    heads = ["Model", *rng.sample(SETS, 5), "Median"]
    paper = Paper([Grid("Latency in ms.", heads, [row[:-1] for row in rows])], ["We measure."])
    row = rng.choice(wrong)
    return paper, *paper.with_cell(row, 6, rows[row][7])


def squared_error_below_absolute(rng):
    """The root of the mean squared error is at least the mean absolute error."""
    rows = []
    for name in rng.sample(SYSTEMS, rng.randint(2, 5)):
        errors = [abs(rng.gauss(0, 2)) for _ in range(30)]
        rows.append([name, shown(fmean(errors), 2), shown(sqrt(fmean(e * e for e in errors)), 2)])
    paper = Paper([Grid("Errors of prediction.", ["Model", "MAE", "RMSE"], rows)], ["We predict."])
    row = rng.randrange(len(rows))
    changed_paper, wrong = paper.with_cell(row, 1, rows[row][2])
    changed_paper.tables[0].rows[row][2] = rows[row][1]
    return paper, changed_paper, wrong


def statistic_in_prose(kind):
    def make(rng):
        if kind == "t":
            value, df = round(rng.uniform(0.4, 4), 2), rng.randint(18, 120)
            p, head = 2 * stats.t.sf(value, df), f"t({df}) = {value:.2f}"
        elif kind == "f":
            value, one, two = round(rng.uniform(0.4, 9), 2), rng.randint(1, 3), rng.randint(30, 120)
            p, head = stats.f.sf(value, one, two), f"F({one}, {two}) = {value:.2f}"
        elif kind == "chi2":
            value, df, n = round(rng.uniform(0.4, 14), 2), rng.randint(1, 4), rng.randint(60, 300)
            p, head = stats.chi2.sf(value, df), f"χ²({df}, N = {n}) = {value:.2f}"
        else:
            value, n = round(rng.uniform(0.05, 0.5), 2), rng.randint(20, 90)
            p = 2 * stats.t.sf(value * sqrt((n - 2) / (1 - value**2)), n - 2)
            head = f"r({n - 2}) = {bare(value, 2)}"
        right = f"p {p_text(p)}" if p < 0.001 else f"p = {p_text(p)}"
        wrong = "p = .412" if p < 0.1 else "p = .013"
        trait = rng.choice(SCALES).lower()
        paper = Paper(
            [], ["We test two groups.", f"The groups {rng.choice(['differ', 'vary'])} in {trait}, {head}, {right}."]
        )
        changed_paper, _ = paper.with_words(right, wrong)
        return paper, changed_paper, wrong.split()[-1]

    return make


def value_in_prose(rng, place=1, where="results"):
    paper = ranked(rng, average=False)
    grid = paper.tables[0]
    measure = re.search(r"\w+@\d+", grid.caption)[0]
    row, column = rng.randrange(len(grid.rows)), rng.randrange(1, len(grid.heads))
    name, number, on = grid.rows[row][0], grid.rows[row][column], grid.heads[column]
    sentence = rng.choice(
        [
            f"{name} reaches {number} on {on} in {measure}.",
            f"On {on}, the {measure} of {name} is {number}.",
            f"With {name}, we obtain a {measure} of {number} on {on}.",
        ]
    )
    if place:
        paper.sentences.append(sentence if where == "results" else "")
    else:
        paper.sentences[0] += " " + sentence
    wrong = digit(rng, number, 0.02)
    return paper, *paper.with_words(sentence, sentence.replace(number, wrong), wrong)


def value_in_abstract(rng):
    return value_in_prose(rng, place=0)


def average_in_abstract(rng):
    paper = ranked(rng)
    grid = paper.tables[0]
    measure = re.search(r"\w+@\d+", grid.caption)[0]
    row = rng.randrange(len(grid.rows))
    name, number = grid.rows[row][0], grid.rows[row][-1]
    sentence = rng.choice(
        [f"{name} reaches an average {measure} of {number}.", f"On average, {name} has a {measure} of {number}."]
    )
    paper.sentences[0] += " " + sentence
    wrong = digit(rng, number, 0.02)
    return paper, *paper.with_words(sentence, sentence.replace(number, wrong), wrong)


def points_in_prose(rng):
    while True:
        paper = ranked(rng, average=False)
        grid = paper.tables[0]
        measure = re.search(r"\w+@\d+", grid.caption)[0]
        column = rng.randrange(1, len(grid.heads))
        worse, better = sorted(rng.sample(range(len(grid.rows)), 2), key=lambda row: float(grid.rows[row][column]))
        gap = float(grid.rows[better][column]) - float(grid.rows[worse][column])
        if gap > 1.5:
            break
    number = shown(gap)
    names = grid.rows[better][0], grid.rows[worse][0], grid.heads[column]
    sentence = rng.choice(
        [
            f"{names[0]} outperforms {names[1]} by {number} points of {measure} on {names[2]}.",
            f"On {names[2]}, {names[0]} improves over {names[1]} by {number} points in {measure}.",
        ]
    )
    paper.sentences.append(sentence)
    wrong = digit(rng, number, 0.1)
    return paper, *paper.with_words(sentence, sentence.replace(f" {number} ", f" {wrong} "), wrong)


def relative_gain_in_prose(rng):
    while True:
        paper = ranked(rng, average=False)
        grid = paper.tables[0]
        column = rng.randrange(1, len(grid.heads))
        worse, better = sorted(rng.sample(range(len(grid.rows)), 2), key=lambda row: float(grid.rows[row][column]))
        gain = 100 * (float(grid.rows[better][column]) / float(grid.rows[worse][column]) - 1)
        if gain > 4:
            break
    number = f"{shown(gain)}%"
    sentence = f"{grid.rows[better][0]} improves over {grid.rows[worse][0]} by {number} on {grid.heads[column]}."
    paper.sentences.append(sentence)
    wrong = digit(rng, number, 0.15)
    return paper, *paper.with_words(number, wrong)


def count_of_wins_wrong(rng):
    paper = ranked(rng, rows=rng.randint(3, 5), average=False)
    grid = paper.tables[0]
    row = rng.choice([len(grid.rows) - 1, len(grid.rows) - 2])
    wins = sum(float(grid.rows[row][c]) == max(float(one[c]) for one in grid.rows) for c in range(1, len(grid.heads)))
    sets = len(grid.heads) - 1
    sentence = f"{grid.rows[row][0]} is the best on {wins} of {sets} collections in Table 1."
    paper.sentences.append(sentence)
    wrong = rng.choice([n for n in range(sets + 1) if n != wins])
    changed_paper, _ = paper.with_words(f"on {wins} of", f"on {wrong} of")
    return paper, changed_paper, f"{wrong} of {sets}"


def superlative_wrong(rng):
    paper = ranked(rng, average=False)
    grid = paper.tables[0]
    measure = re.search(r"\w+@\d+", grid.caption)[0]
    column = rng.randrange(1, len(grid.heads))
    order = sorted(range(len(grid.rows)), key=lambda row: float(grid.rows[row][column]))
    right, wrong = (grid.rows[row][0] for row in (order[-1], rng.choice(order[:-1])))
    sentence = rng.choice(
        [
            f"{right} has the highest {measure} on {grid.heads[column]}.",
            f"On {grid.heads[column]}, {right} achieves the best {measure}.",
        ]
    )
    paper.sentences.append(sentence)
    return paper, *paper.with_words(sentence, sentence.replace(right, wrong), wrong)


def all_outperformed_wrong(rng):
    paper = ranked(rng, rows=rng.randint(3, 5), average=False)
    grid = paper.tables[0]
    measure = re.search(r"\w+@\d+", grid.caption)[0]
    last = grid.rows[-1]
    for column in range(1, len(grid.heads)):
        best = max(float(row[column]) for row in grid.rows)
        last[column] = shown(best + 1, len(last[column].split(".")[1]))
    sentence = f"{last[0]} has the highest {measure} on all collections."
    paper.sentences.append(sentence)
    row, column = rng.randrange(len(grid.rows) - 1), rng.randrange(1, len(grid.heads))
    wrong = shown(float(last[column]) + rng.uniform(0.5, 4), len(last[column].split(".")[1]))
    return paper, *paper.with_cell(row, column, wrong)


def size_in_prose_wrong(rng):
    """The sentences say how many questions there are; the table of counts has another total."""
    paper = counted(rng)
    grid = paper.tables[0]
    row = rng.randrange(len(grid.rows))
    column = rng.choice([1, 2, 3, 4])
    part = {1: "training", 2: "development", 3: "test", 4: ""}[column]
    number, name = grid.rows[row][column], grid.rows[row][0]
    sentence = rng.choice(
        [
            f"{name} has {number} {part} questions.".replace("  ", " "),
            f"The {part} set of {name} consists of {number} questions."
            if part
            else f"{name} consists of {number} questions.",
        ]
    )
    paper.sentences.append(sentence)
    wrong = digit(rng, number)
    return paper, *paper.with_words(number, wrong)


def sample_in_abstract_wrong(rng):
    """The abstract has another number of participants than the groups of a table have together."""
    sizes = [rng.randint(24, 90) for _ in range(rng.randint(2, 4))]
    rows = [
        [f"Group {'ABCD'[at]}", str(n), shown(rng.uniform(20, 60)), shown(rng.uniform(4, 9))]
        for at, n in enumerate(sizes)
    ]
    total = sum(sizes)
    sentence = rng.choice(
        [
            f"We studied {total} participants.",
            f"A total of {total} patients took part.",
            f"Participants (N = {total}) were recruited.",
        ]
    )
    paper = Paper([Grid("Age of the participants by group.", ["Group", "n", "Mean age", "SD"], rows)], [sentence])
    wrong = str(total + rng.choice([-20, -9, -1, 1, 2, 10, 18]))
    return paper, *paper.with_words(str(total), wrong)


def parts_in_prose_wrong(rng):
    train, dev, test = rng.randrange(2000, 9000), rng.randrange(200, 900), rng.randrange(200, 900)
    total = train + dev + test
    sentence = rng.choice(
        [
            f"The set has {total:,} questions: {train:,} for training, {dev:,} for development, {test:,} for testing.",
            f"We split {total:,} examples into {train:,} for training, {dev:,} for validation, {test:,} for test.",
        ]
    )
    paper = Paper([], ["We build a data set.", sentence])
    number = rng.choice([f"{n:,}" for n in (train, dev, test, total)])
    wrong = digit(rng, number)
    return paper, *paper.with_words(number, wrong)


def share_in_prose_wrong(rng):
    n = rng.randint(40, 400)
    part = rng.randrange(n // 10, n)
    share = shown(100 * part / n)
    sentence = rng.choice(
        [
            f"Of {n} participants, {part} ({share}%) finished the study.",
            f"In total, {part} of {n} ({share}%) answers were correct.",
            f"The annotators agreed on {part} out of {n} items ({share}%).",
        ]
    )
    paper = Paper([], ["We ran a study.", sentence])
    wrong = digit(rng, share, 0.03)
    return paper, *paper.with_words(f"{share}%", f"{wrong}%", wrong)


def any_digit(make):
    def made(rng):
        paper = make(rng)
        row, column = any_cell(rng, paper)
        old = paper.tables[0].rows[row][column]
        changed_paper, text = paper.with_cell(row, column, digit(rng, old))
        numbers = [re.findall(r"\d[\d,]*\.?\d*|\.\d+", one) for one in (old, text)]
        return paper, changed_paper, next(b for a, b in zip(*numbers, strict=True) if a != b)

    return made


KINDS = {
    "an average": average_wrong,
    "an average whose digits are swapped, few rows": average_swapped,
    "a part of an average": part_of_average_wrong,
    "an average, in the last row": average_transposed,
    "the decimal point": point_shifted,
    "a total": total_wrong,
    "a part of a total": part_of_total_wrong,
    "a total, in the last row": total_row_wrong,
    "a difference or its parts": difference_wrong,
    "a relative change or its parts": relative_change_wrong,
    "the sign of a change": sign_lost,
    "F1": f1_wrong,
    "P or R beside F1": precision_wrong,
    "the share of a count": share_of_count_wrong,
    "the count of a share": count_of_share_wrong,
    "parts of 100 %": parts_of_100_wrong,
    "a rate of a confusion matrix": rate_wrong,
    "a count of a confusion matrix": confusion_count_wrong,
    "accuracy beside its counts": accuracy_of_counts_wrong,
    "recall that falls with the depth": depths_out_of_order,
    "top-5 below top-1": top_five_below_top_one,
    "a share above 100": share_above_100,
    "a correlation above 1": correlation_above_1,
    "a median or mean above the maximum": median_above_maximum,
    "quartiles out of order": quartile_out_of_order,
    "a deviation above the range": deviation_above_range,
    "a mean that no ratings have": mean_of_no_ratings,
    "a deviation that no ratings have": deviation_of_no_ratings,
    "a mean off its scale": mean_off_the_scale,
    "a standard error": error_of_mean_wrong,
    "the deviation of a share": deviation_of_share_wrong,
    "a share of no whole number": share_of_no_whole,
    "t beside its estimate and error": t_of_estimate_wrong,
    "limits reversed": limits_reversed,
    "an estimate outside its interval": estimate_outside,
    "a limit too far from the estimate": limit_wrong,
    "stars": stars_wrong,
    **{
        f"p of {name} in a column": p_in_column_wrong(kind)
        for kind, name in zip(("t", "f", "chi2", "r"), ("t", "F", "χ²", "r"), strict=True)
    },
    "bold": bold_wrong,
    "a number above the bold one": larger_than_bold,
    "a row copied": row_copied,
    "two tables": tables_differ,
    "the deviation of runs": seeds_deviation_wrong,
    "a median that is the mean": median_is_mean,
    "RMSE below MAE": squared_error_below_absolute,
    **{
        f"p of {name} in a sentence": statistic_in_prose(kind)
        for kind, name in zip(("t", "f", "chi2", "r"), ("t", "F", "χ²", "r"), strict=True)
    },
    "a number in a sentence": value_in_prose,
    "a number in the abstract": value_in_abstract,
    "an average in the abstract": average_in_abstract,
    "points in a sentence": points_in_prose,
    "a relative gain in a sentence": relative_gain_in_prose,
    "a count of wins": count_of_wins_wrong,
    "a superlative": superlative_wrong,
    "a claim about all sets": all_outperformed_wrong,
    "a size of data in a sentence": size_in_prose_wrong,
    "a sample in the abstract": sample_in_abstract_wrong,
    "parts of data in a sentence": parts_in_prose_wrong,
    "a share in a sentence": share_in_prose_wrong,
    "any digit: averages": any_digit(ranked),
    "any digit: counts": any_digit(counted),
    "any digit: changes": any_digit(lambda rng: changed(rng, rng.random() < 0.5)),
    "any digit: F1": any_digit(extracted),
    "any digit: no average": any_digit(lambda rng: ranked(rng, average=False)),
}


def reviewed(text, suffix, folder):
    """What a review says against numbers: (what, the numbers and the words that it names)."""
    path = folder / f"paper{suffix}"
    path.write_text(text, encoding="utf-8")
    with contextlib.redirect_stderr(io.StringIO()):
        if robustdr(["review", str(path), "-o", str(folder / "out")]):
            return {}  # no number in it
    review = json.loads((folder / "out/review.json").read_text(encoding="utf-8"))
    said = {}
    for finding in review["findings"]:
        said[finding["kind"], json.dumps(finding, sort_keys=True)] = json.dumps(finding, ensure_ascii=False)
    for tie in review["prose"]:
        if tie["verdict"] in ("differs", "look"):
            said[tie["verdict"], tie["sentence"], tie["number"]] = " ".join(
                tie[name] for name in ("number", "sentence", "cells", "given")
            )
    return said


def case(name, number, folder):
    """(found, what is said of the paper without the error)."""
    rng = random.Random(f"{name} {number}")
    right, wrong, printed = KINDS[name](rng)
    suffix = rng.choice(sorted(FORMS))
    before = reviewed(FORMS[suffix](right), suffix, folder)
    after = reviewed(FORMS[suffix](wrong), suffix, folder)
    bare_number = printed.strip("()%*+-− ").removesuffix("%)")
    named = re.compile(rf"(?<![\d.]){re.escape(bare_number)}(?![\d.]*\d)")
    new = [words for key, words in after.items() if key not in before]
    return any(named.search(words) for words in new), [*before.values()], (suffix, printed, new)


def measure(cases, first, verbose, wanted):
    sums, false, papers = [0, 0], [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in KINDS:
            if wanted and not re.search(wanted, name):
                continue
            found = 0
            for number in range(first, first + cases):
                hit, said, about = case(name, number, Path(scratch))
                found, papers = found + hit, papers + 1
                false += said
                if verbose and (not hit or said):
                    print(f"    {number}: {'found' if hit else 'missed'} {about}"[:400], *said, sep="\n        ")
            print(f"{name:48} {found} of {cases}", flush=True)
            sums = [sums[0] + found, sums[1] + cases]
    print(
        f"{len(KINDS)} kinds: {sums[0]} of {sums[1]} ({sums[0] / sums[1]:.0%}); {len(false)} false in {papers} papers"
    )
    return sums[0] / sums[1], false


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=6, help="of each kind")
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first case")
    parser.add_argument("--kind", default="", help="only kinds whose name matches")
    parser.add_argument("--verbose", action="store_true", help="print what is missed, and what is said falsely")
    given = parser.parse_args()
    measure(given.cases, given.first, given.verbose, given.kind)
