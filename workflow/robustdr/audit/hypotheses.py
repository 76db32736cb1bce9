"""Hypotheses about a broken relation: one change to the relation or to a cell that makes it hold."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from robustdr.audit.cells import Cell, describe, parse
from robustdr.audit.lookup import SIGNIFICANT, Lookup, distance
from robustdr.audit.relations import Check, interval_text, label
from robustdr.audit.reported import ANY, Reported

# Costs, simplest first. ONE_NUMBER: several relations require the same correction of one number.
ONE_NUMBER, FORMULA, NEIGHBOUR, PARTS, OTHER_CELL, OTHER_TABLE, UNPRINTED, COPY, DIGITS = range(9)
# Too many values satisfy these for most changes to mean anything.
OPEN = ("at_most", "at_least", "share_of", "mean_over", "deviation_over")
RESTATES = ("same_as", *OPEN)
Hypothesis = tuple[int, str]  # its cost, which names what changes, and the change in words
UNKNOWN: Hypothesis = FORMULA, ""


def hypotheses(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """Yield every hypothesis under which `check` would hold, with its cost."""
    yield from _by_its_run(lookup, check)
    if check.kind not in OPEN and not check.options.or_more:
        yield from _one_number(lookup, check)
        yield from _other_formula(check)
        yield from _mean_of_the_column(lookup, check)
        yield from _value_of_a_neighbour(lookup, check)
        yield from _exchanged_parts(lookup, check)
        yield from _other_parts(lookup, check)
        yield from _other_cell(lookup, check, "main")
        yield from _other_cell(lookup, check, "of")
        yield from _slip(lookup, check)
    yield from _copied(lookup, check)


def _by_its_run(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """With what its run gives in one cell, the relation would hold."""
    for cell in check.printed_cells:
        value = lookup.run_values.get(id(cell))
        if value is not None and not lookup.is_right(cell) and check.holds_with(cell, value):
            yield ONE_NUMBER, f"{_place_of(cell)} is wrong: its run gives {interval_text(value, cell)}"


def _place_of(cell: Cell) -> str:
    return f"{cell.printed} ({describe(cell.coordinates)})"


def _one_number(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """With another number in one cell, this relation and all other broken ones of the cell would hold."""
    suspects = []
    for cell in check.printed_cells:
        if lookup.is_right(cell):
            continue
        broken = [cell_check for cell_check in lookup.checks_of[id(cell)] if not cell_check.holds]
        target_checks = [cell_check for cell_check in broken if cell_check.target is cell]
        # a mistaken formula is simpler than a slip that gives the same result
        if 1 < len(broken) > len(target_checks) and not any(
            cell_check.holds for cell_check in filter(None, map(variant, target_checks))
        ):
            suspects.append((cell, broken))
    for cell, _ in suspects:
        for corrected, words in _slips(lookup, cell):
            if all(cell_check.holds_with(cell, corrected.interval) for cell_check in lookup.checks_of[id(cell)]):
                yield (
                    ONE_NUMBER,
                    f"{words.format(_place_of(cell))}: {corrected.printed}",
                )
                return
    for cell, broken in suspects:
        for mean in (
            cell_check for cell_check in broken if cell_check.kind == "mean_of" and cell_check.target is not cell
        ):
            parts = mean.operands["main"]
            required = mean.target.interval.scaled(len(parts))
            for part in (part for part in parts if part is not cell):
                required -= part.interval
            if all(cell_check.holds_with(cell, required) for cell_check in lookup.checks_of[id(cell)]):
                source_labels = [label(copy, [cell]) for copy in lookup.copies(cell) if distance(cell, copy) == 1]
                copied = (
                    f"was copied from {source_labels[0]}, where the same number stands" if source_labels else "is wrong"
                )
                yield ONE_NUMBER, f"{_place_of(cell)} {copied}: {interval_text(required, cell)} would do"
                return


VARIANTS = {  # by kind: the other kind, whether a deviation is then that of a population, and the words
    "median_of": ("mean_of", False, "it is the mean of the same cells"),
    "mean_of": ("median_of", False, "it is the median of the same cells"),
    "std_of": ("std_of", True, "it is the population deviation, not the sample deviation"),
    "ci_of": ("ci_of", True, "it is computed from the population deviation"),
    "drop_from": ("points_from", False, "it is the difference, not the relative change"),
    "points_from": ("drop_from", False, "it is the relative change, not the difference"),
}


def variant(check: Check) -> Check | None:
    """Return the check with the formula most easily confused with its own; None if there is none."""
    if check.kind not in VARIANTS:
        return None
    kind, population, _ = VARIANTS[check.kind]
    return replace(check, kind=kind, options=replace(check.options, population=population))


def _other_formula(check: Check) -> Iterator[Hypothesis]:
    if (other_check := variant(check)) and other_check.holds:
        yield FORMULA, VARIANTS[check.kind][2]
    if check.kind in ("drop_from", "points_from", "same_as") and check.allows([-i for i in check.expected()]):
        yield FORMULA, "its sign is reversed"
    reverse = {"main": check.operands.get("of", ()), "of": check.operands["main"]}
    if check.kind == "drop_from" and check.allows(check.expected(**reverse)):
        yield FORMULA, "it is relative to the other cell"


def _mean_of_the_column(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """A derived cell of an average row may be the average of its own column instead."""
    if check.kind in ("mean_of", "drop_from"):  # there it would be the same computation
        return
    table = lookup.reported.tables[check.target.table]
    for line, _ in table.relations:
        for sibling in lookup.by_declaration[table.id, line]:
            if sibling.kind == "mean_of" and sibling.target.line == check.target.line:
                lines = {part.line for part in sibling.operands["main"]}
                column = [cell for cell in table.cells if cell.column == check.target.column and cell.line in lines]
                if len(column) == len(lines) and replace(check, kind="mean_of", operands={"main": column}).holds:
                    names = [label(cell, column) for cell in column]
                    rows = f"the {len(names)} rows from {names[0]} to {names[-1]}"
                    yield FORMULA, f"it is the mean of its column over {', '.join(names) if len(names) < 5 else rows}"
                return


def _value_of_a_neighbour(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """The printed value is that of a neighbour under the same relation, or the two values are exchanged."""
    if check.target.significant_digits < SIGNIFICANT or lookup.is_right(check.target):
        return
    for neighbour in lookup.neighbours(check):
        if distance(check.target, neighbour.target) != 1:
            continue
        if (neighbour.kind, neighbour.options) != (check.kind, check.options):
            neighbour = replace(neighbour, kind=check.kind, options=check.options)
        wrong_there = not neighbour.holds or neighbour.target.number == check.target.number
        if wrong_there and neighbour.allows(neighbour.expected(), check.target):
            if check.allows(check.expected(), neighbour.target):
                pair = sorted((check.target, neighbour.target), key=lambda cell: (cell.line, cell.column))
                yield NEIGHBOUR, f"{' and '.join(label(cell, pair) for cell in pair)} are exchanged"
            else:
                yield NEIGHBOUR, f"it is the value of {label(neighbour.target, [check.target])}"


def _exchanged_parts(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """Two cells that enter this relation and a broken one of the same declaration are exchanged."""
    for sibling in lookup.by_declaration[check.target.table, check.line]:
        if sibling is check or sibling.holds or sibling.operands.keys() != check.operands.keys():
            continue
        for role, parts in check.operands.items():
            for index, (part, other_part) in enumerate(zip(parts, sibling.operands[role], strict=False)):
                is_right = lookup.is_right(part) or lookup.is_right(other_part)
                if part.table and part is not other_part and distance(part, other_part) == 1 and not is_right:
                    mends = (
                        pair_check.allows(
                            pair_check.expected(**{role: [*operand[:index], cell, *operand[index + 1 :]]})
                        )
                        for pair_check, operand, cell in (
                            (check, parts, other_part),
                            (sibling, sibling.operands[role], part),
                        )
                    )
                    if all(mends):
                        words = f"{_pair(part, other_part)} are exchanged"
                        if check.allows(check.expected(), sibling.target) and sibling.allows(
                            sibling.expected(), check.target
                        ):
                            words += f", or {_pair(check.target, sibling.target)}"
                        yield NEIGHBOUR if check.declared else ONE_NUMBER, words


def _pair(cell: Cell, other_cell: Cell) -> str:
    pair = sorted((cell, other_cell), key=lambda pair_cell: (pair_cell.line, pair_cell.column))
    return " and ".join(map(_place_of, pair))


def _other_parts(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """The same computation with one cell more or less."""
    for role in ("main", "plus"):
        parts = check.operands.get(role, ())
        if len(parts) < 2:
            continue
        for left_out in parts:
            rest = [part for part in parts if part is not left_out]
            if len(rest) > 1 and check.allows(check.expected(**{role: rest})):
                yield PARTS, f"{label(left_out, parts)} is left out"
        for added in _siblings(lookup.reported, parts):
            if added is not check.target and check.allows(check.expected(**{role: [*parts, added]})):
                yield PARTS, f"{label(added, parts)} is included"


def _siblings(reported: Reported, parts: Sequence[Cell]) -> list[Cell]:
    """Cells that stand beside `parts`: at the same coordinates except for the one in which the parts differ."""
    first, table = parts[0].coordinates, parts[0].table
    varying = [name for name in first if any(part.coordinates.get(name) != first[name] for part in parts)]
    if len(varying) != 1:
        return []
    place = {**first, varying[0]: ANY}
    return [cell for cell in reported.tables[table].select(place) if not any(cell is part for part in parts)]


def _other_cell(lookup: Lookup, check: Check, role: str) -> Iterator[Hypothesis]:
    """The same computation from a cell that differs from the declared one in a single coordinate."""
    operand = check.operands.get(role, ())
    if len(operand) != 1 or not operand[0].table:
        return
    declared = operand[0]
    for cell in lookup.neighbour_cells(declared):
        if (
            cell is not check.target
            and cell.number != declared.number
            and check.allows(check.expected(**{role: [cell]}))
        ):
            number = f" ({cell.printed})" if role == "main" and check.kind in ("drop_from", "points_from") else ""
            names = [(cell.table, label(cell, [declared])), (declared.table, label(declared, [cell]))]
            if cell.table == declared.table:
                cost, (name, declared_name) = OTHER_CELL, [words for _, words in names]
            else:
                cost, (name, declared_name) = OTHER_TABLE, [" · ".join(filter(None, pair)) for pair in names]
            yield cost, f"{name}{number} stands in place of {declared_name}"


def _copied(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    for copy in lookup.copies(check.target) if not lookup.is_right(check.target) else ():
        elsewhere = copy.table != check.target.table
        if distance(check.target, copy) <= (2 if check.kind in RESTATES else 1) and (
            elsewhere or check.kind not in OPEN
        ):
            place = " · ".join(filter(None, (copy.table if elsewhere else "", label(copy, [check.target]))))
            yield COPY, f"it was copied from {place}, where the same number stands"


def _slip(lookup: Lookup, check: Check) -> Iterator[Hypothesis]:
    """A slip in one number, in the cell that the fewest other relations confirm first, then where it stands out.

    Where nobody declared the relation, it is the simplest explanation: the other cells show which formula is meant.
    """
    expected = check.expected()
    slips = [(0.0, check.target, *slip) for slip in _slips(lookup, check.target) if check.allows(expected, slip[0])]
    for role, operand in check.operands.items():
        middle = median(part.value for part in operand)
        for index, part in enumerate(operand):
            for cell, words in _slips(lookup, part) if part.table else ():
                if check.allows(check.expected(**{role: [*operand[:index], cell, *operand[index + 1 :]]})):
                    slips.append((abs(cell.value - middle) - abs(part.value - middle), part, cell, words))
    for _, part, cell, words in sorted(slips, key=lambda slip: (lookup.confirmations[id(slip[1])], slip[0])):
        if check.declared or all(
            part_check.holds_with(part, cell.interval) for part_check in lookup.checks_of[id(part)]
        ):
            place = "" if part is check.target else f" ({label(part, [check.target])})"
            yield DIGITS if check.declared else ONE_NUMBER, f"{words.format(part.printed + place)}: {cell.printed}"


def _slips(lookup: Lookup, cell: Cell) -> Iterator[tuple[Cell, str]]:
    """The cell without a slip, and the slip in words; none if its run gives its number."""
    if lookup.is_right(cell):
        return
    mantissa = re.split(r"(?<=\d)[eE]", cell.printed)[0]  # a power of ten stays as it is
    for first, second in pairwise(match.start() for match in re.finditer(r"\d", mantissa)):
        digits = list(cell.printed)
        digits[first], digits[second] = digits[second], digits[first]
        if (printed := "".join(digits)) != cell.printed:
            yield _with_number(cell, printed), "two digits of {} are swapped"
    for pattern, shifted in ((r"(\d)\.(\d)", r"\1\2."), (r"(\d)(\d)\.", r"\1.\2")):
        printed = re.sub(r"\.(?!\d)", "", re.sub(pattern, shifted, cell.printed, count=1))
        if printed != cell.printed and lookup.is_usual(corrected := _with_number(cell, printed)):
            yield corrected, "the point of {} is shifted"


def _with_number(cell: Cell, printed: str) -> Cell:
    return replace(cell, number=parse("", printed, 1, {})[0].number, printed=printed)
