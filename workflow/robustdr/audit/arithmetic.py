"""Relations that nobody declared, found by arithmetic: any row or column computed from others of its table.

A relation is believed if it fits nearly all cells and would hardly do so by chance (`chance`), however its labels are
worded: a label only lowers the number of relations that count as tried. It is searched along rows and along columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from robustdr.audit.cells import Cell
from robustdr.audit.chance import by_chance, odds
from robustdr.audit.computed import computed, promising
from robustdr.audit.formulas import NAMES, Formula, Formulas
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import Reported, Table
from robustdr.claims.intervals import Interval

SURE, SURE_NAMED = 1e-6, 1e-3  # chance below which a relation is believed; one that labels name
SHARE, SHARE_NAMED = 0.8, 0.6  # of its cells that must fit
MOST = 200_000  # formulas that are tried along the rows of a table, and along its columns
FEWEST = 3  # cells that must fit if labels name nothing
WIDE = 0.4  # share of a quotient that rounding may leave open; with more, numbers of like size fit it
AT_ONCE = 4096  # of them
MULTIPLE = 10  # change from which it is no change, but a quotient


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
