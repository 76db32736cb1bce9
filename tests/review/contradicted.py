"""Which wrong digits contradict anything that is printed: by simple rules, none of which is the audit's code.

A statement is what a reader can check with a pocket calculator: an average or a total by its label, a change, F1, a
share below 100, recall that rises, an interval, bold for the best, a number that is printed twice. A wrong digit
contradicts if a statement that holds of the table as it is holds no more. Numbers may be rounded or cut off.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from statistics import fmean, median
from typing import NamedTuple

WHOLE = re.compile(r"\b(?:avg|average|mean|overall|macro|median|total|sum|all)\b\.?|_mean\b", re.I)
CHANGE = re.compile(r"Δ|∆|diff|gain|improv|drop|change|delta|loss|lift|reduc|increas|decreas|gap", re.I)
SHARE = re.compile(r"(?:nDCG|R|AP|P|Success|MRR|MAP|Recall|Precision|Acc(?:uracy)?|F1|EM|AUC)(?:@\d+)?", re.I)
DEPTH = re.compile(r"(?:R|Recall|Success|Hits?|pass|MRR|RR)@(\d+)", re.I)
LINES, SHARE_OF_LINES = 3, 0.8  # in which a change must hold
DIGITS = 3  # of a number that is printed twice
Values = dict[tuple[int, int], float]


class Statement(NamedTuple):
    """A statement about the numbers at places of a table."""

    kind: str
    places: frozenset[tuple[int, int]]
    holds: Callable[[Values], bool]


def unit(cell):
    return 10.0**-cell.decimals


def labels(cell):
    return [text for name, text in cell.coordinates.items() if name != "value"]


def equals(target, parts, formula, scales=(1.0,)):
    """A statement: a cell is a formula of others, as exactly as they are printed."""
    at = [(part.line, part.column) for part in parts]
    place, step = (target.line, target.column), max(unit(part) for part in parts)

    def holds(values):
        try:
            given, moved = (formula([values[one] + shift for one in at]) for shift in (0.0, step))
            spread = [formula([values[one] + step * (one is other) for one in at]) - given for other in at]
        except ZeroDivisionError:
            return False
        slack = max(abs(moved - given), sum(map(abs, spread)) / 2)
        return any(abs(values[place] - s * given) <= unit(target) + abs(s) * slack + 1e-9 for s in scales)

    return holds, frozenset([place, *at])


def statements(table):
    """All statements that hold of a table as it is printed."""
    cells = [cell for cell in table.cells if not cell.hedge]
    values = {(cell.line, cell.column): float(cell.number) for cell in cells}
    found = [*_single(cells), *_of_lines(table, cells, values), *_bold(cells)]
    return [one for one in found if one.holds(values)], values


def _single(cells):
    for cell in cells:
        place = cell.line, cell.column
        if any(SHARE.fullmatch(re.sub(r"[↑↓%\s]", "", text)) for text in labels(cell)):
            yield Statement("range", frozenset([place]), lambda values, at=place: 0 <= values[at] <= 100)
    by_line = defaultdict(list)
    for cell in cells:
        by_line[cell.line].append(cell)
    for line in by_line.values():
        for a, b in combinations(line, 2):
            depths = [m for c in (a, b) for t in labels(c) if (m := DEPTH.fullmatch(t))]
            names = [t.split("@")[0] for c in (a, b) for t in labels(c) if DEPTH.fullmatch(t)]
            rest = [[t for t in labels(c) if not DEPTH.fullmatch(t)] for c in (a, b)]
            if len(depths) == 2 and names[0] == names[1] and rest[0] == rest[1]:
                small, large = (a, b) if int(depths[0][1]) < int(depths[1][1]) else (b, a)
                at = (small.line, small.column), (large.line, large.column)
                yield Statement("depth", frozenset(at), lambda values, at=at: values[at[0]] <= values[at[1]])


def _of_lines(table, cells, values):
    """Averages, totals, changes and F1 along rows and along columns."""
    for key, other in (("line", "column"), ("column", "line")):
        lines = defaultdict(dict)
        for cell in cells:
            lines[getattr(cell, key)][getattr(cell, other)] = cell
        names = defaultdict(str)
        for field, place in enumerate(table.columns) if key == "line" else table.rows:
            names[field] = " ".join(str(text) for text in place.values())
        for line in lines.values():
            yield from _aggregates(line, names)
            yield from _harmonic(line, names)
        fields = sorted({field for line in lines.values() for field in line})
        changing = [field for field in fields if CHANGE.search(names[field])]
        for target in changing:
            near = [field for field in fields if field != target][:12]
            for a, b in [(a, b) for a in near for b in near if a != b]:
                for formula, scales in (
                    (lambda v: v[0] - v[1], (1.0, 100.0)),
                    (lambda v: v[0] / v[1] - 1, (100.0, -100.0)),
                ):
                    made = [
                        Statement("change", at, holds)
                        for line in lines.values()
                        if {target, a, b} <= line.keys()
                        for holds, at in [equals(line[target], [line[a], line[b]], formula, scales)]
                    ]
                    if len(made) >= LINES and sum(s.holds(values) for s in made) >= SHARE_OF_LINES * len(made):
                        yield from made


def _aggregates(line, names):
    wholes = [field for field in line if WHOLE.search(names[field])]
    for target in wholes:
        before = max((f for f in wholes if f < target), default=-1)
        after = min((f for f in wholes if f > target), default=10**9)
        plain = [f for f in line if f not in wholes and line[f].unit == line[target].unit]
        spans = plain, [f for f in plain if before < f < target], [f for f in plain if target < f < after]
        for span in {tuple(span) for span in spans if len(span) > 1}:
            for formula in (fmean, median, sum):
                holds, at = equals(line[target], [line[f] for f in span], formula)
                yield Statement(formula.__name__, at, holds)


def _harmonic(line, names):
    roles = defaultdict(list)
    for field in line:
        for role, words in (("p", r"P(rec(ision)?)?\.?"), ("r", r"R(ec(all)?)?\.?"), ("f", r"F-?1|F-?score")):
            roles[role] += [field] * bool(re.search(rf"(?:^|\s){words}$", names[field].split("(")[0].strip(), re.I))
    if all(len(roles[role]) == 1 for role in "prf"):
        parts = [line[roles[role][0]] for role in "pr"]
        holds, at = equals(line[roles["f"][0]], parts, lambda v: 2 * v[0] * v[1] / (v[0] + v[1]))
        yield Statement("f1", at, holds)


def _bold(cells):
    """Bold is the largest (or smallest) of each column, or of each row, that has a bold number."""
    for key in ("column", "line"):
        lines = defaultdict(list)
        for cell in cells:
            if cell.coordinates["value"] == "value":
                lines[getattr(cell, key)].append(cell)
        marked = [line for line in lines.values() if sum("^" in c.mark for c in line) == 1 and len(line) > 2]
        ends = [
            end
            for line in marked
            for end in (max, min)
            if {c.number for c in line if "^" in c.mark} == {end(c.number for c in line)}
        ]
        if len(marked) >= LINES and len(ends) >= SHARE_OF_LINES * len(marked):
            for line in marked:
                at = [(cell.line, cell.column) for cell in line]
                best = next((cell.line, cell.column) for cell in line if "^" in cell.mark)
                for end in (max, min):
                    yield Statement(
                        "bold",
                        frozenset(at),
                        lambda values, at=at, best=best, end=end: values[best] == end(values[one] for one in at),
                    )


def restated(reported, text=""):
    """(places by table that are printed twice): in another table at the same labels, or in a sentence with a label."""
    by_labels, found = defaultdict(list), set()
    for cell in reported.cells:
        if sum(map(str.isdigit, cell.printed)) >= DIGITS:
            by_labels[frozenset(text.casefold() for text in cell.coordinates.values()), cell.printed].append(cell)
    for cells in by_labels.values():
        if len({cell.table for cell in cells}) > 1:
            found |= {(cell.table, cell.line, cell.column) for cell in cells}
    by_number = defaultdict(list)
    for sentence in (one for one in re.split(r"(?<=[.!?])\s+", text) if "|" not in one):
        for number in set(re.findall(r"(?<![\d.])\d+\.\d+(?![\d.]*\d)", sentence)):
            by_number[number].append(sentence.casefold())
    for cell in reported.cells:
        number = cell.printed.strip("%+-")
        if sum(map(str.isdigit, number)) >= DIGITS:
            row = [label.casefold() for label in labels(cell) if len(label) > 2]
            if any(sum(label in sentence for label in row) >= 2 for sentence in by_number.get(number, ())):
                found.add((cell.table, cell.line, cell.column))
    return found


def contradicts(statements_, values, place, number):
    """The kinds of statements that a number at a place breaks."""
    changed = {**values, place: number}
    return sorted({one.kind for one in statements_ if place in one.places and not one.holds(changed)})
