"""Relations that nobody declared, found by arithmetic: any row or column computed from others of its table.

A relation is believed if it fits nearly all cells and would hardly do so by chance (`chance`), however its labels are
worded: a label only lowers the number of relations that count as tried. It is searched along rows and along columns.

Many formulas are computed at once. Arrays are [lines, formulas]; a number that is missing, or open at one end, is NaN
and agrees with nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from robustdr.audit import rounding
from robustdr.audit.cells import LOST, Cell
from robustdr.audit.chance import chance_bound, odds
from robustdr.audit.formulas import NAMES, Formula, Formulas
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import Reported, Table
from robustdr.claims.intervals import SLACK, Interval

SURE, SURE_NAMED = 1e-6, 1e-3  # chance below which a relation is believed; one that labels name
SHARE, SHARE_NAMED = 0.8, 0.6  # of its cells that must fit
SHARE_OF_ALL = 1 / 3  # of an average, a median or a total of all that stands beside it
MOST = 200_000  # formulas that are tried along the rows of a table, and along its columns
FEWEST = 3  # cells that must fit if labels name nothing
FEW = 0.02  # chance below which an average, a median or a total of all that stands beside it is believed
WIDE = 0.4  # share of a quotient that rounding may leave open; with more, numbers of like size fit it
AT_ONCE = 4096  # of them
MULTIPLE = 10  # change from which it is no change, but a quotient
SCALES = (1.0, 100.0, 0.01)
AGGREGATES = ("mean_of", "median_of", "sum_is")
SCALED = ("points_from", "drop_from", "counts_match")  # kinds whose target may have another unit


class Ends(NamedTuple):
    """Intervals: their low and high ends. Those of the operands are [lines, formulas, parts]."""

    low: np.ndarray
    high: np.ndarray


class Results(NamedTuple):
    """What formulas give, without a factor, and the factor with which this agrees with the target; 0 if none does."""

    ends: Ends
    factor: np.ndarray

    @property
    def defined(self) -> np.ndarray:
        """Where a formula and its target both have their numbers."""
        return ~np.isnan(self.ends.low)


def promising(table: Formulas, formulas: Sequence[Formula]) -> list[Formula]:
    """Return the formulas that agree with most of the first lines of their targets, and with at least two."""
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, formula in enumerate(formulas):
        groups[
            formula.kind, formula.base < 0, formula.whole is None, tuple(len(fields) for _, fields in formula.parts)
        ].append(place)
    chosen: list[int] = []
    for places in groups.values():
        same_form = [formulas[place] for place in places]
        outcome = computed(table, same_form, table.first_lines[:, [formula.target for formula in same_form]])
        fits = np.count_nonzero(outcome.factor, axis=0)
        good = (fits > 1) & (2 * fits > np.count_nonzero(outcome.defined, axis=0))
        chosen += [place for place, promises in zip(places, good.tolist(), strict=True) if promises]
    return [formulas[place] for place in sorted(chosen)]


def computed(table: Formulas, formulas: Sequence[Formula], lines: np.ndarray) -> Results:
    """Return what formulas of one form give: of one kind, with as many parts.

    Args:
        lines: the lines at which they are computed, [lines, formulas]; -1 for none.
    """
    first = formulas[0]
    targets = np.array([formula.target for formula in formulas])
    target = Ends(table.low[lines, targets], table.high[lines, targets])
    bases = np.array([formula.base for formula in formulas])
    low = table.low if first.kind == "counts_match" else table.plain
    operands: dict[str, Ends] = {}
    for number, (role, _) in enumerate(first.parts):
        fields = np.array([formula.parts[number][1] for formula in formulas])
        index = (bases[None] if first.base >= 0 and role == "main" else lines)[..., None], fields
        operands[role] = Ends(low[index], table.high[index])
    if first.whole is not None:
        exact = np.array([[[formula.whole.value if formula.whole else 0.0] for formula in formulas]])
        operands["main" if first.kind == "sum_is" else "out_of"] = Ends(exact, exact)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = Ends(*_ends(first.kind, operands))
        valid = np.isfinite(ends.low) & np.isfinite(ends.high) & np.isfinite(target.low) & np.isfinite(target.high)
        valid &= lines != bases
        if first.whole is None and first.kind in ("mean_of", "sum_is", "harmonic_mean_of"):
            valid &= np.isfinite(table.plain[lines, targets])
        ends = Ends(np.where(valid, ends.low, np.nan), np.where(valid, ends.high, np.nan))
        return Results(ends, _factors(first.kind, ends, target))


def _factors(kind: str, computed_ends: Ends, target: Ends) -> np.ndarray:
    factors = np.zeros(computed_ends.low.shape)
    scales, nonzero = [1.0], np.full(computed_ends.low.shape, True)
    if kind in SCALED:
        scales = [scale * sign for scale in SCALES for sign in ((1, -1) if kind == "drop_from" else (1,))]
        nonzero = (abs(computed_ends.low + computed_ends.high) >= 2 * SLACK) & (target.low * target.high > 0)
    for factor in reversed(scales):
        ends = (computed_ends.low * factor, computed_ends.high * factor)[:: 1 if factor > 0 else -1]
        slack = SLACK * np.max([np.ones_like(ends[0]), *(abs(end) for end in (*ends, *target))], axis=0)
        meets = (ends[0] <= target.high + slack) & (target.low <= ends[1] + slack)
        factors[meets & nonzero] = factor
    return factors


_LATER = re.compile(r"\b(?:second|value_\d+)$")  # further values of one field
Operands = Mapping[str, Ends]


def _ends(kind: str, operands: Operands) -> tuple[np.ndarray, np.ndarray]:
    """The ends of what a formula gives."""
    low, high = operands["main"]
    match kind:
        case "points_from":
            changed = operands["of"]
            return (changed.low - high)[..., 0], (changed.high - low)[..., 0]
        case "drop_from":
            return _hull([a / b - 1 for a in operands["of"] for b in (low, high)], low > 0)
        case "counts_match":
            whole = operands["out_of"]
            return _hull([a / b for a in (low, high) for b in whole], (whole.low > 0) & (high >= 0))
        case "harmonic_mean_of":
            lowest, highest = (ends.shape[-1] / (1 / ends).sum(-1) for ends in (low, high))
            return np.where((low > 0).all(-1), lowest, np.nan), highest
        case "mean_of":
            return low.mean(-1), high.mean(-1)
        case "median_of":
            return np.median(low, -1), np.median(high, -1)
        case "sum_is" if "plus" in operands:
            plus = operands["plus"]
            return low.sum(-1) - plus.high.sum(-1), high.sum(-1) - plus.low.sum(-1)
        case "sum_is":
            return low.sum(-1), high.sum(-1)
    # std_of
    at_centres = ((low + high) / 2).std(-1, ddof=1)
    reach = np.sqrt((((high - low) / 2) ** 2).sum(-1) / (low.shape[-1] - 1))
    return np.maximum(0.0, at_centres - reach), at_centres + reach


def _hull(ends: Sequence[np.ndarray], valid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    return np.where(valid, low, np.nan)[..., 0], np.where(valid, high, np.nan)[..., 0]


@dataclass(frozen=True)
class ObeyedRelation:
    """A relation, its checks at all cells that it concerns, and a bound on its chance to fit so many of them."""

    checks: Sequence[Check]
    chance: float

    @property
    def fit(self) -> int:
        return sum(check.holds for check in self.checks)


def obeyed(reported: Reported) -> dict[str, list[ObeyedRelation]]:
    """By table, the relations that those without declarations obey."""
    return {table.id: relations(table) for table in reported.outside_prose if not table.is_declared}


def undeclared(relations_by_table: Mapping[str, Sequence[ObeyedRelation]]) -> list[Check]:
    """The relations that were found (see `obeyed`), at every cell; some cells may break them.

    A cell that obeys one relation breaks no other: an average of F1 may be the F1 of averages.
    """
    checks: list[Check] = []
    for of_table in relations_by_table.values():
        obeying = {id(check.target) for relation in of_table for check in relation.checks if check.holds}
        for number, relation in enumerate(of_table, 1):
            fit = f"{relation.fit} of {len(relation.checks)} cells fit, by chance {odds(relation.chance)}"
            note = f"found, not declared: {fit}"
            for check in relation.checks:
                # A cell without a head may be in a row that is shifted against the others.
                has_no_head = any(label.split(" #")[0] == LOST for label in check.target.coordinates.values())
                if check.holds or not (has_no_head or id(check.target) in obeying):
                    checks.append(replace(check, line=-number, options=replace(check.options, note=note)))
    return checks


def relations(table: Table) -> list[ObeyedRelation]:
    """The relations of one table, each cell computed in one way at most, best first."""
    candidates: list[tuple[tuple[float, ...], ObeyedRelation, frozenset[object]]] = []
    for transposed in (False, True):
        search = _Search(table, transposed)
        candidates += [
            (order, relation, frozenset({(transposed, *key)})) for order, relation, key in search.find_relations()
        ]
    candidates.sort(key=lambda entry: entry[0])
    used_keys: set[object] = set()
    targets: set[int] = set()
    chosen = []
    for _, relation, key in candidates:
        relation_targets = {id(check.target) for check in relation.checks}
        if not key & used_keys and len(relation_targets & targets) * 2 < len(relation_targets):
            used_keys |= key
            targets |= relation_targets
            chosen.append(relation)
    return chosen


def _is_change(formula: Formula, target: Cell, value: Cell, base: Cell) -> bool:
    """Whether the target may be the change from a base to a value, in points or as a share, as its formula says."""
    points = value.interval - base.interval
    change = points if formula.kind == "points_from" else rounding.change(value.interval, base.interval)
    return change is not None and change.scaled(formula.factor).meets(target.interval)


class _Search(Formulas):
    """Finds the formulas that a table obeys."""

    def find_relations(self) -> Iterator[tuple[tuple[float, ...], ObeyedRelation, tuple[object, ...]]]:
        """Yield (place in the order, relation, what tells it from others of the same numbers)."""
        width = len(self.names)
        if width < 2 or len(self.lines) < 2:
            return
        promising_formulas: list[Formula] = []
        tried = 0
        targets = [target for target in range(width) if self.first_lines[1, target] >= 0]
        kinds = (self.blocks, self.pairs, self.baselines)
        formulas = islice(chain.from_iterable(kind(target) for target in targets for kind in kinds), MOST)
        while batch := list(islice(formulas, AT_ONCE)):
            tried += len(batch)
            promising_formulas += promising(self, batch)
        relations = [
            (formula, True, self._believed(formula, 1, is_named=True, of_all=True))
            for formula in (*self._aggregates(), *self._changes())
        ]
        for formula in promising_formulas:
            # Whether the label of the target, and not of all its parts, names the relation.
            name = NAMES[formula.kind]
            parts = [self.names[field] for _, fields in formula.parts for field in fields]
            is_named = bool(name.search(self.names[formula.target])) and not all(map(name.search, parts))
            relations.append((formula, is_named, self._believed(formula, width if is_named else tried, is_named)))
        for formula, is_named, relation in relations:
            if relation:
                share = relation.fit / len(relation.checks)
                order = (0.0 if is_named else 1.0, -share, relation.chance, -float(formula.target))
                yield order, relation, tuple(sorted([*formula.fields, (formula.target, -1)]))

    def _aggregates(self) -> Iterator[Formula]:
        """Averages, medians and totals, by their labels, of all other fields, or of all up to the next one of them."""
        kinds = {f: next((k for k in AGGREGATES if NAMES[k].search(name)), "") for f, name in enumerate(self.names)}
        for target, kind in kinds.items():
            if kind and not all(kinds.values()):
                plain = [
                    f
                    for f, label in kinds.items()
                    if not label
                    and not self.is_tested[f]
                    and not self.is_extreme[f]
                    and np.isfinite(self.plain[:, f]).any()
                ]
                before = max((f for f in range(target) if kinds[f]), default=-1)
                after = min((f for f in range(target + 1, len(kinds)) if kinds[f]), default=len(kinds))
                spans = [plain, [f for f in plain if before < f < target], [f for f in plain if target < f < after]]
                for parts in sorted({tuple(span) for span in spans if len(span) > 1}):
                    yield Formula(kind, target, (("main", parts),))

    def _changes(self) -> Iterator[Formula]:
        """Changes, by their labels, between the two fields that stand before them, or all that stand beside them."""
        changes = [bool(NAMES["points_from"].search(name)) for name in self.names]
        for target in (f for f, is_change in enumerate(changes) if is_change):
            plain = [
                f
                for f, name in enumerate(self.names)
                if not changes[f] and not self.is_tested[f] and not _LATER.search(name)
            ]
            before = [f for f in plain if f < target][-2:]
            for pair in {tuple(pair) for pair in (before, plain) if len(pair) == 2}:
                for a, b in (pair, pair[::-1]):
                    for kind in ("points_from", "drop_from"):
                        yield Formula(kind, target, (("of", (a,)), ("main", (b,))))

    def _believed(self, formula: Formula, tried: int, is_named: bool, of_all: bool = False) -> ObeyedRelation | None:
        """The relation at all lines, if it fits nearly all of them and hardly by chance.

        Args:
            of_all: whether an average or the like is of all that stands beside it: a third of the lines suffices if one
                does not fit.
        """
        outcome = computed(self, [formula], np.arange(len(self.lines))[:, None])
        lines = np.flatnonzero(outcome.defined[:, 0]).tolist()
        factors = [factor for factor in outcome.factor[lines, 0].tolist() if factor]
        if not factors:
            return None
        formula = replace(formula, factor=max(sorted(set(factors)), key=factors.count))
        places = [
            (line, Interval(*ends).scaled(formula.factor), target)
            for line, *ends in zip(lines, *(end[lines, 0].tolist() for end in outcome.ends), strict=True)
            if (target := self.lines[line][formula.target])
        ]
        fitting = [(line, interval, target) for line, interval, target in places if interval.meets(target.interval)]
        if not fitting:
            return None
        fitting_lines = {line for line, *_ in fitting}
        places = [
            (line, interval, target)
            for line, interval, target in places
            if line in fitting_lines or not (interval.meets(target.without_zero) or self._is_excused(formula, line))
            if self._is_of_one_scale(formula, line)
        ]
        fitting = [place for place in places if place[0] in fitting_lines]
        units = {target.unit for _, _, target in fitting}
        places = [place for place in places if place[-1].unit in units]  # it says nothing of counts below percentages
        chances: dict[tuple[object, ...], float] = {}
        for line, interval, target in fitting:
            computed_ends = () if formula.kind in SCALED else (round(interval.low, 9), round(interval.high, 9))
            chance = self._chance(formula, line, interval, target)
            chances.setdefault((target.number, *computed_ends), chance)  # 0 again and again is no further evidence
        fit = len(fitting)
        fewest, share = (1, SHARE_OF_ALL) if of_all else (2, SHARE_NAMED) if is_named else (FEWEST, SHARE)
        misfits = len(places) - fit
        if fit < fewest or fit < (share if misfits < 2 else max(share, SHARE_NAMED)) * len(places):
            return None
        chance = chance_bound([*chances.values()], len(places) - fit + len(chances), tried)
        sure = FEW if of_all else SURE_NAMED if is_named else SURE
        if chance >= (sure if len(places) - fit < 2 or fit >= SHARE * len(places) else SURE):
            return None  # several cells of a smaller share are hardly all wrong
        if formula.kind == "harmonic_mean_of":
            nearby = {
                line
                for line, interval, target in places
                if line not in fitting_lines and rounding.is_near(target.interval, interval)
            }
            if len(nearby) > 1:  # averages of the F1 of runs
                places = [place for place in places if place[0] not in nearby]
        checks = [self._check(formula, line) for line, *_ in places]
        return ObeyedRelation(checks, chance) if sum(check.holds for check in checks) == fit else None

    def _is_excused(self, formula: Formula, line: int) -> bool:
        """Whether a relation may fail at a line: it is the whole of which shares are, or itself a change or a gain."""
        count, target = self.lines[line][formula.parts[0][1][0]], self.lines[line][formula.target]
        if formula.whole is not None and count is not None and count.number >= formula.whole.number:
            return True
        if formula.base >= 0:
            return self._has_own_baseline(formula, line)
        if formula.kind == "sum_is" and formula.whole is None:
            # A number of the size of its parts is no sum, but perhaps their average, as that of lengths is.
            parts = [cell.number for f in formula.parts[0][1] if (cell := self.lines[line][f])]
            return target is not None and len(parts) > 2 and min(parts) <= target.number <= max(parts)
        if formula.kind == "mean_of" and target is not None and target.printed.startswith("+"):
            return True  # a gain over the best average, not the average of gains over the best of each field
        return bool(NAMES["points_from"].search(self.titles[line])) or self._is_from_best(formula, line)

    def _is_of_one_scale(self, formula: Formula, line: int) -> bool:
        """Whether the numbers that a formula adds or compares are of one scale, so that they can be."""
        parts = [self.lines[formula.line_of(role, line)][f] for role, fields in formula.parts for f in fields]
        target = [self.lines[line][formula.target]] if formula.kind in AGGREGATES else []
        return formula.kind == "counts_match" or len({part.scale for part in (*parts, *target) if part}) == 1

    def _is_from_best(self, formula: Formula, line: int) -> bool:
        """Whether a change is one from the best of the others in its line: which one that is may differ by line."""
        fields = self.lines[line]
        target, value = fields[formula.target], fields[formula.parts[0][1][0]]
        if formula.kind not in ("points_from", "drop_from") or target is None or value is None:
            return False
        rest = [cell for cell in fields if cell and cell not in (target, value) and cell.unit == value.unit]
        ends = [end(rest, key=lambda cell: cell.value) for end in (max, min)] if rest else []
        return any(_is_change(formula, target, value, best) for best in ends)

    def _has_own_baseline(self, formula: Formula, line: int) -> bool:
        """Whether a change is one from the first line of its own block: that has no change, or begins another group."""
        field, target = formula.parts[0][1][0], self.lines[line][formula.target]
        earlier = ((n, self.lines[n][field], self.lines[n][formula.target]) for n in range(line - 1, -1, -1))
        starts = (n for n, value, change in earlier if value is not None and (change is None or change.number == 0))
        start = next(starts, formula.base)
        value, base = self.lines[line][field], self.lines[start][field]
        if target is None or value is None or base is None or start == formula.base:
            return False
        return _is_change(formula, target, value, base)

    def _chance(self, formula: Formula, line: int, interval: Interval, target: Cell) -> float:
        """The share of the range of a field that fits; all of it if a quotient is open by much of its size."""
        is_quotient = formula.kind in ("drop_from", "counts_match")
        if is_quotient and interval.high - interval.low > WIDE * abs(interval.low + interval.high) / 2:
            return 1.0
        step = 10.0**-target.decimals * target.scale
        width = interval.high - interval.low + target.interval.high - target.interval.low
        reach = self.range[formula.target]
        if formula.kind in ("mean_of", "median_of"):
            fields = formula.parts[0][1]
            reach = max(self.high[line][f] for f in fields) - min(self.low[line][f] for f in fields)
        elif formula.kind != "std_of":
            # What is near to one of its parts anyway says little, as the F1 of two equal numbers.
            middle = (interval.low + interval.high) / 2
            parts = [
                self.low[formula.line_of(role, line)][f] for role, part_fields in formula.parts for f in part_fields
            ]
            if formula.kind != "drop_from":
                reach = min(reach, *(2 * abs(middle - formula.factor * part) for part in parts))
            elif abs(middle / formula.factor) > MULTIPLE or any(
                interval.low <= part <= interval.high for part in parts
            ):
                return 1.0
        return min(1.0, max(width, step) / max(reach + step, step))

    def _check(self, formula: Formula, line: int) -> Check:
        operands: dict[str, list[Cell]] = {}
        for role, fields in formula.parts:
            operand_line = formula.line_of(role, line)
            operands[role] = [cell for f in fields if (cell := self.lines[operand_line][f])]
        if formula.whole is not None:
            operands["main" if formula.kind == "sum_is" else "out_of"] = [formula.whole]
        target = self.lines[line][formula.target]
        assert target is not None
        return Check(formula.kind, target, operands, Options(factor=formula.factor), 0, declared=False)
