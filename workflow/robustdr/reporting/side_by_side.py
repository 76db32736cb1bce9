"""The cells of a table in two results folders: their numbers, the difference, and its interval."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import hypot, isclose, isfinite
from pathlib import Path
from typing import NamedTuple, TypeVar

import pandas as pd

from robustdr.core.errors import UserError
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.quotients import Ratio
from robustdr.reporting.artifacts import Table, averaged
from robustdr.reporting.cells import Cell

SIDES = ("A", "B")
EQUAL = "equal"
UNITS = {"percent": (100, 2), "number": (1, 3), "count": (1, 3)}  # (factor, digits) of a difference, by table unit
IDENTITY = ("role", "system", "query_set", "measure", "seed", "value", "against")  # of a cell, at every scale
Made = TypeVar("Made")


class Placed(NamedTuple):
    """A cell at its place in a table; `cell` is None for a fact about the data."""

    row: str
    column: str
    text: str
    cell: Cell | None

    def identity(self) -> tuple[object, ...]:
        """What a cell is about, the same at every scale; for a fact about the data, its row and column."""
        return tuple(getattr(self.cell, field) for field in IDENTITY) if self.cell else (self.row, self.column)


class SideBySide(NamedTuple):
    """A table of both folders, its pairs by (row, column)."""

    rows: list[str]
    columns: list[str]
    pairs: dict[tuple[str, str], "Pair"]


@dataclass(frozen=True)
class Pair:
    """A cell of both folders.

    Attributes:
        texts: as each folder's table shows it; None if it has no such cell. cells: the same, as data.
        difference, low, high: B − A and the ends of its 95 % interval, in the table's unit; None if there is none.
        paired: whether the interval pairs the same queries in both. digits: of the difference as text.
        queries: in each folder, how many queries are behind the number; empty if a folder does not have their measures.
        equal: whether the numbers, and the measures of each query behind them, are equal.
    """

    texts: tuple[str | None, str | None]
    cells: tuple[Cell | None, Cell | None] = (None, None)
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    paired: bool = False
    digits: int = 0
    queries: tuple[int, ...] = ()
    equal: bool = False

    @property
    def cell(self) -> Cell | None:
        """The cell of A or else of B: what it is about is the same in both. None for a fact about the data."""
        return self.cells[0] or self.cells[1]

    @property
    def word(self) -> str:
        """How B compares with A: `equal`; `higher` or `lower` if the interval excludes 0; '' without an interval."""
        missing = [side for side, text in zip(SIDES, self.texts, strict=True) if text is None]
        if missing:
            return f"not in {missing[0]}"
        if self.equal:
            return EQUAL
        if self.low is None or self.high is None:
            return ""
        return "higher" if self.low > 0 else "lower" if self.high < 0 else "not significantly different"


def numbered(
    items: Iterable[Made], identity: Callable[[Made], tuple[object, ...]]
) -> Iterator[tuple[tuple[object, ...], Made]]:
    """Yield (identity, item); a counter at the end of the identity tells equal ones apart."""
    counts: Counter[tuple[object, ...]] = Counter()
    for item in items:
        key = identity(item)
        counts[key] += 1
        yield (*key, counts[key]), item


@cache
def _measured(folder: Path) -> dict[int, pd.Series]:
    """A system's values by seed, each by (query set, measure, query); damaged files are skipped."""
    values_by_seed: dict[int, list[pd.Series]] = {}
    for path in sorted(folder.glob("seed*/*.parquet")):
        try:
            frame = read_measures(path)
        except UserError:
            continue
        values = frame.set_index(["query_set", "measure", "qid"])["value"]
        values_by_seed.setdefault(int(path.parent.name.removeprefix("seed")), []).append(values)
    return {seed: pd.concat(values).sort_index() for seed, values in values_by_seed.items()}


def _of_system(root: Path, table: Table, cell: Cell, system: str) -> pd.DataFrame:
    """A system's values for a cell's query set and measure, [queries, seeds]; a mean averages each query's variations.

    Raises:
        KeyError: nothing was measured for it.
    """
    seeds = _measured(root / "measures" / cell.collection / system)
    seed_values = {cell.seed: seeds[cell.seed]} if cell.seed else seeds
    places = [(f"{cell.split}.{kind}", cell.measured) for kind in averaged(cell, table["means"])]
    return pd.DataFrame(
        {seed: sum(values.loc[place] for place in places) / len(places) for seed, values in seed_values.items()}
    )


