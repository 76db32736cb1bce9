"""Relations that nobody declared, found by arithmetic: any row or column computed from others of its table.

A relation is believed if it fits nearly all cells and would hardly do so by chance (`chance`), however its labels are
worded: a label only lowers the number of relations that count as tried. It is searched along rows and along columns.

Many formulas are computed at once. Arrays are [lines, formulas]; a number that is missing, or open at one end, is NaN
and agrees with nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from robustdr.audit.cells import Cell
from robustdr.audit.chance import by_chance, odds
from robustdr.audit.formulas import NAMES, Formula, Formulas
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import Reported, Table
from robustdr.claims.intervals import SLACK, Interval

SURE, SURE_NAMED = 1e-6, 1e-3  # chance below which a relation is believed; one that labels name
SHARE, SHARE_NAMED = 0.8, 0.6  # of its cells that must fit
MOST = 200_000  # formulas that are tried along the rows of a table, and along its columns
FEWEST = 3  # cells that must fit if labels name nothing
WIDE = 0.4  # share of a quotient that rounding may leave open; with more, numbers of like size fit it
AT_ONCE = 4096  # of them
MULTIPLE = 10  # change from which it is no change, but a quotient
SCALES = (1.0, 100.0, 0.01)
SCALED = ("points_from", "drop_from", "counts_match")  # kinds whose target may have another unit


class Ends(NamedTuple):
    """Intervals: their low and high ends. Those of the operands are [lines, formulas, parts]."""

    low: np.ndarray
    high: np.ndarray


class Given(NamedTuple):
    """What formulas give, without a factor, and the factor with which this agrees with the target; 0 if none does."""

    ends: Ends
    factor: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """Where a formula and its target both have their numbers."""
        return ~np.isnan(self.ends.low)


def promising(table: Formulas, formulas: Sequence[Formula]) -> list[Formula]:
    """Return the formulas that agree with most of the first lines of their targets, and with at least two."""
    groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, one in enumerate(formulas):
        groups[one.kind, one.base < 0, one.whole is None, tuple(len(fields) for _, fields in one.parts)].append(place)
    kept: list[int] = []
    for places in groups.values():
        alike = [formulas[place] for place in places]
        given = computed(table, alike, table.first_lines[:, [one.target for one in alike]])
        fits = np.count_nonzero(given.factor, axis=0)
        good = (fits > 1) & (2 * fits > np.count_nonzero(given.known, axis=0))
        kept += [place for place, promises in zip(places, good.tolist(), strict=True) if promises]
    return [formulas[place] for place in sorted(kept)]


def computed(table: Formulas, formulas: Sequence[Formula], lines: np.ndarray) -> Given:
    """Return what formulas of one form give: of one kind, with as many parts.

    Args:
        lines: the lines at which they are computed, [lines, formulas]; -1 for none.
    """
    first = formulas[0]
    targets = np.array([one.target for one in formulas])
    target = Ends(table.low[lines, targets], table.high[lines, targets])
    bases = np.array([one.base for one in formulas])
    low = table.low if first.kind == "counts_match" else table.plain
    operands: dict[str, Ends] = {}
    for number, (role, _) in enumerate(first.parts):
        fields = np.array([one.parts[number][1] for one in formulas])
        at = (bases[None] if first.base >= 0 and role == "main" else lines)[..., None], fields
        operands[role] = Ends(low[at], table.high[at])
    if first.whole is not None:
        exact = np.array([[[one.whole.value if one.whole else 0.0] for one in formulas]])
        operands["main" if first.kind == "sum_is" else "out_of"] = Ends(exact, exact)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = Ends(*COMPUTE[first.kind](operands))
        valid = np.isfinite(ends.low) & np.isfinite(ends.high) & np.isfinite(target.low) & np.isfinite(target.high)
        valid &= lines != bases
        if first.whole is None and first.kind in ("mean_of", "sum_is", "harmonic_mean_of"):
            valid &= np.isfinite(table.plain[lines, targets])
        ends = Ends(np.where(valid, ends.low, np.nan), np.where(valid, ends.high, np.nan))
        return Given(ends, _factors(first.kind, ends, target))


def _factors(kind: str, given: Ends, target: Ends) -> np.ndarray:
    found = np.zeros(given.low.shape)
    scales, nonzero = [1.0], np.full(given.low.shape, True)
    if kind in SCALED:
        scales = [scale * sign for scale in SCALES for sign in ((1, -1) if kind == "drop_from" else (1,))]
        nonzero = (abs(given.low + given.high) >= 2 * SLACK) & (target.low * target.high > 0)
    for factor in reversed(scales):
        ends = (given.low * factor, given.high * factor)[:: 1 if factor > 0 else -1]
        slack = SLACK * np.max([np.ones_like(ends[0]), *(abs(end) for end in (*ends, *target))], axis=0)
        meets = (ends[0] <= target.high + slack) & (target.low <= ends[1] + slack)
        found[meets & nonzero] = factor
    return found


Operands = Mapping[str, Ends]


def _hull(ends: Sequence[np.ndarray], where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    return np.where(where, low, np.nan)[..., 0], np.where(where, high, np.nan)[..., 0]


def _points(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    of, main = given["of"], given["main"]
    return (of.low - main.high)[..., 0], (of.high - main.low)[..., 0]


def _drop(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    return _hull([a / b - 1 for a in given["of"] for b in given["main"]], given["main"].low > 0)


def _share(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    return _hull([a / b for a in given["main"] for b in given["out_of"]], given["out_of"].low > 0)


def _harmonic_mean(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    positive = (given["main"].low > 0).all(-1)
    low, high = (ends.shape[-1] / (1 / ends).sum(-1) for ends in given["main"])
    return np.where(positive, low, np.nan), high


def _mean(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    low, high = given["main"]
    return low.mean(-1), high.mean(-1)


def _sum(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    low, high = given["main"].low.sum(-1), given["main"].high.sum(-1)
    if "plus" in given:
        return low - given["plus"].high.sum(-1), high - given["plus"].low.sum(-1)
    return low, high


def _median(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    low, high = given["main"]
    return np.median(low, -1), np.median(high, -1)


def _deviation(given: Operands) -> tuple[np.ndarray, np.ndarray]:
    low, high = given["main"]
    at_centres = ((low + high) / 2).std(-1, ddof=1)
    reach = np.sqrt((((high - low) / 2) ** 2).sum(-1) / (low.shape[-1] - 1))
    return np.maximum(0.0, at_centres - reach), at_centres + reach


COMPUTE: dict[str, Callable[[Operands], tuple[np.ndarray, np.ndarray]]] = {
    "points_from": _points,
    "drop_from": _drop,
    "counts_match": _share,
    "harmonic_mean_of": _harmonic_mean,
    "mean_of": _mean,
    "sum_is": _sum,
    "median_of": _median,
    "std_of": _deviation,
}


@dataclass(frozen=True)
class Found:
    """A relation, its checks at all cells that it concerns, and a bound on its chance to fit so many of them."""

    checks: Sequence[Check]
    chance: float

    @property
    def fit(self) -> int:
        return sum(check.holds for check in self.checks)


def obeyed(reported: Reported) -> dict[str, list[Found]]:
    """By table, the relations that those without declarations obey."""
    return {
        id: relations(table)
        for id, table in reported.tables.items()
        if not id.startswith("prose") and all(relation.proposed is not None for _, relation in table.relations)
    }


def undeclared(known: Mapping[str, Sequence[Found]]) -> list[Check]:
    """The relations that were found (see `obeyed`), at every cell; some cells may break them.

    A cell that obeys one relation breaks no other: an average of F1 may be the F1 of averages.
    """
    checks: list[Check] = []
    for of_table in known.values():
        right = {id(check.target) for found in of_table for check in found.checks if check.holds}
        for number, found in enumerate(of_table, 1):
            note = f"found, not declared: {found.fit} of {len(found.checks)} cells fit, by chance {odds(found.chance)}"
            checks += [
                replace(check, line=-number, options=replace(check.options, note=note))
                for check in found.checks
                if check.holds or id(check.target) not in right
            ]
    return checks


def relations(table: Table) -> list[Found]:
    """The relations of one table, each cell computed in one way at most, best first."""
    found: list[tuple[tuple[float, ...], Found, frozenset[object]]] = []
    for transposed in (False, True):
        search = _Search(table, transposed)
        found += [(order, one, frozenset({(transposed, *key)})) for order, one, key in search.found()]
    found.sort(key=lambda entry: entry[0])
    taken: set[object] = set()
    targets: set[int] = set()
    chosen = []
    for _, one, key in found:
        own = {id(check.target) for check in one.checks}
        if not key & taken and len(own & targets) * 2 < len(own):
            taken |= key
            targets |= own
            chosen.append(one)
    return chosen


class _Search(Formulas):
    """Finds the formulas that a table obeys."""

    def found(self) -> Iterator[tuple[tuple[float, ...], Found, tuple[object, ...]]]:
        """Yield (place in the order, relation, what tells it from others of the same numbers)."""
        width = len(self.names)
        if width < 2 or len(self.lines) < 2:
            return
        kept: list[Formula] = []
        tried = 0
        formulas = islice(self._formulas(), MOST)
        while some := list(islice(formulas, AT_ONCE)):
            tried += len(some)
            kept += promising(self, some)
        for formula in kept:
            named = self._is_named(formula)
            one = self._believed(formula, width if named else tried, named)
            if one:
                share = one.fit / len(one.checks)
                order = (0.0 if named else 1.0, -share, one.chance, -float(formula.target))
                yield order, one, tuple(sorted([*formula.fields, (formula.target, -1)]))

    def _formulas(self) -> Iterator[Formula]:
        for target in range(len(self.names)):
            if self.first_lines[1, target] >= 0:
                yield from self.blocks(target)
                yield from self.pairs(target)
                yield from self.baselines(target)

    def _is_named(self, formula: Formula) -> bool:
        """Whether the label of the target, and not of all its parts, names the relation."""
        name = NAMES[formula.kind]
        parts = [self.names[field] for _, fields in formula.parts for field in fields]
        return bool(name.search(self.names[formula.target])) and not all(map(name.search, parts))

    def _believed(self, formula: Formula, tried: int, named: bool) -> Found | None:
        """The relation at all lines, if it fits nearly all of them and hardly by chance."""
        given = computed(self, [formula], np.arange(len(self.lines))[:, None])
        lines = np.flatnonzero(given.known[:, 0]).tolist()
        factors = [factor for factor in given.factor[lines, 0].tolist() if factor]
        formula = replace(formula, factor=max(sorted(set(factors)), key=factors.count))
        places = [
            (line, Interval(*ends).scaled(formula.factor), target)
            for line, *ends in zip(lines, *(end[lines, 0].tolist() for end in given.ends), strict=True)
            if (target := self.lines[line][formula.target])
        ]
        fitting = [(line, asked, target) for line, asked, target in places if asked.meets(target.interval)]
        excused = {line for line, *_ in places if self._is_excused(formula, line)} - {line for line, *_ in fitting}
        places = [place for place in places if place[0] not in excused]
        units = {target.unit for _, _, target in fitting}
        places = [place for place in places if place[-1].unit in units]  # it says nothing of counts below percentages
        chances = {
            (target.number, round(asked.low, 9), round(asked.high, 9)): self._chance(formula, line, asked, target)
            for line, asked, target in fitting
        }
        fit = len(fitting)
        if fit < (2 if named else FEWEST) or fit < (SHARE_NAMED if named else SHARE) * len(places):
            return None
        chance = by_chance([*chances.values()], len(places) - fit + len(chances), tried)
        if chance >= (SURE_NAMED if named else SURE):
            return None
        checks = [self._check(formula, line) for line, *_ in places]
        return Found(checks, chance) if sum(check.holds for check in checks) == fit else None

    def _is_excused(self, formula: Formula, line: int) -> bool:
        """Whether a relation may fail at a line: it is the whole of which shares are, or itself a change."""
        count = self.lines[line][formula.parts[0][1][0]]
        if formula.whole is not None and count is not None and count.number >= formula.whole.number:
            return True
        return bool(NAMES["points_from"].search(self.titles[line])) and formula.base < 0

    def _chance(self, formula: Formula, line: int, given: Interval, target: Cell) -> float:
        """The share of the range of a field that fits; all of it if a quotient is open by much of its size."""
        is_quotient = formula.kind in ("drop_from", "counts_match")
        if is_quotient and given.high - given.low > WIDE * abs(given.low + given.high) / 2:
            return 1.0
        step = 10.0**-target.decimals * target.scale
        width = given.high - given.low + target.interval.high - target.interval.low
        reach = self.range[formula.target]
        if formula.kind in ("mean_of", "median_of"):
            fields = formula.parts[0][1]
            reach = max(self.high[line][f] for f in fields) - min(self.low[line][f] for f in fields)
        elif formula.kind != "std_of":
            # What is near to one of its parts anyway says little, as the F1 of two equal numbers.
            middle = (given.low + given.high) / 2
            parts = [self.low[formula.line_of(role, line)][f] for role, of in formula.parts for f in of]
            if formula.kind != "drop_from":
                reach = min(reach, *(2 * abs(middle - formula.factor * part) for part in parts))
            elif abs(middle / formula.factor) > MULTIPLE or any(given.low <= part <= given.high for part in parts):
                return 1.0
        return min(1.0, max(width, step) / max(reach + step, step))

    def _check(self, formula: Formula, line: int) -> Check:
        operands: dict[str, list[Cell]] = {}
        for role, fields in formula.parts:
            at = formula.line_of(role, line)
            operands[role] = [cell for f in fields if (cell := self.lines[at][f])]
        if formula.whole is not None:
            operands["main" if formula.kind == "sum_is" else "out_of"] = [formula.whole]
        target = self.lines[line][formula.target]
        assert target is not None
        return Check(formula.kind, target, operands, Options(factor=formula.factor), 0, declared=False)
