"""Counts with their percentages, n (%), of the whole that their column names; shares with their fraction, 40% (2/5)."""

from collections import defaultdict
from collections.abc import Iterator
from math import ceil, floor

from robustdr.audit.cells import Cell
from robustdr.audit.findings import Broken
from robustdr.audit.heads import lines, size_of
from robustdr.audit.reported import Table
from robustdr.claims.intervals import SLACK, Interval

FEWEST = 4  # pairs that agree on a whole that is not printed
USUAL = 0.8  # share of the pairs that must agree on it
FEWEST_FRACTIONS = 2  # fields whose share is that of the counts behind it
LARGEST = 10_000_000


def broken(table: Table) -> Iterator[Broken]:
    """Yield the percentages that are not those of the counts beside them."""
    by_column: defaultdict[int, list[tuple[Cell, Cell]]] = defaultdict(list)
    paired_places = set()
    for line in lines(table):
        entries = {(entry.cell.line, entry.cell.column): entry for entry in line.entries}
        for (row, column), entry in entries.items():
            share = entries.get((row, column + 1))
            is_pair = entry.role == "n" and share and share.role == "percent" and not entry.cell.decimals
            if is_pair and share and (row, column) not in paired_places:
                paired_places.add((row, column))
                by_column[column].append((entry.cell, share.cell))
    for column, pairs in by_column.items():
        yield from _count_and_share(table, column, pairs)
    yield from _count_and_share_in_one_field(table)


def _count_and_share_in_one_field(table: Table) -> Iterator[Broken]:
    """Fields with a share, its count and its whole, as `10.4% (28/270)`, if so they are in most fields."""
    fields: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
    for cell in table.cells:
        fields[cell.line, cell.place_without("value")].append(cell)
    triples = [cells for cells in fields.values() if len(cells) == 3]
    triples = [
        cells for cells in triples if not any(cell.decimals or cell.hedge or "%" in cell.printed for cell in cells[1:])
    ]
    wrong = []
    for share, part, whole in triples:
        value = float(part.number / whole.number) if whole.number > 0 else -1.0
        if not any(share.printed_interval.meets(Interval(value * factor, value * factor)) for factor in (1, 100)):
            wrong.append((share, part, whole, value))
    fit = len(triples) - len(wrong)
    for share, part, whole, value in wrong if fit >= FEWEST_FRACTIONS and fit >= len(wrong) else ():
        words = f"{part.printed} of {whole.printed} is {100 * value:.2f} %; no rounding of it is {share.printed}"
        yield Broken("count_and_share", [share, part, whole], words, "inconsistent")


def _count_and_share(table: Table, column: int, pairs: list[tuple[Cell, Cell]]) -> Iterator[Broken]:
    printed = size_of([*table.columns[column].values()])
    whole = printed or _implied(pairs)
    values = [(count, share, 100 * int(count.number) / whole) for count, share in pairs] if whole else []
    wrong = [entry for entry in values if not entry[1].printed_interval.meets(Interval(entry[2], entry[2]))]
    fit = len(pairs) - len(wrong)
    if printed and 2 * len(wrong) > len(pairs) and len(pairs) > 2:
        return  # numbers are missing: another whole
    if not printed and (fit < FEWEST or fit < USUAL * len(pairs)):
        return
    source = f"n = {whole:,}, as the head says," if printed else f"{whole:,}, of which {fit} other cells are shares,"
    for count, share, value in wrong:
        words = f"{count.printed} of {source} is {value:.{share.decimals + 1}f} %; no rounding of it is {share.printed}"
        yield Broken("count_and_share", [share, count], words, "inconsistent" if printed else "suspicious")


def _implied(pairs: list[tuple[Cell, Cell]]) -> int:
    """The whole of which most pairs are shares; 0 if there is none."""
    ends = []
    for count, share in pairs:
        low, high = share.printed_interval
        if count.number > 0 and low > 0:
            ends.append((ceil(100 * int(count.number) / high - SLACK), floor(100 * int(count.number) / low + SLACK)))
    starts = [low for low, high in ends if low <= high and 0 < low < LARGEST]
    return max(starts, key=lambda whole: (sum(low <= whole <= high for low, high in ends), -whole), default=0)