def by_query(root: Path, table: Table, cell: Cell) -> pd.DataFrame | None:
    """The values behind a cell's number, [queries, seeds]; None if the folder does not have them.

    They may be deleted, or from another run than the table; their mean must be the cell's number.
    """
    if cell.value not in ("value", "difference") or cell.reproduced is None:
        return None
    try:
        values = _of_system(root, table, cell, cell.system)
        if cell.value == "difference":
            values = values.sub(_of_system(root, table, cell, cell.against).mean(axis=1), axis=0)
    except KeyError:
        return None
    is_current = values.size and isclose(values.to_numpy().mean(), cell.reproduced, rel_tol=1e-9, abs_tol=1e-12)
    return values if is_current else None


def interval(first: pd.DataFrame, second: pd.DataFrame) -> tuple[float, float, bool]:
    """(low, high, paired): the 95 % interval of `second` − `first`, [queries, seeds] each; if it pairs queries.

    If the queries differ, the two are independent: the squared half widths of their intervals add up.
    """
    if not first.index.equals(second.index):
        ends = [Ratio(Estimate(values.T.to_numpy()), ONE).interval(0.95) for values in (first, second)]
        half = hypot(*((high - low) / 2 for low, high in ends))
        middle = float(second.to_numpy().mean() - first.to_numpy().mean())
        return middle - half, middle + half, False
    if first.shape != second.shape:  # other numbers of seeds cannot be paired: average them
        first, second = (values.mean(axis=1).to_frame() for values in (first, second))
    low, high = Ratio(Estimate(second.T.to_numpy()) - Estimate(first.T.to_numpy()), ONE).interval(0.95)
    return low, high, True


def _placed(table: Table) -> Iterator[Placed]:
    layout = table["layout"]
    for row, fields in zip(layout["rows"], layout["fields"], strict=True):
        for column, (_, text, number) in zip(layout["columns"], fields, strict=True):
            yield Placed(row, column, text, None if number is None else table["cells"][number])


def _pair(roots: tuple[Path, Path], tables: tuple[Table, Table], first: Placed | None, second: Placed | None) -> Pair:
    """The pair of a cell; one side may be None."""
    texts = (first.text if first else None, second.text if second else None)
    a, b = (first.cell if first else None, second.cell if second else None)
    if not (a and b) or a.reproduced is None or b.reproduced is None:
        return Pair(texts, (a, b))
    factor, digits = UNITS[tables[0]["layout"].get("unit", "percent")]
    difference = factor * (b.reproduced - a.reproduced)
    ours, theirs = by_query(roots[0], tables[0], a), by_query(roots[1], tables[1], b)
    if ours is None or theirs is None:
        return Pair(texts, (a, b), difference, digits=digits, equal=difference == 0)
    queries = (len(ours), len(theirs))
    if ours.equals(theirs):
        return Pair(texts, (a, b), difference, digits=digits, queries=queries, equal=True)
    *ends, paired = interval(ours, theirs)
    low, high = (factor * end if isfinite(end) else None for end in ends)
    return Pair(texts, (a, b), difference, low, high, paired, digits, queries)


def side_by_side(roots: tuple[Path, Path], tables: tuple[Table, Table]) -> SideBySide:
    """The pairs of two tables; a cell has its place in A, or in B if only B has it."""
    first, second = (dict(numbered(_placed(table), Placed.identity)) for table in tables)
    pairs: dict[tuple[str, str], Pair] = {}
    for key in dict.fromkeys([*first, *second]):
        placed = first.get(key) or second[key]
        pairs[placed.row, placed.column] = _pair(roots, tables, first.get(key), second.get(key))
    layouts = [table["layout"] for table in tables]
    rows = list(dict.fromkeys(row for layout in layouts for row in layout["rows"]))
    used = {column for _, column in pairs}
    columns = dict.fromkeys(column for layout in layouts for column in layout["columns"] if column in used)
    return SideBySide(rows, list(columns), pairs)
