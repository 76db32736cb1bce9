"""The kinds of relation between printed cells, and a relation applied to one cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import ceil, floor, inf, isfinite, sqrt
from typing import NamedTuple

from robustdr.audit import grains, rounding
from robustdr.audit.cells import Cell, describe
from robustdr.audit.grains import Grain, Mixture
from robustdr.claims.intervals import SLACK, Interval

Operands = Mapping[str, Sequence[Interval]]  # by role: target, main, of, plus, minus, out_of
SHOWN = 12  # cells that a phrase lists


@dataclass(frozen=True)
class Options:
    """Options of a relation's computation.

    Attributes:
        note: why it must hold. z: normal quantile of a confidence interval. magnitude: whether signs are ignored.
        or_more: whether the target may also be larger.
        population: whether a deviation is of a population, not of a sample.
        runs: number of runs in a mean over queries. grain: the means that a measure can have.
        factor: what a computed value is multiplied by, where the target's unit or sign differs.
    """

    note: str = ""
    z: float = 1.96
    magnitude: bool = False
    or_more: bool = False
    population: bool = False
    runs: int = 1
    grain: Grain | Mixture | None = None
    factor: float = 1.0


class Kind(NamedTuple):
    """A kind of relation, and the severity of a mismatch."""

    severity: str
    words: str
    derives: bool = True  # the target is computed from its operands, not only compared with them
    keeps_value: bool = False  # operands have the target's own `value` coordinate unless the relation names one


KINDS = {
    "mean_of": Kind("inconsistent", "the mean of {main}", keeps_value=True),
    "median_of": Kind("inconsistent", "the median of {main}"),
    "harmonic_mean_of": Kind("inconsistent", "the harmonic mean (F1) of {main}"),
    "std_of": Kind("inconsistent", "the standard deviation of {main}"),
    "ci_of": Kind("inconsistent", "the confidence half-width over {main}"),
    "bound_of": Kind("inconsistent", "{main}{plus}{minus}"),
    "drop_from": Kind("inconsistent", "the relative change from {main} to {of}"),
    "points_from": Kind("inconsistent", "{of} minus {main}"),
    "sum_is": Kind("impossible", "the sum of {main}{plus}", keeps_value=True),
    "share_of": Kind("impossible", "a whole number out of {main}", derives=False),
    "mean_over": Kind("impossible", "the mean of a measure over {main} queries", derives=False),
    "deviation_over": Kind("impossible", "the deviation of {main} whole numbers with the mean {of}", derives=False),
    "counts_match": Kind("impossible", "{main} out of {out_of}", derives=False),
    "same_as": Kind("inconsistent", "the same as {main}", derives=False, keeps_value=True),
    "at_least": Kind("impossible", "at least {main}", derives=False, keeps_value=True),
    "at_most": Kind("impossible", "at most {main}{plus}", derives=False, keeps_value=True),
}


def _computed(kind: str, operands: Operands, options: Options) -> list[Interval]:
    """Return every value that the target may have; none if nothing can be computed, as a change from 0."""
    main = operands["main"]
    total = _total(operands, "main")
    match kind:
        case "mean_of":
            return [rounding.mean(main)]
        case "median_of":
            return [rounding.median(main)]
        case "harmonic_mean_of":
            mean = rounding.harmonic_mean(main)
            return [mean] if mean else []
        case "std_of":
            return [rounding.deviation(main, population=options.population)]
        case "ci_of":
            factor = options.z / sqrt(len(main))
            return [rounding.deviation(main, population=options.population).scaled(factor)]
        case "bound_of":
            return [total + _total(operands, "plus") - _total(operands, "minus")]
        case "drop_from":
            change = rounding.change(rounding.mean(operands["of"]), rounding.mean(main))
            return [_printed_change(change, options)] if change else []
        case "points_from":
            return [_printed_change(rounding.mean(operands["of"]) - rounding.mean(main), options)]
        case "sum_is":
            return [total - _total(operands, "plus")]
        case "share_of":
            return _shares(total.low, operands["target"][0])
        case "mean_over":
            printed, grain = operands["target"][0], options.grain
            if grain is None or not all(map(isfinite, printed)):
                return []
            return grains.nearest(grain, round(total.low) * options.runs, printed)
        case "deviation_over":
            printed, average = operands["target"][0], operands["of"][0]
            is_rounded = all(map(isfinite, (*printed, *average)))
            return grains.deviations(round(total.low), average, printed) if is_rounded else []
        case "counts_match":  # a negative number is no part of a whole
            return [] if total.high < 0 else [total / _total(operands, "out_of")]
        case "same_as":
            return list(main)
        case "at_least":
            return [Interval(max(part.low for part in main), inf)]
    # at_most
    return [Interval(-inf, min(part.high for part in main) - _total(operands, "plus").low)]


def _total(operands: Operands, role: str) -> Interval:
    parts = operands.get(role, ())
    return rounding.mean(parts).scaled(len(parts)) if parts else Interval(0.0, 0.0)


def _printed_change(change: Interval, options: Options) -> Interval:
    """Return a computed change as the target prints it: without its sign, or as a lower bound."""
    change = change.magnitude() if options.magnitude else change
    return Interval(change.low, inf) if options.or_more else change


def _shares(total: float, printed: Interval) -> list[Interval]:
    """Return the shares of a total that are printed so, or that are nearest to it."""
    low, high = printed
    if not isfinite(low) or not isfinite(high):
        return []
    counts = {floor(low * total + SLACK), ceil(low * total - SLACK), floor(high * total + SLACK)}
    if high > low:  # no rounding prints a number at the upper end: 62.3 % is less than 62.4 %
        counts -= {count for count in counts if abs(count - high * total) <= SLACK}
        counts.add(ceil(high * total - SLACK) - 1)
    return [Interval(count / total, count / total) for count in sorted(counts)]


@dataclass(frozen=True)
class Check:
    """A relation at one cell: the printed value, and the values that its operands allow."""

    kind: str
    target: Cell
    operands: Mapping[str, Sequence[Cell]]
    options: Options
    line: int  # of the declaration
    declared: bool = True

    @property
    def cells(self) -> list[Cell]:
        """The target, then all operands."""
        return [self.target, *chain(*self.operands.values())]

    @property
    def printed_cells(self) -> list[Cell]:
        """The same without exact numbers that the declaration gives itself."""
        return [cell for cell in self.cells if cell.table]

    def expected(self, **changed: Sequence[Cell]) -> list[Interval]:
        """Return the values that the operands allow; `changed` replaces some operands."""
        if not changed:
            return self._expected
        return self.expected_of({role: [cell.interval for cell in cells] for role, cells in changed.items()})

    @cached_property
    def _expected(self) -> list[Interval]:
        return self.expected_of({})

    def expected_of(self, changed: Operands) -> list[Interval]:
        """Return the values that the operands allow; `changed` replaces some, as intervals."""
        kind = KINDS[self.kind]
        cells = {"target": [self.target], **self.operands}
        values: dict[str, Sequence[Interval]] = {
            role: [cell.interval for cell in role_cells] for role, role_cells in cells.items() if role not in changed
        }
        values |= dict(changed)
        if not kind.derives:
            values = {role: [self._unsigned(interval) for interval in intervals] for role, intervals in values.items()}
        computed = _computed(self.kind, values, self.options)
        return [interval.scaled(self.options.factor) for interval in computed] if self.options.factor != 1 else computed

    def allows(self, expected: Sequence[Interval], target: Cell | None = None) -> bool:
        """Whether the target, or the cell given instead, can have one of the expected values."""
        printed = self._unsigned((target or self.target).interval)
        return any(printed.meets(interval) for interval in expected)

    def _unsigned(self, interval: Interval) -> Interval:
        return interval.magnitude() if self.options.magnitude else interval

    def holds_with(self, cell: Cell, value: Interval) -> bool:
        """Whether the relation would hold if one of its cells, the target or an operand, had another value."""
        roles = {"target": [self.target], **self.operands}
        values = {
            role: [value if member is cell else member.interval for member in cells] for role, cells in roles.items()
        }
        expected = self.expected_of(values)
        printed = self._unsigned(values["target"][0])
        return not expected or any(printed.meets(interval) for interval in expected)

    @cached_property
    def holds(self) -> bool:
        """Whether some rounding makes the relation true; also if it cannot be checked (a change from 0)."""
        expected = self.expected()
        return not expected or self.allows(expected)

    @property
    def severity(self) -> str:
        """`impossible` if no data can give the cell, `inconsistent` if it disagrees with other cells.

        `suspicious` if the relation is not declared but most cells obey it.
        """
        if not self.declared:
            return "suspicious"
        if self.kind in ("mean_of", "median_of"):
            parts = rounding.hull([cell.interval for cell in self.operands["main"]])
            return "inconsistent" if parts.meets(self.target.interval) else "impossible"
        return KINDS[self.kind].severity

    @property
    def words(self) -> str:
        """The relation as a phrase that continues `should be …`."""
        role_words = {role: self._operand_words(cells) for role, cells in self.operands.items()}
        role_words = {"plus": "", "minus": "", **role_words}
        signs = {"plus": "plus", "minus": "minus"} if self.kind == "bound_of" else {"plus": "less"}
        role_words |= {role: f" {sign} {role_words[role]}" for role, sign in signs.items() if role_words[role]}
        note = f" ({self.options.note})" if self.options.note else ""
        return KINDS[self.kind].words.format(**role_words) + note

    def _operand_words(self, cells: Sequence[Cell]) -> str:
        if len(cells) == 1:
            name = differing_labels(cells[0], self.target)
            return f"{name} ({cells[0].printed})" if name else cells[0].printed
        table_words = f"{cells[0].table} " if cells[0].table != self.target.table else ""
        if len(cells) > SHOWN:
            return f"the {len(cells)} cells {table_words}{label(cells[0], cells)} to {label(cells[-1], cells)}"
        return table_words + ", ".join(f"{label(cell, cells)} ({cell.printed})" for cell in cells)


def label(cell: Cell, cells: Sequence[Cell]) -> str:
    """Return the coordinates of `cell` in which some of `cells` differ from it."""
    names = [name for name in cell.coordinates if any(c.coordinates.get(name) != cell.coordinates[name] for c in cells)]
    return describe({name: cell.coordinates[name] for name in names})


def differing_labels(cell: Cell, other_cell: Cell) -> str:
    """Return the coordinates in which `cell` differs from `other_cell`; in another table, the table and all of them."""
    if not cell.table:
        return ""
    return label(cell, [other_cell]) if cell.table == other_cell.table else str(cell)


def interval_text(interval: Interval, cell: Cell) -> str:
    """Return an interval as the cell would print it, with one decimal more: `26.05 to 26.16%`."""
    decimals = cell.decimals + 1 if cell.unit != "count" else 0
    ends = [f"{end / cell.scale:.{decimals}f}" for end in interval]
    unit = "%" if cell.printed.endswith("%") else ""
    if interval.low == -inf or interval.high == inf:
        return f"at most {ends[1]}{unit}" if interval.low == -inf else f"at least {ends[0]}{unit}"
    return f"{ends[0]}{unit}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}{unit}"
