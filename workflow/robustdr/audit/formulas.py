"""The formulas by which a field of a table may follow from others, in the order in which they are tried."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from operator import attrgetter

import numpy as np

from robustdr.audit.cells import Cell
from robustdr.audit.heads import role
from robustdr.audit.reported import Table, literal
from robustdr.audit.sizes import sizes
from robustdr.claims.intervals import Interval

WINDOW = 5  # fields beside a field from which it may be computed in pairs, beside the first two of the table
MANY = 14  # fields up to which all pairs are tried
SAMPLE = 8  # lines at which a formula is tried before it is computed at all of them
NAMES = {
    "mean_of": re.compile(r"\b(avg|average|mean|overall|macro)|_mean\b", re.I),
    "median_of": re.compile(r"\bmedian", re.I),
    "sum_is": re.compile(r"\b(total|sum|all|overall)\b", re.I),
    "std_of": re.compile(r"\b(std|stdev|sd|deviation|σ)\b", re.I),
    "harmonic_mean_of": re.compile(r"\bF[-\s_]?1|F[-\s]?(score|measure)|\bHM\b|harmonic", re.I),
    "points_from": re.compile(
        r"Δ|∆|diff(?!us)|gain|improv|drop|change|delta|loss|lift|reduc|increas|decreas|impr|gap", re.I
    ),
    "counts_match": re.compile(r"%|percent|share|rate|ratio|proportion|fraction", re.I),
}
TESTED = ("p", "se", "t", "f", "chi2", "z", "q", "df", "df1", "df2", "low", "high")  # roles of which no change is made
EXTREMES = ("min", "q1", "q3", "max")  # roles of which no average is made
NAMES["drop_from"] = NAMES["points_from"]


@dataclass(frozen=True)
class Formula:
    """How a field follows from others of its line, or of another line.

    Attributes:
        parts: by role, the fields. base: the line of the operands `main`, if that is another one. factor: what the
            computed value is multiplied by. whole: an exact total that the paper prints elsewhere.
    """

    kind: str
    target: int
    parts: tuple[tuple[str, tuple[int, ...]], ...]
    base: int = -1
    factor: float = 1.0
    whole: Cell | None = None

    def line_of(self, role: str, line: int) -> int:
        """Return the line of the operands of a role, for a target at a line."""
        return self.base if self.base >= 0 and role == "main" else line

    @property
    def fields(self) -> frozenset[tuple[int, int]]:
        return frozenset(
            (field, self.base if role == "main" else -1) for role, fields in self.parts for field in fields
        )


class Formulas:
    """The numbers of a table along its rows, or along its columns if transposed, and the formulas to try on them.

    Attributes:
        lines: the cells, None where there is none. titles: of the lines. names: of the fields.
        low, high: the ends of their intervals, [lines + 1, fields]; NaN where there is none, and in the last line.
        plain: as `low`, without deviations, drops and the like. range: by field, of its numbers (see `_range`).
        first_lines: those that have a number in a field, [`SAMPLE`, fields]; -1 where there are fewer.
    """

    def __init__(self, table: Table, transposed: bool) -> None:
        cell_at = {(cell.line, cell.column): cell for cell in table.cells}
        width = len(table.columns)
        rows = [[cell_at.get((line, column)) for column in range(width)] for line, _ in table.rows]
        names = [" ".join(str(label) for label in place.values()) for place in table.columns]
        lines = [
            " ".join(str(place.get(name, "")) for name in place if name in table.varying) for _, place in table.rows
        ]
        self.table = table
        self.lines = [list(column) for column in zip(*rows, strict=True)] if transposed else rows
        self.names, self.titles = (lines, names) if transposed else (names, lines)
        width = len(self.names)
        cells_and_none = [*self.lines, [None] * width]
        self.low, self.high = (
            np.array([[nan if cell is None else end(cell.interval) for cell in line] for line in cells_and_none])
            for end in (attrgetter("low"), attrgetter("high"))
        )
        is_plain = [
            [cell is not None and cell.coordinates["value"] == "value" for cell in line] for line in cells_and_none
        ]
        self.plain = np.where(is_plain, self.low, nan)
        numbers = [[n for n, line in enumerate(self.lines) if line[f] is not None] for f in range(width)]
        self.first_lines = np.array(
            [[*line_numbers[:SAMPLE], *[-1] * (SAMPLE - len(line_numbers))] for line_numbers in numbers]
        ).T
        self.range = []
        for field in range(width):
            ends = [i for i in (cell.interval for cell in self.cells(field)) if isfinite(i.low) and isfinite(i.high)]
            self.range.append(_range(sorted(ends)))
        places = [place for _, place in table.rows] if transposed else table.columns
        roles = [{role(str(label)) for label in place.values()} for place in places]
        self.is_tested = [bool(place_roles & {*TESTED}) for place_roles in roles]
        self.is_extreme = [bool(place_roles & {*EXTREMES}) for place_roles in roles]
        self.sizes = [size.number for size in sizes(table.caption, *names, *lines)]

    def blocks(self, target: int) -> Iterator[Formula]:
        """Means, sums and the like of neighbouring fields that begin or end beside the target, or at the first ones."""
        width = len(self.names)
        spans = {(start, end) for end in (target, target - 1) for start in range(max(0, end - 60), end - 1)}
        spans |= {
            (start, end) for start in (target + 1, target + 2) for end in range(start + 2, min(width, start + 60) + 1)
        }
        spans |= {(start, width) for start in (0, 1)} | {(start, target) for start in (0, 1)}
        parts = {
            tuple(f for f in range(*span) if f != target and not self.is_extreme[f] and not self.is_tested[f])
            for span in spans
            if span[0] < span[1]
        }
        for word in set(self.names[target].split()):  # such as its measure
            related = tuple(f for f, name in enumerate(self.names) if f != target and word in name.split())
            without_averages = tuple(f for f in related if not NAMES["mean_of"].search(self.names[f]))
            parts |= {group for group in (related, without_averages) if len(group) < 60}
        for operands in sorted(parts, key=lambda group: (len(group), group)):
            if len(operands) > 1:
                yield Formula("mean_of", target, (("main", operands),))
                yield Formula("sum_is", target, (("main", operands),))
                for kind in ("std_of", "median_of"):
                    if NAMES[kind].search(self.names[target]):
                        yield Formula(kind, target, (("main", operands),))

    def pairs(self, target: int) -> Iterator[Formula]:
        """Differences, changes, shares and F1 of two fields."""
        width = len(self.names)
        nearby = [f for f in range(width) if f != target and (width <= MANY or abs(f - target) <= WINDOW or f < 2)]
        nearby = [f for f in nearby if not self.is_tested[f] and not self.is_tested[target]]
        counts = self._is_count(target)
        for a in nearby:
            for b in nearby:
                if a == b:
                    continue
                yield Formula("points_from", target, (("of", (a,)), ("main", (b,))))
                yield Formula("drop_from", target, (("of", (a,)), ("main", (b,))))
                if not counts or not self._is_count(b):
                    yield Formula("counts_match", target, (("main", (a,)), ("out_of", (b,))))
                if a < b and not counts:
                    yield Formula("harmonic_mean_of", target, (("main", (a, b)),))
            if not self._is_count(a):
                continue
            if not counts:  # it may be a share of a total that the paper prints, or of its own sum
                values = [int(cell.number) for cell in self.cells(a)]
                wholes = {sum(values), *([max(values)] if len(values) > 2 else []), *self.sizes}
                for whole in sorted(wholes):
                    if whole > 1:
                        yield Formula("counts_match", target, (("main", (a,)),), whole=self._exact(whole))
            elif a > target:  # the two may add up to one total
                cells = [(line[target], line[a]) for line in self.lines]
                sums = [int(first.number + second.number) for first, second in cells if first and second]
                usual = max(set(sums), key=lambda total: (sums.count(total), total), default=0)
                if usual > 1 and sums.count(usual) > 2 and len(set(sums)) < len(sums):
                    yield Formula("sum_is", target, (("plus", (a,)),), whole=self._exact(usual))

    def baselines(self, target: int) -> Iterator[Formula]:
        """Changes of a field beside the target from one line to all others."""
        nearby = [f for f in range(max(0, target - 3), min(len(self.names), target + 2)) if f != target]
        nearby = [f for f in nearby if not self.is_tested[f] and not self.is_tested[target]]
        for field in nearby:
            for base, line in enumerate(self.lines[:60]):
                if line[field] is not None:
                    for kind in ("drop_from", "points_from"):
                        yield Formula(kind, target, (("of", (field,)), ("main", (field,))), base)

    def cells(self, field: int) -> list[Cell]:
        """The numbers of a field."""
        return [cell for line in self.lines if (cell := line[field])]

    def _is_count(self, field: int) -> bool:
        cells = self.cells(field)
        return bool(cells) and all(cell.decimals == 0 and cell.unit not in ("percent",) for cell in cells)

    def _exact(self, number: int) -> Cell:
        return literal("", self.table.cells[0].paper, 0, str(number))


def _range(ends: Sequence[Interval]) -> float:
    """From the least to the greatest of sorted numbers; at most twice that without the first, or without the last."""
    if len(ends) < 3:
        return max((end.high for end in ends), default=0.0) - min((end.low for end in ends), default=0.0)
    first, last = ends[-1].high - ends[1].low, ends[-2].high - ends[0].low
    return min(ends[-1].high - ends[0].low, 2 * min(first, last))
