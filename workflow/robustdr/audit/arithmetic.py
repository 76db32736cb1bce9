"""Relations that nobody declared, found by arithmetic: any row or column computed from others of its table.

A relation is believed if it fits nearly all cells and would hardly do so by chance (`chance`), however its labels are
worded: a label only lowers the number of relations that count as tried. It is searched along rows and along columns.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from robustdr.audit import rounding
from robustdr.audit.cells import Cell
from robustdr.audit.chance import by_chance, odds
from robustdr.audit.relations import Check, Options
from robustdr.audit.reported import Reported, Table, literal
from robustdr.claims.intervals import SLACK, Interval

SURE, SURE_NAMED = 1e-6, 1e-3  # chance below which a relation is believed; one that labels name
SHARE, SHARE_NAMED = 0.8, 0.6  # of its cells that must fit
STEPS = 400_000  # formulas tried at a line of one table
WINDOW = 5  # fields beside a field from which it may be computed in pairs, beside the first two of the table
MANY = 14  # fields up to which all pairs are tried
SAMPLE = 8  # lines at which a formula is tried before it is computed at all of them
SCALES = (1.0, 100.0, 0.01)
NAMES = {
    "mean_of": re.compile(r"\b(avg|average|mean|overall|macro)|_mean\b", re.I),
    "median_of": re.compile(r"\bmedian", re.I),
    "sum_is": re.compile(r"\b(total|sum|all|overall)\b", re.I),
    "std_of": re.compile(r"\b(std|stdev|sd|deviation|σ)\b", re.I),
    "harmonic_mean_of": re.compile(r"\bF[-\s_]?1|F[-\s]?(score|measure)", re.I),
    "points_from": re.compile(r"Δ|∆|diff|gain|improv|drop|change|delta|loss|lift|reduc|increas|decreas|impr|gap", re.I),
    "counts_match": re.compile(r"%|percent|share|rate|ratio|proportion|fraction", re.I),
}
NAMES["drop_from"] = NAMES["points_from"]
_SIZE = re.compile(r"\b[nN]\s*=\s*(\d[\d,]*)|(\d[\d,]*)\s+(?:queries|questions|topics|participants|samples|instances)")


@dataclass(frozen=True)
class Found:
    """A relation, its checks at all cells that it concerns, and a bound on its chance to fit so many of them."""

    checks: Sequence[Check]
    chance: float

    @property
    def fit(self) -> int:
        return sum(check.holds for check in self.checks)


@dataclass(frozen=True)
class _Formula:
    """How a field follows from others of its line, or of another line.

    Attributes:
        parts: by role, the fields. base: the line of the operands `main`, if that is another one. factor: what the
            computed value is multiplied by. whole: an exact total that the paper prints elsewhere.
    """

    kind: str
    target: int
    parts: tuple[tuple[str, tuple[int, ...]], ...]
    base: int = -1
    factor: float = 1.0
    whole: Cell | None = None

    @property
    def fields(self) -> frozenset[tuple[int, int]]:
        return frozenset((field, self.base if role == "main" else -1) for role, ones in self.parts for field in ones)


def sizes(texts: Sequence[str]) -> list[int]:
    """The numbers of queries, people or the like that texts name."""
    found = [int((a or b).replace(",", "")) for text in texts for a, b in _SIZE.findall(text)]
    return list(dict.fromkeys(size for size in found if size > 1))


def undeclared(reported: Reported) -> list[Check]:
    """The relations that the tables without declarations obey, at every cell; some cells may break them."""
    checks: list[Check] = []
    for table in reported.tables.values():
        declared = any(relation.proposed is None for _, relation in table.relations)
        if not declared and not table.id.startswith("prose"):
            for number, found in enumerate(relations(table), 1):
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


class _Search:
    """All formulas of a table along its rows, or along its columns if transposed."""

    def __init__(self, table: Table, transposed: bool) -> None:
        at = {(cell.line, cell.column): cell for cell in table.cells}
        width = len(table.columns)
        rows = [[at.get((line, column)) for column in range(width)] for line, _ in table.rows]
        names = [" ".join(str(label) for label in place.values()) for place in table.columns]
        lines = [" ".join(str(place.get(name, "")) for name in place if name in table.varying) for _, place in table.rows]
        self.table = table
        self.lines = [list(column) for column in zip(*rows, strict=True)] if transposed else rows
        self.names = lines if transposed else names
        self.low = [[cell.interval.low if cell else inf for cell in line] for line in self.lines]
        self.high = [[cell.interval.high if cell else inf for cell in line] for line in self.lines]
        # A deviation, a drop or the like beside a number is a part of no average, and of no other formula but a share.
        self.plain = [
            [low if cell and cell.coordinates["value"] == "value" else inf for cell, low in zip(line, lows, strict=True)]
            for line, lows in zip(self.lines, self.low, strict=True)
        ]
        self.steps = 0
        width = len(self.names)
        self.range = []
        for field in range(width):
            ends = [line[field].interval for line in self.lines if line[field] and isfinite(line[field].interval.low)]
            self.range.append(max((i.high for i in ends), default=0.0) - min((i.low for i in ends), default=0.0))
        self.sizes = sizes([table.caption, *names, *lines])

    def found(self) -> Iterator[tuple[tuple[float, ...], Found, tuple[object, ...]]]:
        """Yield (place in the order, relation, what tells it from others of the same numbers)."""
        width = len(self.names)
        if width < 2 or len(self.lines) < 2:
            return
        kept: list[_Formula] = []
        tried = 0
        for target in range(width):
            if sum(line[target] is not None for line in self.lines) < 2:
                continue
            for formulas in (self._blocks(target), self._pairs(target), self._baselines(target)):
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

    def _blocks(self, target: int) -> Iterator[_Formula]:
        """Means, sums and the like of neighbouring fields that begin or end beside the target, or at the first ones."""
        width = len(self.names)
        spans = {(start, end) for end in (target, target - 1) for start in range(max(0, end - 60), end - 1)}
        spans |= {(start, end) for start in (target + 1, target + 2) for end in range(start + 2, min(width, start + 60) + 1)}
        spans |= {(start, width) for start in (0, 1)} | {(start, target) for start in (0, 1)}
        parts = {tuple(field for field in range(*span) if field != target) for span in spans if span[0] < span[1]}
        for label in self._groups(target):
            parts.add(label)
        name = self.names[target]
        for ones in sorted(parts, key=lambda fields: (len(fields), fields)):
            if len(ones) > 1:
                yield _Formula("mean_of", target, (("main", ones),))
                yield _Formula("sum_is", target, (("main", ones),))
                for kind in ("std_of", "median_of"):
                    if NAMES[kind].search(name):
                        yield _Formula(kind, target, (("main", ones),))

    def _groups(self, target: int) -> Iterator[tuple[int, ...]]:
        """Fields that share a word with the target, such as its measure, but not the label of an average."""
        words = set(self.names[target].split())
        for word in sorted(words):
            alike = tuple(f for f, name in enumerate(self.names) if f != target and word in name.split())
            plain = tuple(f for f in alike if not NAMES["mean_of"].search(self.names[f]))
            yield from {one for one in (alike, plain) if 1 < len(one) < 60}

    def _pairs(self, target: int) -> Iterator[_Formula]:
        """Differences, changes, shares and F1 of two fields."""
        width = len(self.names)
        near = [f for f in range(width) if f != target and (width <= MANY or abs(f - target) <= WINDOW or f < 2)]
        counts = self._is_count(target)
        for a in near:
            for b in near:
                if a == b:
                    continue
                yield _Formula("points_from", target, (("of", (a,)), ("main", (b,))))
                yield _Formula("drop_from", target, (("of", (a,)), ("main", (b,))))
                if not counts:
                    yield _Formula("counts_match", target, (("main", (a,)), ("out_of", (b,))))
                if a < b and not counts:
                    yield _Formula("harmonic_mean_of", target, (("main", (a, b)),))
            if not counts and self._is_count(a):
                for whole in self._wholes(a):
                    yield _Formula("counts_match", target, (("main", (a,)),), whole=whole)
            if counts and a > target and self._is_count(a) and (whole := self._common_sum(target, a)):
                yield _Formula("sum_is", target, (("plus", (a,)),), whole=whole)

    def _baselines(self, target: int) -> Iterator[_Formula]:
        """Changes of a field beside the target from one line to all others."""
        near = [f for f in range(max(0, target - 3), min(len(self.names), target + 2)) if f != target]
        for field in near:
            for base, line in enumerate(self.lines[:60]):
                if line[field] is not None:
                    for kind in ("drop_from", "points_from"):
                        yield _Formula(kind, target, (("of", (field,)), ("main", (field,))), base)

    def _is_count(self, field: int) -> bool:
        cells = [line[field] for line in self.lines if line[field]]
        return bool(cells) and all(cell.decimals == 0 and cell.unit not in ("percent",) for cell in cells)

    def _exact(self, number: int) -> Cell:
        return literal("", self.table.cells[0].paper, 0, str(number))

    def _wholes(self, field: int) -> list[Cell]:
        values = [int(line[field].number) for line in self.lines if line[field]]
        wholes = {sum(values), *([max(values)] if len(values) > 2 else []), *self.sizes}
        return [self._exact(whole) for whole in sorted(wholes) if whole > 1]

    def _common_sum(self, a: int, b: int) -> Cell | None:
        sums = [int(line[a].number + line[b].number) for line in self.lines if line[a] and line[b]]
        usual = max(set(sums), key=lambda total: (sums.count(total), total), default=0)
        return self._exact(usual) if usual > 1 and sums.count(usual) > 2 and len(set(sums)) < len(sums) else None

    def _expected(self, formula: _Formula, line: int) -> Interval | None:
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
            at = formula.base if formula.base >= 0 and role == "main" else line
            least_of = self.low if formula.kind == "counts_match" else self.plain
            found[role] = [Interval(least_of[at][f], self.high[at][f]) for f in fields]
            if not all(isfinite(end) for interval in found[role] for end in interval):
                return None
        return FORMULAS[formula.kind](found, formula.whole)

    def _factor(self, formula: _Formula, expected: Interval, target: Cell) -> float:
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

    def _promises(self, formula: _Formula) -> bool:
        """Whether a formula fits most of the first lines that have its numbers."""
        fits = misses = 0
        for line, cells in enumerate(self.lines):
            target = cells[formula.target]
            if target is None or line == formula.base:
                continue
            expected = self._expected(formula, line)
            if expected is None:
                continue
            good = self._factor(formula, expected, target)
            good = good if good and expected.scaled(good).meets(target.interval) else 0.0
            fits, misses = fits + bool(good), misses + (not good)
            if misses > max(1, fits) or fits + misses == SAMPLE:
                break
        return fits > misses and fits > 1

    def _believed(self, formula: _Formula, tried: int, named: bool) -> Found | None:
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
                chances[target.number, round(given.low, 9), round(given.high, 9)] = self._chance(formula, line, given, target)
        if fit < 2 or fit < (SHARE_NAMED if named else SHARE) * len(places):
            return None
        chance = by_chance([*chances.values()], len(places) - fit + len(chances), tried)
        if chance >= (SURE_NAMED if named else SURE):
            return None
        checks = [self._check(formula, line) for line, *_ in places]
        return Found(checks, chance) if sum(check.holds for check in checks) == fit else None

    def _chance(self, formula: _Formula, line: int, given: Interval, target: Cell) -> float:
        step = 10.0**-target.decimals * target.scale
        width = given.high - given.low + target.interval.high - target.interval.low
        reach = self.range[formula.target]
        if formula.kind in ("mean_of", "median_of"):
            fields = formula.parts[0][1]
            reach = max(self.high[line][f] for f in fields) - min(self.low[line][f] for f in fields)
        elif formula.kind in ("harmonic_mean_of", "points_from", "sum_is"):
            # What is near to one of its parts anyway says little: one number less hardly anything, F1 of two equal ones.
            middle = (given.low + given.high) / 2
            parts = [(formula.base if formula.base >= 0 and role == "main" else line, f) for role, of in formula.parts for f in of]
            reach = min(reach, *(2 * abs(middle - formula.factor * self.low[at][f]) for at, f in parts))
        return min(1.0, max(width, step) / max(reach + step, step))

    def _check(self, formula: _Formula, line: int) -> Check:
        operands: dict[str, list[Cell]] = {}
        for role, fields in formula.parts:
            at = formula.base if formula.base >= 0 and role == "main" else line
            operands[role] = [cell for f in fields if (cell := self.lines[at][f])]
        if formula.whole is not None:
            operands["main" if formula.kind == "sum_is" else "out_of"] = [formula.whole]
        target = self.lines[line][formula.target]
        assert target is not None
        return Check(formula.kind, target, operands, Options(factor=formula.factor), 0, declared=False)


def _difference(found: dict[str, list[Interval]], _: Cell | None) -> Interval | None:
    return found["of"][0] - found["main"][0]


def _share(found: dict[str, list[Interval]], whole: Cell | None) -> Interval | None:
    total = found["out_of"][0] if whole is None else whole.interval
    return found["main"][0] / total if total.low > 0 else None


FORMULAS: dict[str, Callable[[dict[str, list[Interval]], Cell | None], Interval | None]] = {
    "points_from": _difference,
    "drop_from": lambda found, _: rounding.change(found["of"][0], found["main"][0]),
    "counts_match": _share,
    "harmonic_mean_of": lambda found, _: rounding.harmonic_mean(found["main"]),
    "std_of": lambda found, _: rounding.deviation(found["main"]),
    "median_of": lambda found, _: rounding.median(found["main"]),
    "sum_is": lambda found, whole: whole.interval - found["plus"][0] if whole else None,
}
