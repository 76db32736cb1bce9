"""Suspicious patterns without any declaration: copied blocks, implausible seeds, identical rows, repeated labels."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import median

from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import Broken
from robustdr.audit.lookup import Lookup, distance
from robustdr.audit.relations import label
from robustdr.audit.reported import Table

_MISREAD = re.compile(r"±|\\pm|^second$")  # in a label: a number was taken for it, or none was read
BLOCK = 6  # consecutive cells that make a block
DISTINCT = 4  # different numbers that a block, or equal numbers that two rows, must have to mean anything
DIGITS = 13  # total digits that the equal numbers of two rows must have: short numbers agree by chance
SHARE = 1 / 3  # of the cells of a row that must equal those of its neighbour
IMPLAUSIBLE = 6.0  # robust z of a run among its siblings
PLAUSIBLE_GAP = 2.0  # robust z of a gap of 0 between two measures
NORMAL_MAD = 1.4826  # median absolute deviation to standard deviation, for a normal distribution


def patterns(lookup: Lookup) -> list[Broken]:
    """Return all suspicious patterns among the measures of a paper's tables (not in its prose)."""
    tables = lookup.reported.outside_prose
    suspicious = list(_copied_blocks(lookup, tables))
    for table in tables:
        suspicious += _implausible_seeds(lookup, table)
        suspicious += _identical_rows(table)
        suspicious += _repeated_and_missing_labels(table)
    return suspicious + list(_equal_measures(lookup, {id(cell) for pattern in suspicious for cell in pattern.cells}))


def _measures_along(key: str, table: Table) -> list[list[Cell]]:
    """Return the measures of a table by row (`line`) or by column (`column`)."""
    lines: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        if "measure" in cell.coordinates:
            lines[getattr(cell, key)].append(cell)
    return list(lines.values())


def examined(table: Table) -> list[Cell]:
    """Return the cells of a table in rows or columns long enough to show a pattern."""
    if table.is_prose:
        return []
    lines = [row for row in _measures_along("line", table) if len(row) >= DISTINCT] + [
        line for key in ("line", "column") for line in _measures_along(key, table) if len(line) >= BLOCK
    ]
    return [cell for line in lines for cell in line]


def _copied_blocks(lookup: Lookup, tables: Sequence[Table]) -> Iterator[Broken]:
    """Yield runs of `BLOCK` or more consecutive cells that another table has too, unless declared to be the same."""
    places: defaultdict[tuple[int, ...], list[list[Cell]]] = defaultdict(list)
    number_ids: dict[tuple[Decimal, str], int] = {}  # numbers are compared once: comparing decimals is slow
    for table in tables:
        for line in _measures_along("line", table) + _measures_along("column", table):
            line_ids = [number_ids.setdefault((cell.number, cell.unit), len(number_ids)) for cell in line]
            for start in range(len(line) - BLOCK + 1):
                numbers = tuple(line_ids[start : start + BLOCK])
                if len(set(numbers)) >= DISTINCT:
                    places[numbers].append(line[start : start + BLOCK])
    copied: defaultdict[str, defaultdict[str, dict[int, Cell]]] = defaultdict(lambda: defaultdict(dict))
    for blocks in places.values():
        for later, block in enumerate(blocks):
            for earlier in blocks[:later]:
                if earlier[0].table != block[0].table and not all(
                    lookup.restated(a, b) or _is_repeated(lookup, a, b) for a, b in zip(earlier, block, strict=True)
                ):
                    copied[block[0].table][earlier[0].table].update((id(cell), cell) for cell in block)
    for table_id, sources in copied.items():
        source, cells = max(sources.items(), key=lambda item: len(item[1]))
        if all(lookup.is_restated(cell) for cell in cells.values()):
            continue  # a declared origin, checked by its own relation
        caption = lookup.reported.tables[source].caption
        words = (
            f"{len(cells)} cells in blocks of {BLOCK} or more stand in {source} too, under another caption ({caption})"
        )
        yield Broken(
            "copied_block", list(cells.values()), words, hypothesis=f"copied from {source}, or {source} from {table_id}"
        )


def _is_repeated(lookup: Lookup, cell: Cell, other_cell: Cell) -> bool:
    """Whether a table repeats a cell of another one: with all its labels, and no other measure in its caption."""
    captions = [lookup.reported.tables[member.table].caption for member in (cell, other_cell)]
    measures = [set(re.findall(r"\w+@\d+", caption)) for caption in captions]
    labels = [{*member.coordinates.values()} - {"-"} for member in (cell, other_cell)]
    return (labels[0] <= labels[1] or labels[1] <= labels[0]) and measures[0] == measures[1]


