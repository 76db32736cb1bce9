"""What several tables of a paper print: numbers at the same labels, and rows that one of them calls alike.

A number is believed to be printed twice if others of its row or column are: by chance, three digits hardly agree twice.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import Broken
from robustdr.audit.lookup import SIGNIFICANT
from robustdr.audit.reported import Reported, Table

FEWEST = 2  # different numbers that a row or a column has in both tables
USUAL = 0.8  # share of the numbers at the same labels that two tables print alike
WITH_HEAD = 2  # labels of a number, of its row and of its column, at least
WIDTH = 4  # columns that two tables have in common, of which one tells the rows apart
_NO_HEAD = re.compile(r"column \d|\?")  # which the reader of tables writes
_REPEATED = re.compile(r" #2$")
Pair = tuple[Cell, Cell]


def broken(reported: Reported) -> Iterator[Broken]:
    """Yield what two tables of a paper without declared relations print differently."""
    tables = reported.outside_prose
    if not any(table.is_declared for table in tables):
        yield from _printed_twice(tables)
        yield from _repeated_label(tables)


def _printed_twice(tables: Sequence[Table]) -> Iterator[Broken]:
    by_labels: defaultdict[frozenset[str], list[Cell]] = defaultdict(list)
    for cell in (cell for table in tables for cell in table.cells if not cell.hedge):
        labels = cell.labels
        if len(labels) < WITH_HEAD or any(map(_NO_HEAD.match, labels)):
            continue
        by_labels[frozenset(text.casefold() for text in cell.coordinates.values())].append(cell)
    in_row = {(cell.table, cell.line, cell.number) for table in tables for cell in table.cells}
    pairs: defaultdict[tuple[str, str], list[Pair]] = defaultdict(list)
    for cells in by_labels.values():
        if len({cell.table for cell in cells}) == len(cells):
            for pair in combinations(cells, 2):
                pairs[pair[0].table, pair[1].table].append(pair)
    for of_tables in pairs.values():
        different = [pair for pair in of_tables if not _are_alike(*pair)]
        if len(different) > max(1, (1 - USUAL) * len(of_tables)):
            continue
        for pair in different:
            rest = [neighbour for neighbour in different if neighbour is not pair]
            is_other_quantity = any(_is_beside(neighbour, pair) for neighbour in rest)
            equal = {
                a.number: a
                for a, b in of_tables
                if _are_alike(a, b) and min(a.inner_digits, b.inner_digits) >= SIGNIFICANT
                if not rest or _is_beside((a, b), pair)
            }
            is_long = any(cell.inner_digits > SIGNIFICANT for cell in equal.values())
            is_sure = len(equal) >= FEWEST or is_long
            first, second = pair
            is_elsewhere = (first.table, first.line, second.number) in in_row  # its head was misread
            is_elsewhere |= (second.table, second.line, first.number) in in_row
            is_setting = (
                not any(cell.decimals for cell in pair) and min(cell.inner_digits for cell in pair) < SIGNIFICANT
            )  # epochs
            is_quiet = is_other_quantity or is_elsewhere or is_setting or first.interval.meets(second.interval)
            if is_sure and not is_quiet:
                words = (
                    f"{pair[0].table} prints {pair[0].printed}, {pair[1].table} prints {pair[1].printed} at the same "
                    f"labels; they have {len(equal)} other numbers in common"
                )
                yield Broken("printed_twice", [*pair], words)


def _are_alike(first: Cell, second: Cell) -> bool:
    """Whether two cells may be one number; a table of fractions alone is hardly told from one of percentages.

    With as many decimals, these are the same digits: numbers that are only near say that it is another experiment.
    """
    if first.decimals == second.decimals and first.unit == second.unit:
        return first.number == second.number
    return first.number == second.number or first.interval.meets(second.interval)


def _is_beside(pair: Pair, second: Pair) -> bool:
    """Whether two pairs stand in one row or column of the first table."""
    return pair[0].line == second[0].line or pair[0].column == second[0].column


def _repeated_label(tables: Sequence[Table]) -> Iterator[Broken]:
    """A table has two rows of one label; another one with the same columns has a label of its own for each row."""
    columns = {table.id: {text.casefold() for place in table.columns for text in place.values()} for table in tables}
    names = {table.id: [describe(place) for _, place in table.rows] for table in tables}
    for table in tables:
        for number, name in enumerate(names[table.id]):
            label = _REPEATED.sub("", name)
            for second in tables if label != name else ():
                rows = names[second.id]
                lacking = [row for row in rows if row not in names[table.id]]
                is_same = len(rows) == len(table.rows) and columns[table.id] == columns[second.id]
                has_own = len(lacking) == 1 and lacking[0] == _REPEATED.sub("", lacking[0])
                if is_same and len(table.columns) >= WIDTH and label in rows and has_own:
                    line = table.rows[number][0]
                    words = f"two rows are called {label}; {second.id}, with the same columns, has {lacking[0]} as well"
                    yield Broken("repeated_label", [cell for cell in table.cells if cell.line == line], words)
                    break
