"""Means and deviations that no sample has of the size that the caption or the text names: GRIM and GRIMMER.

A size is believed of a column if nearly all of its numbers are possible, and hardly by chance: then its shares are
counted, or its means are those of whole numbers.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from robustdr.audit.bounds import FEWEST, SURE, USUAL, Broken
from robustdr.audit.cells import Cell
from robustdr.audit.chance import by_chance, odds
from robustdr.audit.facts import without
from robustdr.audit.grains import deviations
from robustdr.audit.reported import Table
from robustdr.audit.sizes import Size, sizes
from robustdr.claims.intervals import SLACK, Interval

BELIEVED = 1e-3  # chance below which a size is believed of a column


def unsampled(table: Table, said: Mapping[tuple[str, int], Size]) -> Iterator[Broken]:
    """Yield the numbers that no sample of the size that nearly all others have can give.

    Args:
        said: the sizes in the text, by table and column; that of the caption comes first.
    """
    columns: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        if cell.unit != "count" and not cell.hedge and cell.coordinates["value"] == "value":
            columns[cell.column].append(cell)
    spreads = {without(cell, "value"): cell for cell in table.cells if cell.coordinates["value"] == "deviation"}
    captioned = sizes(table.caption)
    for column, cells in columns.items():
        of = captioned or [size for place, size in said.items() if place == (table.id, column)]
        for size in of:
            for scale in sorted({cell.scale for cell in cells} | {1.0}) if min(c.number for c in cells) >= 0 else ():
                wrong, chance = _wrong(cells, size.number, scale, 2 * len(of) * len(columns))
                if chance < BELIEVED:
                    yield from _means(cells, wrong, size, chance)
                    if scale == 1.0:
                        pairs = [
                            (c, spreads[key])
                            for c in cells
                            if c not in wrong and (key := without(c, "value")) in spreads
                        ]
                        yield from _deviations(pairs, size)


def _wrong(cells: Sequence[Cell], size: int, scale: float, tried: int) -> tuple[list[Cell], float]:
    """The numbers that are no sum of `size` whole numbers, divided by it; the chance that so many others are."""
    wrong = [cell for cell in cells if not _is_whole(_as_printed(cell).scaled(scale), size)]
    right = {cell.number: cell for cell in cells if cell not in wrong}
    if len(cells) - len(wrong) < max(FEWEST, USUAL * len(cells)):
        return wrong, 1.0
    fitting = [min(1.0, (size + 1) * scale / 10**cell.decimals) for cell in right.values()]
    return wrong, by_chance(fitting, len(right) + len(wrong), tried)


def _means(cells: Sequence[Cell], wrong: Sequence[Cell], size: Size, chance: float) -> Iterator[Broken]:
    words = f"no whole number out of {size}; {len(cells) - len(wrong)} of {len(cells)} are, by chance {odds(chance)}"
    for cell in wrong:
        yield Broken("not_of_whole", [cell], words)


def _deviations(pairs: Sequence[tuple[Cell, Cell]], size: Size) -> Iterator[Broken]:
    """The deviations that whole numbers with these means do not have."""
    wrong, fitting = [], []
    for mean, spread in pairs:
        average, printed = _as_printed(mean), _as_printed(spread)
        if any(printed.meets(possible) for possible in deviations(size.number, average, printed)):
            sums = (average.high - average.low) * size.number + 1
            between = 1 / ((size.number - 1) * max(printed.high, SLACK))  # deviations of one sum
            fitting.append(min(1.0, sums * (printed.high - printed.low) / between))
        else:
            wrong.append((mean, spread))
    chance = by_chance(fitting, len(pairs), 1)
    if wrong and len(fitting) >= max(FEWEST, USUAL * len(pairs)) and chance < SURE:
        for mean, spread in wrong:
            words = (
                f"no deviation of {size} whole numbers with the mean {mean.printed}; {len(fitting)} of {len(pairs)} are"
            )
            yield Broken("no_such_deviation", [spread], f"{words}, by chance {odds(chance)}")


def _as_printed(cell: Cell) -> Interval:
    return cell.interval.scaled(1 / cell.scale)


def _is_whole(mean: Interval, size: int) -> bool:
    """Whether a whole number, divided by a size, is printed so; no rounding prints the interval's upper end."""
    first = ceil(mean.low * size - SLACK) / size
    return first < mean.high - SLACK or first <= mean.low + SLACK
