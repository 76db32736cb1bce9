"""Relations that nobody declared, found by arithmetic: any row or column computed from others of its table.

A relation is believed if it fits nearly all cells and would hardly do so by chance (`chance`), however its labels are
worded: a label only lowers the number of relations that count as tried. It is searched along rows and along columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from robustdr.audit.cells import Cell
from robustdr.audit.chance import by_chance, odds
from robustdr.audit.formulas import FORMULAS, NAMES, Formula, Formulas
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import Reported, Table
from robustdr.claims.intervals import SLACK, Interval

SURE, SURE_NAMED = 1e-6, 1e-3  # chance below which a relation is believed; one that labels name
SHARE, SHARE_NAMED = 0.8, 0.6  # of its cells that must fit
STEPS = 400_000  # formulas tried at a line of one table
SAMPLE = 8  # lines at which a formula is tried before it is computed at all of them
SCALES = (1.0, 100.0, 0.01)


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
    """The relations that were found (see `obeyed`), at every cell; some cells may break them."""
    checks: list[Check] = []
    for of_table in known.values():
        for number, found in enumerate(of_table, 1):
            note = f"found, not declared: {found.fit} of {len(found.checks)} cells fit, by chance {odds(found.chance)}"
            checks += [
                replace(check, line=-number, options=replace(check.options, note=note)) for check in found.checks
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

    steps = 0

    def found(self) -> Iterator[tuple[tuple[float, ...], Found, tuple[object, ...]]]:
        """Yield (place in the order, relation, what tells it from others of the same numbers)."""
        width = len(self.names)
        if width < 2 or len(self.lines) < 2:
            return
        kept: list[Formula] = []
        tried = 0
        for target in range(width):
            if sum(line[target] is not None for line in self.lines) < 2:
                continue
            for formulas in (self.blocks(target), self.pairs(target), self.baselines(target)):
                for formula in formulas:
                    tried += 1
                    if self.steps > STEPS:
                        break
                    if self._promises(formula):
                        kept.append(formula)
        for formula in kept:
            named = bool(NAMES[formula.kind].search(self.names[formula.target]))
            one = self._believed(formula, width if named else tried, named)
            if one:
                share = one.fit / len(one.checks)
                order = (0.0 if named else 1.0, -share, one.chance, -float(formula.target))
                yield order, one, tuple(sorted([*formula.fields, (formula.target, -1)]))

    def _expected(self, formula: Formula, line: int) -> Interval | None:
        """What the formula gives at a line, without its factor; None if a number is missing."""
        self.steps += 1
        low, high = self.low[line], self.high[line]
        if formula.kind == "harmonic_mean_of" and not isfinite(self.plain[line][formula.target]):
            return None
        if formula.kind in ("mean_of", "sum_is") and formula.whole is None:
            fields = formula.parts[0][1]
            least, most = sum(self.plain[line][f] for f in (*fields, formula.target)), sum(high[f] for f in fields)
            least -= low[formula.target]
            if not (isfinite(least) and isfinite(most)):
                return None
            by = len(fields) if formula.kind == "mean_of" else 1
            return Interval(least / by, most / by)
        found: dict[str, list[Interval]] = {}
        for role, fields in formula.parts:
            at = formula.line_of(role, line)
            least_of = self.low if formula.kind == "counts_match" else self.plain
            found[role] = [Interval(least_of[at][f], self.high[at][f]) for f in fields]
            if not all(isfinite(end) for interval in found[role] for end in interval):
                return None
        return FORMULAS[formula.kind](found, formula.whole)

    def _factor(self, formula: Formula, expected: Interval, target: Cell) -> float:
        """The factor between units, and the sign, with which a formula comes near to the target; 0 if none does."""
        if formula.kind in ("mean_of", "sum_is", "std_of", "median_of"):
            return 1.0
        middle = (expected.low + expected.high) / 2
        if abs(middle) < SLACK or abs(target.value) < SLACK:
            return 0.0
        signs = (1, -1) if formula.kind == "drop_from" else (1,)
        if formula.kind == "harmonic_mean_of":
            return 1.0
        for scale in SCALES:
            for sign in signs:
                if expected.scaled(scale * sign).meets(target.interval):
                    return scale * sign
        return 0.0

    def _promises(self, formula: Formula) -> bool:
        """Whether a formula fits most of the first lines that have its numbers."""
        fits = misses = 0
        for line, cells in enumerate(self.lines):
            target = cells[formula.target]
            if target is None or line == formula.base:
                continue
            expected = self._expected(formula, line)
            if expected is None:
                continue
            factor = self._factor(formula, expected, target)
            good = bool(factor) and expected.scaled(factor).meets(target.interval)
            fits, misses = fits + good, misses + (not good)
            if misses > max(1, fits) or fits + misses == SAMPLE:
                break
        return fits > misses and fits > 1

    def _believed(self, formula: Formula, tried: int, named: bool) -> Found | None:
        """The relation at all lines, if it fits nearly all of them and hardly by chance."""
        places: list[tuple[int, Interval, Cell]] = []
        factors: list[float] = []
        for line, cells in enumerate(self.lines):
            target = cells[formula.target]
            expected = self._expected(formula, line) if target is not None and line != formula.base else None
            if target is not None and expected is not None and isfinite(expected.low) and isfinite(target.interval.low):
                places.append((line, expected, target))
                factors.append(self._factor(formula, expected, target))
        known = [factor for factor in factors if factor]
        if len(places) < 2 or not known:
            return None
        formula = replace(formula, factor=max(sorted(set(known)), key=known.count))
        chances: dict[tuple[object, ...], float] = {}
        fit = 0
        for line, expected, target in places:
            given = expected.scaled(formula.factor)
            if given.meets(target.interval):
                fit += 1
                chances[target.number, round(given.low, 9), round(given.high, 9)] = self._chance(
                    formula, line, given, target
                )
        if fit < 2 or fit < (SHARE_NAMED if named else SHARE) * len(places):
            return None
        chance = by_chance([*chances.values()], len(places) - fit + len(chances), tried)
        if chance >= (SURE_NAMED if named else SURE):
            return None
        checks = [self._check(formula, line) for line, *_ in places]
        return Found(checks, chance) if sum(check.holds for check in checks) == fit else None

    def _chance(self, formula: Formula, line: int, given: Interval, target: Cell) -> float:
        step = 10.0**-target.decimals * target.scale
        width = given.high - given.low + target.interval.high - target.interval.low
        reach = self.range[formula.target]
        if formula.kind in ("mean_of", "median_of"):
            fields = formula.parts[0][1]
            reach = max(self.high[line][f] for f in fields) - min(self.low[line][f] for f in fields)
        elif formula.kind in ("harmonic_mean_of", "points_from", "sum_is", "counts_match"):
            # What is near to one of its parts anyway says little, as the F1 of two equal numbers.
            middle = (given.low + given.high) / 2
            parts = [(formula.line_of(role, line), f) for role, of in formula.parts for f in of]
            reach = min(reach, *(2 * abs(middle - formula.factor * self.low[at][f]) for at, f in parts))
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
