"""What the cells that a sentence names say: numbers as printed, shares of a column of counts, changes between two."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from robustdr.audit import rounding
from robustdr.audit.cells import Cell
from robustdr.audit.relations import label
from robustdr.claims.intervals import SLACK, Interval
from robustdr_review.sentences import POINTS, SHARE, SIZE, VALUE, Figure

PLAIN = ("value", "median")  # values that are no change themselves
CHANGES = ("drop", "points", "average_drop", "worst_drop")
CHANGED = 2  # digits of numbers whose change says something


class Fact(NamedTuple):
    """What cells say: a number as printed, its share of a whole, or a change between two.

    Attributes:
        values: by kind of a figure, what it may be.
        differing: the coordinate in which two cells differ; '' for one cell.
        whole: the sum of a column of counts, of which a cell is a share; 0 for the cell itself.
    """

    cells: tuple[Cell, ...]
    values: Mapping[str, tuple[Interval, ...]]
    differing: str = ""
    whole: int = 0

    @property
    def is_change(self) -> bool:
        return bool(self.differing) or self.cells[0].coordinates["value"] not in PLAIN

    def fits(self, figure: Figure) -> bool:
        """Whether the figure may be one of the values. No rounding prints it for its upper end: 2.64 is not 2.65."""
        low, high = figure.interval
        slack = SLACK * max(1.0, abs(low))
        return any(
            (low < value.high - slack or value.low == value.high >= low - slack)
            and (value.low < high - slack or value.low == low)
            for value in self.values.get(figure.kind, ())
        )

    def is_meant(self, figure: Figure, changes: bool) -> bool:
        """Whether a sentence with this figure, and words of change or none, may mean this."""
        if not self.values.get(figure.kind) or not (self.is_change or self._has_sign_of(figure, changes)):
            return False
        if figure.kind == POINTS:
            return self.is_change
        if figure.kind == SHARE and changes:
            return self.is_change or self.cells[0].unit == "percent"
        return changes or not self.is_change

    def _has_sign_of(self, figure: Figure, changes: bool) -> bool:
        """Whether a value has the sign that a figure prints: `+0.2` is a gain; words of change print no sign."""
        first = self.cells[0]
        if figure.sign == "+":
            return first.printed.startswith("+")
        return (first.number < 0) == (figure.sign == "-") or (changes and not figure.sign)

    def words(self) -> tuple[str, str]:
        """The cells, and what they give."""
        first = self.cells[0]
        if not self.differing:
            return str(first), f"{first.printed} of {self.whole:,}" if self.whole else first.printed
        second, (points, *shares) = self.cells[1], self.values[SHARE]
        changes = [
            f"{(points.low + points.high) / 2:.3g} points",
            *(f"{(share.low + share.high) / 2:.3g}%" for share in shares),
        ]
        return f"{first} ({first.printed}) and {label(second, [first])} ({second.printed})", " or ".join(changes)


def totals(cells: Iterable[Cell]) -> Counter[tuple[str, int]]:
    """The sums of the columns of counts, by table and column."""
    sums: Counter[tuple[str, int]] = Counter()
    for cell in cells:
        if cell.unit == "count":
            sums[cell.table, cell.column] += int(cell.number)
    return sums


def facts(
    cells: Sequence[Cell],
    named_labels: Mapping[str, Collection[str]],
    wholes: Counter[tuple[str, int]],
    directions: tuple[bool, bool],
) -> Iterator[Fact]:
    """Yield what cells say; changes are between labels that are both named, if the table prints none itself.

    Args:
        named_labels: by coordinate. wholes: see `totals`. directions: whether changes go up, and whether down.
    """
    for cell in cells:
        printed, value = (Interval(abs(number), abs(number)) for number in (float(cell.number), cell.value))
        percent = value.scaled(100)
        share = {"percent": (percent,), "fraction": (percent,), "number": (printed,)}.get(cell.unit, ())
        size = (printed,) if cell.unit in ("count", "number") and not cell.decimals else ()
        yield Fact((cell,), {SHARE: share, VALUE: (printed, value), POINTS: (printed,), SIZE: size})
        if (total := wholes[cell.table, cell.column]) > cell.number >= 0:
            yield Fact((cell,), {SHARE: (percent.scaled(1 / total),)}, whole=total)
    changed = {cell.place_without("value") for cell in cells if cell.coordinates["value"] in CHANGES}
    for name, labels in named_labels.items():
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in cells if len(labels) > 1 and name not in ("measure", "collection") else ():
            is_plain = cell.coordinates["value"] in PLAIN and cell.significant_digits >= CHANGED
            if is_plain and cell.coordinates.get(name) in labels:
                groups[cell.table, cell.place_without(name)].append(cell)
        for group in groups.values():
            for first, second in combinations(group, 2):
                if name != "query_set" or not changed & {first.place_without("value"), second.place_without("value")}:
                    yield Fact((first, second), _changes(first, second, *directions), name)


def are_one(facts: Sequence[Fact]) -> bool:
    """Whether facts are one: the same coordinates, in one table or repeated in several, with the same numbers."""
    contents = {(fact.whole, *((cell.place_without(), cell.number) for cell in fact.cells)) for fact in facts}
    return len(contents) == 1


def _changes(first: Cell, second: Cell, up: bool, down: bool) -> Mapping[str, tuple[Interval, ...]]:
    """The difference as printed and in points of a percentage, and the change in percent of the lower or the higher."""
    difference = (first.interval - second.interval).magnitude()
    printed, points = difference.scaled(1 / first.scale), difference.scaled(100)
    low, high = sorted((first, second), key=lambda cell: cell.value)
    bases = [base for base, is_meant in (((high, low), up), ((low, high), down)) if is_meant]
    relative = [rounding.change(a.interval, b.interval) for a, b in bases]
    shares = [change.scaled(100).magnitude() for change in relative if change]
    return {SHARE: (points, *shares), VALUE: (printed,), POINTS: (printed, points)}