def _implausible_seeds(lookup: Lookup, table: Table) -> Iterator[Broken]:
    """Yield runs far from their siblings whose number is that of another run elsewhere."""
    rows: list[list[Cell]] = []
    for row in _measures_along("line", table):
        runs: defaultdict[tuple[str, ...], list[Cell]] = defaultdict(list)
        for cell in row:
            if "seed" in cell.coordinates:
                runs[tuple(label for name, label in cell.coordinates.items() if name != "seed")].append(cell)
        rows += [siblings for siblings in runs.values() if len(siblings) > 3]
    usual = median([_spread([cell.value for cell in siblings]) for siblings in rows]) if rows else 0.0
    for siblings in rows:
        for cell in siblings:
            other_runs = [other_run for other_run in siblings if other_run is not cell]
            values = [other_run.value for other_run in other_runs]
            width = cell.interval.high - cell.interval.low
            z = abs(cell.value - median(values)) / max(_spread(values), usual, width)
            if z <= IMPLAUSIBLE or cell.significant_digits < DISTINCT:
                continue
            for copy in lookup.copies(cell):
                # A slip may copy it from the next row or run, or from the next table.
                if "seed" not in copy.coordinates or distance(copy, cell) > (1 if copy.table == cell.table else 2):
                    continue
                others_printed = ", ".join(other_run.printed for other_run in other_runs)
                words = f"robust z = {z:.0f} against the other runs ({others_printed})"
                table_name = copy.table if copy.table != table.id else ""
                place = " · ".join(filter(None, (table_name, label(copy, [cell]))))
                yield Broken("implausible_seed", [cell], words, hypothesis=f"copied from {place} ({copy.printed})")
                break


def _spread(values: Sequence[float]) -> float:
    """Return a robust standard deviation, from the median absolute deviation."""
    centre = median(values)
    return NORMAL_MAD * median([abs(value - centre) for value in values])


def _identical_rows(table: Table) -> Iterator[Broken]:
    """Yield neighbouring rows that share `DISTINCT` or more different numbers."""
    rows = [{cell.column: cell for cell in row} for row in _measures_along("line", table)]
    for upper, lower in pairwise(rows):
        shared = [column for column in upper if column in lower]
        equal = [lower[column] for column in shared if upper[column].number == lower[column].number]
        distinct = {cell.number: cell for cell in equal}.values()
        digits = sum(cell.significant_digits for cell in distinct)
        if len(distinct) >= DISTINCT and digits >= DIGITS and len(equal) >= SHARE * len(shared):
            cell_above = upper[equal[0].column]
            measures = {cell.coordinates["measure"] for cell in (cell_above, equal[0])}
            if len(measures) == 2 and len({re.sub(r"@\d+$", "", measure) for measure in measures}) == 1:
                continue  # one measure at two depths: the deeper one may find nothing more
            neighbour = label(cell_above, [equal[0]])
            words = f"{len(equal)} of {len(shared)} cells equal those of the row above ({neighbour})"
            yield Broken(
                "identical_rows", equal, words, hypothesis=f"copied from {neighbour}, or {neighbour} from here"
            )


def _equal_measures(lookup: Lookup, flagged: Collection[int]) -> Iterator[Broken]:
    """Yield measures that equal a larger one in another table, while other cells show a gap between the two."""
    for checks in lookup.by_declaration.values():
        pairs = [
            (c.target, c.operands["main"][0]) for c in checks if c.kind == "at_most" and len(c.operands["main"]) == 1
        ]
        pairs = [(cell, larger) for cell, larger in pairs if cell.table != larger.table]
        if len(pairs) < BLOCK:
            continue
        gaps = [larger.value - cell.value for cell, larger in pairs]
        z = median(gaps) / max(_spread(gaps), pairs[0][0].interval.high - pairs[0][0].interval.low)
        for cell, larger in pairs if z > PLAUSIBLE_GAP else ():
            equal = (cell.number, cell.unit) == (larger.number, larger.unit) and cell.significant_digits >= DISTINCT
            if equal and not {id(cell), id(larger)} & set(flagged):
                words = f"equal to {larger}; robust z = {z:.0f} against the gaps of the other {len(pairs) - 1} cells"
                hypothesis = f"copied from {larger.table}, or {larger.table} from here"
                yield Broken("equal_measures", [cell, larger], words, hypothesis=hypothesis)


def _repeated_and_missing_labels(table: Table) -> Iterator[Broken]:
    """Yield rows or columns with the same coordinates, and runs numbered from 0 or 1 with a gap."""
    seeds = sorted({int(place["seed"]) for place in table.columns if place.get("seed", "").isdigit()})
    gaps = [gap for gap in range(seeds[0], seeds[-1]) if gap not in seeds] if seeds and seeds[0] < 2 else []
    rows = [place for _, place in table.rows]
    repeated = [(index, "column") for index, place in enumerate(table.columns) if place in table.columns[:index]]
    repeated += [(table.rows[index][0], "line") for index, place in enumerate(rows) if place in rows[:index]]
    for position, key in repeated:
        cells = [cell for cell in table.cells if getattr(cell, key) == position]
        place = table.columns[position] if key == "column" else dict(table.rows)[position]
        meant = f"seed {gaps[0]}, which no column has, is meant" if "seed" in place and gaps else ""
        if cells and not _MISREAD.search(describe(place)):
            yield Broken("repeated_label", cells, f"the label {describe(place)} is printed twice", hypothesis=meant)
    if len(gaps) == 1 and not repeated:
        cells = [cell for cell in table.cells if cell.coordinates.get("seed") == str(gaps[0] + 1)]
        yield Broken("missing_label", cells, f"no column is labelled seed {gaps[0]}")
