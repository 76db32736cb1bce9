"""Hypotheses about a broken relation: one change to the relation or to a cell that makes it hold."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from robustdr.audit.cells import Cell, describe, parse
from robustdr.audit.evidence import SIGNIFICANT, Evidence, distance, significant
from robustdr.audit.relations import Check, label, shown
from robustdr.audit.reported import ANY, Reported
from robustdr.claims.intervals import Interval

# Costs, simplest first. ONE_NUMBER: several relations require the same correction of one number.
ONE_NUMBER, FORMULA, NEIGHBOUR, PARTS, OTHER_CELL, OTHER_TABLE, UNPRINTED, COPY, DIGITS = range(9)
# Too many values satisfy these for most changes to mean anything.
OPEN = ("at_most", "at_least", "share_of", "mean_over", "deviation_over")
RESTATES = ("same_as", *OPEN)
Hypothesis = tuple[int, str]  # its cost, which names what changes, and the change in words
UNKNOWN: Hypothesis = FORMULA, ""


def hypotheses(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """Yield every hypothesis under which `check` would hold, with its cost."""
    if check.kind not in OPEN and not check.options.or_more:
        yield from _one_number(evidence, check)
        yield from _other_formula(check)
        yield from _mean_of_the_column(evidence, check)
        yield from _value_of_a_neighbour(evidence, check)
        yield from _exchanged_parts(evidence, check)
        yield from _other_parts(evidence, check)
        yield from _other_cell(evidence, check, "main")
        yield from _other_cell(evidence, check, "of")
        yield from _slip(evidence, check)
    yield from _copied(evidence, check)


def _one_number(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """With another number in one cell, this relation and all other broken ones of the cell would hold."""
    suspects = []
    for cell in [check.target, *(part for parts in check.operands.values() for part in parts if part.table)]:
        broken = [other for other in evidence.checks_of[id(cell)] if not other.holds]
        own = [other for other in broken if other.target is cell]
        # a mistaken formula is simpler than a slip that gives the same result
        if 1 < len(broken) > len(own) and not any(other.holds for other in filter(None, map(variant, own))):
            suspects.append((cell, broken))
    for cell, _ in suspects:
        for right, words in _slips(evidence, cell):
            if all(other.holds_with(cell, right.interval) for other in evidence.checks_of[id(cell)]):
                yield ONE_NUMBER, f"{words.format(f'{cell.printed} ({describe(cell.coordinates)})')}: {right.printed}"
                return
    for cell, broken in suspects:
        for mean in (other for other in broken if other.kind == "mean_of" and other.target is not cell):
            asked = _asked_for(mean, cell)
            if all(other.holds_with(cell, asked) for other in evidence.checks_of[id(cell)]):
                beside = [label(other, [cell]) for other in evidence.copies(cell) if distance(cell, other) == 1]
                copied = f"was copied from {beside[0]}, where the same number stands" if beside else "is wrong"
                name = f"{cell.printed} ({describe(cell.coordinates)})"
                yield ONE_NUMBER, f"{name} {copied}: {shown(asked, cell)} would do"
                return


def _asked_for(mean: Check, cell: Cell) -> Interval:
    """Return the value of one part of a mean if all other printed numbers are right."""
    parts = mean.operands["main"]
    total = mean.target.interval.scaled(len(parts))
    for part in parts:
        total = total if part is cell else total - part.interval
    return total


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
    if (other := variant(check)) and other.holds:
        yield FORMULA, VARIANTS[check.kind][2]
    if check.kind in ("drop_from", "points_from", "same_as") and check.allows([-i for i in check.expected()]):
        yield FORMULA, "its sign is reversed"
    reverse = {"main": check.operands.get("of", ()), "of": check.operands["main"]}
    if check.kind == "drop_from" and check.allows(check.expected(**reverse)):
        yield FORMULA, "it is relative to the other cell"


def _mean_of_the_column(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """A derived cell of an average row may be the average of its own column instead."""
    if check.kind in ("mean_of", "drop_from"):  # there it would be the same computation
        return
    table = evidence.reported.tables[check.target.table]
    for line, _ in table.relations:
        for other in evidence.by_declaration[table.id, line]:
            if other.kind == "mean_of" and other.target.line == check.target.line:
                lines = {part.line for part in other.operands["main"]}
                column = [cell for cell in table.cells if cell.column == check.target.column and cell.line in lines]
                if len(column) == len(lines) and replace(check, kind="mean_of", operands={"main": column}).holds:
                    yield FORMULA, f"it is the mean of its column over {_few([label(c, column) for c in column])}"
                return


def _few(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < 5 else f"the {len(names)} rows from {names[0]} to {names[-1]}"


def _value_of_a_neighbour(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """The printed value is that of a neighbour under the same relation, or the two values are exchanged."""
    if significant(check.target) < SIGNIFICANT:
        return
    for other in evidence.neighbours(check):
        if distance(check.target, other.target) != 1:
            continue
        if (other.kind, other.options) != (check.kind, check.options):
            other = replace(other, kind=check.kind, options=check.options)
        wrong_there = not other.holds or other.target.number == check.target.number
        if wrong_there and other.allows(other.expected(), check.target):
            if check.allows(check.expected(), other.target):
                pair = sorted((check.target, other.target), key=lambda cell: (cell.line, cell.column))
                yield NEIGHBOUR, f"{' and '.join(label(cell, pair) for cell in pair)} are exchanged"
            else:
                yield NEIGHBOUR, f"it is the value of {label(other.target, [check.target])}"


def _exchanged_parts(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """Two cells that enter this relation and a broken one of the same declaration are exchanged."""
    for other in evidence.by_declaration[check.target.table, check.line]:
        if other is check or other.holds or other.operands.keys() != check.operands.keys():
            continue
        for role, parts in check.operands.items():
            for index, (here, there) in enumerate(zip(parts, other.operands[role], strict=False)):
                if here.table and here is not there and distance(here, there) == 1:
                    mends = (
                        one.allows(one.expected(**{role: [*those[:index], cell, *those[index + 1 :]]}))
                        for one, those, cell in ((check, parts, there), (other, other.operands[role], here))
                    )
                    if all(mends):
                        words = f"{_pair(here, there)} are exchanged"
                        if check.allows(check.expected(), other.target) and other.allows(
                            other.expected(), check.target
                        ):
                            words += f", or {_pair(check.target, other.target)}"
                        yield NEIGHBOUR if check.declared else ONE_NUMBER, words


def _pair(cell: Cell, other: Cell) -> str:
    pair = sorted((cell, other), key=lambda one: (one.line, one.column))
    return " and ".join(f"{one.printed} ({describe(one.coordinates)})" for one in pair)


def _other_parts(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """The same computation with one cell more or less."""
    for role in ("main", "plus"):
        parts = check.operands.get(role, ())
        if len(parts) < 2:
            continue
        for left_out in parts:
            rest = [part for part in parts if part is not left_out]
            if len(rest) > 1 and check.allows(check.expected(**{role: rest})):
                yield PARTS, f"{label(left_out, parts)} is left out"
        for added in _siblings(evidence.reported, parts):
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


def _other_cell(evidence: Evidence, check: Check, role: str) -> Iterator[Hypothesis]:
    """The same computation from a cell that differs from the declared one in a single coordinate."""
    operand = check.operands.get(role, ())
    if len(operand) != 1 or not operand[0].table:
        return
    declared = operand[0]
    for cell in evidence.beside(declared):
        if (
            cell is not check.target
            and cell.number != declared.number
            and check.allows(check.expected(**{role: [cell]}))
        ):
            number = f" ({cell.printed})" if role == "main" and check.kind in ("drop_from", "points_from") else ""
            cost = OTHER_CELL if cell.table == declared.table else OTHER_TABLE
            yield cost, _instead(cell, declared, number)


def _instead(cell: Cell, declared: Cell, number: str) -> str:
    words = [label(cell, [declared]), label(declared, [cell])]
    if cell.table != declared.table:
        words = [" · ".join(filter(None, pair)) for pair in zip((cell.table, declared.table), words, strict=True)]
    return f"{words[0]}{number} stands in place of {words[1]}"


def _copied(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    for other in evidence.copies(check.target):
        elsewhere = other.table != check.target.table
        if distance(check.target, other) <= (2 if check.kind in RESTATES else 1) and (
            elsewhere or check.kind not in OPEN
        ):
            place = " · ".join(filter(None, (other.table if elsewhere else "", label(other, [check.target]))))
            yield COPY, f"it was copied from {place}, where the same number stands"


def _slip(evidence: Evidence, check: Check) -> Iterator[Hypothesis]:
    """A slip in one number, in the cell that the fewest other relations confirm first, then where it stands out.

    Where nobody declared the relation, it is the simplest explanation: the other cells show which formula is meant.
    """
    expected = check.expected()
    found = [(0.0, check.target, *slip) for slip in _slips(evidence, check.target) if check.allows(expected, slip[0])]
    for role, operand in check.operands.items():
        middle = median(part.value for part in operand)
        for index, part in enumerate(operand):
            for cell, words in _slips(evidence, part) if part.table else ():
                if check.allows(check.expected(**{role: [*operand[:index], cell, *operand[index + 1 :]]})):
                    found.append((abs(cell.value - middle) - abs(part.value - middle), part, cell, words))
    for _, part, cell, words in sorted(found, key=lambda slip: (evidence.confirmations[id(slip[1])], slip[0])):
        if check.declared or all(other.holds_with(part, cell.interval) for other in evidence.checks_of[id(part)]):
            where = "" if part is check.target else f" ({label(part, [check.target])})"
            yield DIGITS if check.declared else ONE_NUMBER, f"{words.format(part.printed + where)}: {cell.printed}"


def _slips(evidence: Evidence, cell: Cell) -> Iterator[tuple[Cell, str]]:
    """The cell without a slip, and the slip in words."""
    for swapped in _with_swapped_digits(cell):
        yield swapped, "two digits of {} are swapped"
    for pattern, moved in ((r"(\d)\.(\d)", r"\1\2."), (r"(\d)(\d)\.", r"\1.\2")):
        printed = re.sub(r"\.(?!\d)", "", re.sub(pattern, moved, cell.printed, count=1))
        if printed != cell.printed and evidence.is_usual(right := _with_number(cell, printed)):
            yield right, "the point of {} is shifted"


def _with_swapped_digits(cell: Cell) -> Iterator[Cell]:
    """The cell with two neighbouring digits exchanged, those of a power of ten left as they are."""
    mantissa = re.split(r"(?<=\d)[eE]", cell.printed)[0]
    for first, second in pairwise(match.start() for match in re.finditer(r"\d", mantissa)):
        digits = list(cell.printed)
        digits[first], digits[second] = digits[second], digits[first]
        if (printed := "".join(digits)) != cell.printed:
            yield _with_number(cell, printed)


def _with_number(cell: Cell, printed: str) -> Cell:
    return replace(cell, number=parse("", printed, 1, {})[0].number, printed=printed)
