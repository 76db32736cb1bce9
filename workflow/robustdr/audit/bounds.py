"""What holds of any table: ranges, order by depth, bold for the best, rows of their own, marks and p, samples.

Of samples: means and deviations that none has of the size that the caption or the text names (GRIM and GRIMMER). A size
is believed of a column if nearly all of its numbers are possible, and hardly by chance: then its shares are counted, or
its means are those of whole numbers.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from robustdr.audit.cells import BOLD, Cell
from robustdr.audit.chance import chance_bound, odds
from robustdr.audit.findings import Broken
from robustdr.audit.formulas import NAMES
from robustdr.audit.grains import deviations, is_whole
from robustdr.audit.heads import CHANGE, SHARES, is_of_labels, levels_of_marks, mark_of
from robustdr.audit.relations import label
from robustdr.audit.reported import Table
from robustdr.audit.sizes import Size, sizes
from robustdr.claims.intervals import SLACK

RISING = re.compile(r"(RR|R|Success|AP)@(\d+)")  # no smaller at a greater depth
USUAL = 0.8  # share of the cells that must obey before another one is suspicious
FEWEST = 3  # cells that must obey
SURE = 0.05  # chance below which bold is believed to mean the best, and marks to mean levels of p
BELIEVED = 1e-3  # chance below which a size is believed of a column
LOOSELY = 0.1  # of shares that are counted by their name
COUNTED = re.compile(
    r"\bacc(?:uracy|\.)?\b|\bEM\b|exact match|\b(?:success|pass|win|hit|error) rate|correct|Success@|solved", re.I
)
WIDEST = 30  # columns up to which they are compared with each other
DIGITS = 9  # of the different numbers of two equal rows
DISTINCT = 3  # different numbers that two equal rows have
OWN = 2  # of these, numbers that no third row has in the same column
_ABLATION = re.compile(r"\bablat", re.I)
_P = re.compile(r"p(?:[-\s_]?val(?:ue)?s?)?", re.I)


def broken(table: Table, sampled: Mapping[tuple[str, int], Size]) -> Iterator[Broken]:
    """Yield what stands out in one table.

    Args:
        sampled: the sizes of samples in the text, by table and column; that of the caption comes first.
    """
    yield from _out_of_range(table)
    yield from _out_of_order(table)
    yield from _bold_not_best(table)
    yield from _equal_rows(table)
    yield from _marked_wrongly(table)
    yield from _not_of_whole(table, sampled)


def _measures(table: Table) -> dict[str, list[Cell]]:
    """The plain numbers of the table by measure."""
    cells_by_measure: defaultdict[str, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        measure = cell.coordinates.get("measure", "")
        is_change = any(map(CHANGE.search, cell.labels))
        if cell.coordinates["value"] == "value" and is_of_labels(cell) and not is_change and SHARES.fullmatch(measure):
            cells_by_measure[measure].append(cell)
    return cells_by_measure


def _out_of_range(table: Table) -> Iterator[Broken]:
    """A measure lies between 0 and 1, or 0 and 100: whichever nearly all cells of its column do."""
    columns: defaultdict[tuple[str, int], list[Cell]] = defaultdict(list)
    for measure, cells in _measures(table).items():
        for cell in cells:
            columns[measure, cell.column].append(cell)
    for (measure, _), cells in columns.items():
        for largest in (1, 100):
            wrong = [cell for cell in cells if not 0 <= cell.number <= largest]
            fitting = len(cells) - len(wrong)
            if len(wrong) > 1:
                continue  # percentages below 1, or a measure of another definition
            if fitting >= max(FEWEST, USUAL * len(cells)) and any(cell.decimals for cell in cells):
                for cell in wrong:
                    yield Broken(
                        "out_of_range", [cell], f"{measure} is from 0 to {largest}, as in {fitting} cells beside it"
                    )
                break


def _out_of_order(table: Table) -> Iterator[Broken]:
    """A measure is no smaller at a greater depth, if nearly all pairs of cells say so."""
    cells_by_depth: defaultdict[tuple[object, ...], dict[tuple[str, int], Cell]] = defaultdict(dict)
    for measure, cells in _measures(table).items():
        if match := RISING.fullmatch(measure):
            for cell in cells:
                rest = tuple((name, place) for name, place in cell.coordinates.items() if name != "measure")
                cells_by_depth[cell.line, rest][match[1], int(match[2])] = cell
    pairs = [
        (cells[name, depth], cells[name, deeper], deeper)
        for cells in cells_by_depth.values()
        for name, depth in cells
        for other_name, deeper in cells
        if other_name == name and depth < deeper
    ]
    rising = sum(cell.interval.low <= deep.interval.high for cell, deep, _ in pairs)
    if rising >= max(FEWEST, USUAL * len(pairs)):
        for cell, deep, deeper in pairs:
            if cell.interval.low > deep.interval.high:
                words = f"{cell.printed} is above {deep.printed} at depth {deeper}; {rising} of {len(pairs)} pairs rise"
                yield Broken("out_of_order", [cell, deep], words)


def _bold_not_best(table: Table) -> Iterator[Broken]:
    """Bold is the largest (or the smallest) number of its column or row, if it nearly always is."""
    if BOLD not in table.marks:
        return
    surest: tuple[float, list[list[Cell]], Callable[..., Cell], str] | None = None
    for key in ("column", "line"):
        lines: defaultdict[int, list[Cell]] = defaultdict(list)
        for cell in table.cells:
            if cell.coordinates["value"] == "value" and not cell.hedge:
                lines[getattr(cell, key)].append(cell)
        marked = [
            cells
            for cells in lines.values()
            if len(cells) > 2 and any(BOLD in cell.mark for cell in cells) and len({cell.scale for cell in cells}) == 1
        ]
        for ends in ((max,), (min,), (max, min)):
            fitting: list[float] = []
            wrong: list[list[Cell]] = []
            for cells in marked:
                values = [cell.value for cell in cells]
                bold = {cell.value for cell in cells if BOLD in cell.mark}
                extremes = {min(values), max(values)}
                if best := next(({end(values)} for end in ends if bold == {end(values)}), None):
                    fitting.append(min(1.0, len(ends) * sum(value in best for value in values) / len(cells)))
                elif not (bold <= extremes or (len(bold) > 1 and bold & extremes)):
                    wrong.append(cells)  # else it is the best of another measure, or the best among several
            chance = chance_bound(fitting, len(marked), 4)
            if len(fitting) >= max(FEWEST - 1, USUAL * (len(marked) - 1)) and chance < SURE:
                if not wrong:
                    return
                if surest is None or chance < surest[0]:
                    often = f"bold is the best in {len(fitting)} of {len(marked)} lines, by chance {odds(chance)}"
                    surest = chance, wrong, ends[0], often
    if surest is not None:
        _, wrong, end, often = surest
        for cells in wrong:
            marked_cells = [cell for cell in cells if BOLD in cell.mark]
            top = end(cells, key=lambda cell: cell.value)
            size = "larger" if end is max else "smaller"
            words = f"bold, but {top.printed} ({label(top, marked_cells)}) is {size}; {often}"
            yield Broken("bold_not_best", [*(c for c in marked_cells if c.value != top.value), top], words)


def _equal_rows(table: Table) -> Iterator[Broken]:
    """Two rows that differ in one label have all their numbers alike, so many that chance hardly makes them."""
    rows: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells if not _ABLATION.search(table.caption) else ():  # which repeats the whole system
        rows[cell.line].append(cell)
    rows_by_numbers: dict[tuple[object, ...], list[Cell]] = {}
    determined = _determined(table)
    in_column = Counter((cell.column, cell.number) for cells in rows.values() for cell in cells)
    times = Counter(tuple((cell.column, cell.number) for cell in cells) for cells in rows.values())
    for cells in rows.values():
        numbers = tuple((cell.column, cell.number) for cell in cells)
        if times[numbers] > 2 or all(BOLD in cell.mark for cell in cells):
            continue  # a default, or what follows from a setting that they share; or the total of a group of one
        distinct = {cell.number: cell for cell in cells if cell.decimals and cell.column not in determined}
        if len(distinct) >= DISTINCT and sum(cell.inner_digits for cell in distinct.values()) >= DIGITS:
            is_own = sum(in_column[cell.column, number] == 2 for number, cell in distinct.items()) >= OWN
            if numbers in rows_by_numbers and is_own and _tells_apart(rows_by_numbers[numbers][0], cells[0]):
                twin = label(rows_by_numbers[numbers][0], [cells[0]])
                yield Broken("equal_rows", cells, f"all {len(cells)} cells equal those of {twin}")
            rows_by_numbers.setdefault(numbers, cells)


def _determined(table: Table) -> set[int]:
    """The columns that are a straight line of a column on their right or left, at three different numbers or more."""
    columns: defaultdict[int, dict[int, Cell]] = defaultdict(dict)
    for cell in table.cells:
        columns[cell.column][cell.line] = cell
    determined: set[int] = set()
    for column, cells in columns.items() if len(columns) <= WIDEST else ():
        for second, second_cells in columns.items():
            points = {(o.value, cells[line].value): cells[line] for line, o in second_cells.items() if line in cells}
            xs = {x for x, _ in points}
            if second == column or second in determined or len(xs) < 3 or len(points) != len(xs):
                continue
            (x0, y0), (x1, y1) = min(points), max(points)
            slope = (y1 - y0) / (x1 - x0)
            wide = max(cell.interval.high - cell.interval.low for cell in points.values())
            if slope and all(abs(y0 + slope * (x - x0) - y) <= 2 * wide for x, y in points):
                determined.add(column)
                break
    return determined


def _tells_apart(cell: Cell, other_cell: Cell) -> bool:
    """Whether two rows differ in one label, but for the numbers that tell equal ones apart, of two systems.

    With none, a system is printed twice; with several, a setting that two groups have in common. A label that has all
    words of the other is that system with an addition, which may change nothing here.
    """
    labels = ([re.sub(r" #\d+$", "", text) for text in member.coordinates.values()] for member in (cell, other_cell))
    differing = [(a, b) for a, b in zip(*labels, strict=False) if a != b]
    words = [{*re.findall(r"[^\W_]+", text.casefold())} for pair in differing for text in pair]
    return len(differing) == 1 and not (words[0] <= words[1] or words[1] <= words[0])


def _marked_wrongly(table: Table) -> Iterator[Broken]:
    """A mark stands beside a value of p below its level, if nearly all lines say so."""
    text = " ".join([table.caption, *(f"{mark} {meaning}" for mark, meaning in table.marks.items())])
    levels = levels_of_marks(text)
    tested = {
        cell.line: cell for cell in table.cells if any(_P.fullmatch(label) for label in cell.coordinates.values())
    }
    columns: defaultdict[int, list[tuple[Cell, bool]]] = defaultdict(list)
    for cell in table.cells if levels else ():
        if cell.line in tested:
            columns[cell.column].append((cell, _attested(cell, tested[cell.line], levels)))
    for cells in columns.values():
        states = [mark_of(cell, levels) for cell, _ in cells]
        usual = max(states.count(state) for state in states) / len(states)
        fit = sum(fits for _, fits in cells)
        chance = chance_bound([usual] * fit, len(cells), len(columns)) if usual < 1 else 1.0
        if fit < len(cells) and fit >= max(FEWEST, USUAL * len(cells)) and chance < SURE:
            for cell in [cell for cell, fits in cells if not fits]:
                p = tested[cell.line].printed
                words = f"marked {mark_of(cell, levels) or 'by nothing'} at p = {p}; {fit} of {len(cells)} marks fit"
                yield Broken("marked_wrongly", [cell], f"{words}, by chance {odds(chance)}")


def _attested(cell: Cell, p: Cell, levels: Mapping[str, float]) -> bool:
    """Whether some p that is printed so gives the mark of a cell: that of the lowest level above it."""
    marks = [""]
    for level in sorted(levels.values()):
        mark = next(mark for mark, mark_level in levels.items() if mark_level == level)
        if p.interval.low < level:
            marks.append(mark)
        if p.interval.high <= level or (p.interval.low < level and p.hedge):
            marks.remove("")
            break
    return mark_of(cell, levels) in marks


def _not_of_whole(table: Table, sampled: Mapping[tuple[str, int], Size]) -> Iterator[Broken]:
    """Yield the numbers that no sample of the size that nearly all others have can give."""
    columns: defaultdict[int, list[Cell]] = defaultdict(list)
    for cell in table.cells:
        is_average = any(map(NAMES["mean_of"].search, cell.coordinates.values()))
        if cell.unit != "count" and not cell.hedge and cell.coordinates["value"] == "value" and not is_average:
            columns[cell.column].append(cell)
    spreads = {cell.place_without("value"): cell for cell in table.cells if cell.coordinates["value"] == "deviation"}
    captioned = sizes(table.caption)
    yield from _pooled(table, columns, captioned, sampled)
    for column, cells in columns.items():
        table_sizes = captioned or [size for place, size in sampled.items() if place == (table.id, column)]
        for size in table_sizes:
            for scale in sorted({cell.scale for cell in cells} | {1.0}) if min(c.number for c in cells) >= 0 else ():
                wrong, chance = _wrong(cells, size.number, scale, 2 * len(table_sizes) * len(columns))
                if chance < BELIEVED:
                    yield from _means(cells, wrong, size, chance)
                    if scale == 1.0:
                        pairs = [
                            (c, spreads[key])
                            for c in cells
                            if c not in wrong and (key := c.place_without("value")) in spreads
                        ]
                        yield from _deviations(pairs, size)


def _pooled(
    table: Table, columns: Mapping[int, list[Cell]], captioned: Sequence[Size], sampled: Mapping[tuple[str, int], Size]
) -> Iterator[Broken]:
    """Yield the shares that are none of a size; those of all columns together, where each column has few."""
    named = [*captioned, *(size for (id, _), size in sampled.items() if id == table.id and not captioned)]
    for size in dict.fromkeys(named):
        shares = [
            cell
            for column, cells in columns.items()
            for cell in cells
            if cell.decimals
            and cell.unit in ("percent", "fraction")
            and (captioned or sampled.get((table.id, column)) == size)
        ]
        is_counted = bool(COUNTED.search(table.caption)) or all(
            any(map(COUNTED.search, cell.coordinates.values())) for cell in shares
        )
        scales = {cell.scale for cell in shares}
        if len(scales) == 1 and shares and min(cell.number for cell in shares) >= 0:
            wrong, chance = _wrong(shares, size.number, scales.pop(), len(named))
            if chance < (LOOSELY if is_counted else BELIEVED):
                yield from _means(shares, wrong, size, chance)


def _wrong(cells: Sequence[Cell], size: int, scale: float, tried: int) -> tuple[list[Cell], float]:
    """The numbers that are no sum of `size` whole numbers, divided by it; the chance that so many others are."""
    wrong = [cell for cell in cells if not is_whole(cell.printed_interval.scaled(scale), size)]
    possible = {cell.number: cell for cell in cells if cell not in wrong}
    if len(cells) - len(wrong) < max(FEWEST - (len(wrong) == 1), USUAL * (len(cells) - 1)):
        return wrong, 1.0
    fitting = [min(1.0, (size + 1) * scale / 10**cell.decimals) for cell in possible.values()]
    return wrong, chance_bound(fitting, len(possible) + len(wrong), tried)


def _means(cells: Sequence[Cell], wrong: Sequence[Cell], size: Size, chance: float) -> Iterator[Broken]:
    words = f"no whole number out of {size}; {len(cells) - len(wrong)} of {len(cells)} are, by chance {odds(chance)}"
    for cell in wrong:
        yield Broken("not_of_whole", [cell], words)


def _deviations(pairs: Sequence[tuple[Cell, Cell]], size: Size) -> Iterator[Broken]:
    """The deviations that whole numbers with these means do not have."""
    wrong, fitting = [], []
    for mean, spread in pairs:
        average, printed = mean.printed_interval, spread.printed_interval
        if any(printed.meets(possible) for possible in deviations(size.number, average, printed)):
            sums = (average.high - average.low) * size.number + 1
            spacing = 1 / ((size.number - 1) * max(printed.high, SLACK))  # deviations of one sum
            fitting.append(min(1.0, sums * (printed.high - printed.low) / spacing))
        else:
            wrong.append((mean, spread))
    chance = chance_bound(fitting, len(pairs), 1)
    if wrong and len(fitting) >= max(FEWEST, USUAL * len(pairs)) and chance < SURE:
        for mean, spread in wrong:
            words = (
                f"no deviation of {size} whole numbers with the mean {mean.printed}; {len(fitting)} of {len(pairs)} are"
            )
            yield Broken("no_such_deviation", [spread], f"{words}, by chance {odds(chance)}")
