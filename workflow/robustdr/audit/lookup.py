"""The cells and checks of a paper, indexed for the search for hypotheses and patterns."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, zip_longest

from robustdr.audit.cells import Cell
from robustdr.audit.relations import Check
from robustdr.audit.reported import Reported
from robustdr.claims.intervals import Interval

SIGNIFICANT = 3  # digits from which finding the same number elsewhere means something


class Lookup:
    """The cells and checks of a paper by what a search asks for; cells are compared by identity.

    Attributes:
        run_values: what the runs give, by the id of a cell.
    """

    def __init__(self, reported: Reported, checks: Sequence[Check], run_values: Mapping[int, Interval]) -> None:
        self.reported = reported
        self.checks = checks
        self.run_values = run_values
        self.by_declaration: defaultdict[tuple[str, int], list[Check]] = defaultdict(list)
        self._drops: dict[int, Check] = {}
        self._original: dict[int, int] = {}  # by cell, another cell that it is declared to repeat
        for check in checks:
            self.by_declaration[check.target.table, check.line].append(check)
            if check.kind == "drop_from":
                self._drops[id(check.target)] = check
            elif check.kind == "same_as":
                for cell in check.operands["main"]:
                    self._original[self._first(check.target)] = self._first(cell)

    @cached_property
    def _positions(self) -> Mapping[tuple[str, int, int], tuple[int, Check]]:
        """By table, line and cell: the check of a declaration and its position among all."""
        return {(c.target.table, c.line, id(c.target)): (place, c) for place, c in enumerate(self.checks)}

    def is_right(self, cell: Cell) -> bool:
        """Whether the run of a cell gives its number."""
        return id(cell) in self.run_values and cell.interval.meets(self.run_values[id(cell)])

    def neighbours(self, check: Check) -> list[Check]:
        """Return checks of the same declaration at cells that differ from this one in one coordinate, in order."""
        keys = ((check.target.table, check.line, id(cell)) for cell in self.neighbour_cells(check.target))
        positioned = [self._positions[key] for key in keys if key in self._positions]
        return [neighbour for _, neighbour in sorted(positioned, key=lambda pair: pair[0])]

    @cached_property
    def checks_of(self) -> Mapping[int, list[Check]]:
        """By the id of a cell: its checks, each once."""
        checks_by_cell: defaultdict[int, dict[int, Check]] = defaultdict(dict)
        for check in self.checks:
            for cell in check.cells:
                checks_by_cell[id(cell)][id(check)] = check
        return {cell: list(checks.values()) for cell, checks in checks_by_cell.items()}

    @cached_property
    def confirmations(self) -> Counter[int]:
        """By the id of a cell: the number of its checks that hold."""
        return Counter(id(cell) for check in self.checks if check.holds for cell in check.cells)

    @cached_property
    def _cells(self) -> Mapping[tuple[object, ...], list[Cell]]:
        """The cells outside the prose: at all coordinates but one, and by number and unit."""
        index: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for table in self.reported.outside_prose:
            for cell in table.cells:
                for key in (*_keys(cell), (cell.number, cell.unit)):
                    index[key].append(cell)
        return index

    def is_usual(self, cell: Cell) -> bool:
        """Whether most numbers of a cell's column have as many decimals, and it begins with no extra 0."""
        column = [
            column_cell for column_cell in self.reported.tables[cell.table].cells if column_cell.column == cell.column
        ]
        same_decimals = sum(column_cell.decimals == cell.decimals for column_cell in column)
        return 2 * same_decimals > len(column) and not re.match(r"\D?0\d", cell.printed)

    def neighbour_cells(self, cell: Cell) -> list[Cell]:
        """Return the cells of all tables that differ from `cell` in at most one coordinate."""
        cells = {id(neighbour): neighbour for key in _keys(cell) for neighbour in self._cells.get(key, ())}
        return [neighbour for neighbour in cells.values() if neighbour is not cell]

    def copies(self, cell: Cell) -> list[Cell]:
        """Return cells elsewhere with the same number, nearest first, without those declared to be the same cell.

        A number of few digits has none, because equal ones mean nothing.
        """
        if cell.significant_digits < SIGNIFICANT:
            return []
        equal_cells = [
            candidate for candidate in self._cells.get((cell.number, cell.unit), ()) if candidate is not cell
        ]
        copies = [candidate for candidate in equal_cells if not self.restated(cell, candidate)]
        return sorted(copies, key=lambda copy: distance(cell, copy))

    def restated(self, cell: Cell, other_cell: Cell) -> bool:
        """Whether two cells are declared to be the same, directly, through other cells, or as changes of such cells."""
        if self._first(cell) == self._first(other_cell):
            return True
        drop, other_drop = self._drops.get(id(cell)), self._drops.get(id(other_cell))
        if drop is None or other_drop is None:
            return False
        pairs = [zip_longest(drop.operands[role], other_drop.operands[role], fillvalue=cell) for role in ("main", "of")]
        return all(self._first(a) == self._first(b) for a, b in chain(*pairs))

    def is_restated(self, cell: Cell) -> bool:
        """Whether the cell is declared to be printed elsewhere."""
        return id(cell) in self._original

    def _first(self, cell: Cell) -> int:
        first = id(cell)
        while self._original.get(first, first) != first:
            first = self._original[first]
        return first


def _places(cell: Cell) -> dict[str, str]:
    """Return the coordinates, with a seed as a label of `value`: a single run is beside the mean over runs."""
    places = dict(cell.coordinates)
    if "seed" in places:
        places["value"] = f"seed {places.pop('seed')}"
    return places


def _keys(cell: Cell) -> Iterator[tuple[object, ...]]:
    places = tuple(_places(cell).items())
    for index, (name, _) in enumerate(places):
        yield name, places[:index], places[index + 1 :]


def distance(cell: Cell, other_cell: Cell) -> int:
    """Return the number of coordinates in which two cells differ."""
    places, other_places = _places(cell), _places(other_cell)
    return sum(places.get(name) != other_places.get(name) for name in {**places, **other_places})
