"""Test statistics against their p, as statcheck does (Nuijten and others, 2016): p is computed again with SciPy.

A printed 2.20 stands for 2.195 to 2.205, and a printed p = .04 for .035 to .045: statistics are rounded, not cut off. A
result is wrong if no value of the statistic gives the printed p; it changes the decision if one of the two is below .05
and the other is not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import inf, sqrt
from typing import NamedTuple

from robustdr.audit.cells import AT_LEAST, AT_MOST, Cell
from robustdr.audit.findings import Broken, are_exceptions
from robustdr.audit.heads import RATIO, freedom_of, levels_of_marks, lines, mark_of
from robustdr.audit.reported import Table
from robustdr.audit.rounding import half_up
from robustdr.claims.intervals import SLACK, Interval

ALPHA = 0.05
FEWEST_FREE = 8.0  # degrees of freedom of a t that prints none, at least
FITS, WRONG, DECISION = "fits", "wrong", "decision"
ONE_TAILED = re.compile(r"one[-\s]?(?:tailed|sided)|directional", re.I)
CORRECTED = re.compile(
    r"bonferroni|holm|adjusted|corrected|\bFDR\b|benjamini|tukey|\bq-value|permutation|bootstrap", re.I
)
NAMES = {"t": "t", "f": "F", "chi2": "χ²", "r": "r", "z": "z", "q": "Q"}


class Statistic(NamedTuple):
    """A statistic and the p beside it.

    Attributes:
        sign, p_sign: `=`, `<` or `>`; ns for a p that is said to be no significant one.
        freedom: degrees of freedom: none of z, two of F; of a t without any, none.
    """

    kind: str
    number: Decimal
    sign: str
    freedom: tuple[float, ...]
    p: Decimal | None
    p_sign: str

    def __str__(self) -> str:
        freedom = f"({', '.join(f'{degrees:g}' for degrees in self.freedom)})" if self.freedom else ""
        return f"{NAMES[self.kind]}{freedom} {self.sign} {self.number}"

    @property
    def printed_p(self) -> str:
        """The printed p."""
        return f"p {self.p_sign} {self.p}" if self.p is not None else "n.s."


class Fit(NamedTuple):
    """Whether p fits its statistic, and both in words."""

    outcome: str
    words: str


def probabilities(statistic: Statistic) -> Interval | None:
    """All two-tailed p that a printed statistic can have; None if it is no such statistic, as r = 1.3 is."""
    low, high = half_up(statistic.number).magnitude()
    if statistic.kind == "r" and float(abs(statistic.number)) > 1:
        return None
    ends = (low, inf) if statistic.sign == ">" else (0.0, high) if statistic.sign == "<" else (low, high)
    is_open = statistic.kind == "t" and not statistic.freedom
    freedoms: Sequence[tuple[float, ...]] = [(FEWEST_FREE,), (inf,)] if is_open else [statistic.freedom]
    values = [_probability(statistic.kind, end, freedom) for end in ends for freedom in freedoms]
    return Interval(min(values), max(values)) if None not in values else None


def _probability(kind: str, value: float, freedom: tuple[float, ...]) -> float:
    from scipy import stats

    if value == inf:
        return 0.0
    if kind == "z" or (kind == "t" and freedom == (inf,)):
        return float(2 * stats.norm.sf(value))
    if kind == "t":
        return float(2 * stats.t.sf(value, *freedom))
    if kind == "f":
        return float(stats.f.sf(value, *freedom))
    if kind == "r":
        share = min(value, 1.0) ** 2
        return float(2 * stats.t.sf(sqrt(freedom[0] * share / (1 - share)), *freedom)) if share < 1 else 0.0
    return float(stats.chi2.sf(value, *freedom))


def judge(statistic: Statistic, one_tailed: bool = False, corrected: bool = False) -> Fit | None:
    """Whether a p fits its statistic; None if nothing can be computed, or if a correction may have raised p.

    Args:
        one_tailed: whether the text says that tests are. corrected: whether it says that p is.
    """
    computed = probabilities(statistic)
    if computed is None or (statistic.p is not None and statistic.p > 1):
        return None
    tails = [computed, *([computed.scaled(0.5)] if one_tailed and statistic.kind in ("t", "z", "r") else [])]
    words = f"{statistic} gives p = {_p_text(computed)}" + (
        "" if statistic.kind in ("f", "chi2", "q") else ", two-tailed"
    )
    if statistic.kind == "t" and not statistic.freedom:
        words += f", with {FEWEST_FREE:g} degrees of freedom or more"
    if statistic.p == 0 and statistic.p_sign in "=<":
        return Fit(FITS if computed.low < 0.0005 and statistic.p_sign == "=" else WRONG, f"{words}; p is never 0")
    if any(_agree(statistic, tail) for tail in tails):
        return Fit(FITS, words)
    if corrected and _printed(statistic).high > computed.low:
        return None
    if statistic.kind in ("t", "z", "r") and _agree(statistic, computed.scaled(0.5)):
        words += f" (one-tailed {_p_text(computed.scaled(0.5))})"
    return _misfit(statistic, computed, words)


def _misfit(statistic: Statistic, computed: Interval, words: str) -> Fit:
    """A p that does not fit: whether it and the computed one are surely on different sides of `ALPHA`."""
    words += f", not {statistic.printed_p}"
    differs = {True: computed.low > ALPHA, False: computed.high <= ALPHA, None: False}
    if differs[_is_significant(statistic)]:
        return Fit(DECISION, f"{words}: below {ALPHA:g} in one of the two alone")
    return Fit(WRONG, words)


def _printed(statistic: Statistic) -> Interval:
    """The values of p that are printed so."""
    if statistic.p is None:
        return Interval(ALPHA, 1.0)
    value = float(statistic.p)
    return {"<": Interval(0.0, value), ">": Interval(value, 1.0)}.get(statistic.p_sign, half_up(statistic.p))


def _agree(statistic: Statistic, computed: Interval) -> bool:
    low, high = _printed(statistic)
    return computed.low <= high + SLACK and low <= computed.high + SLACK


def _is_significant(statistic: Statistic) -> bool | None:
    """Whether a printed p says that a result is significant; None if it leaves it open."""
    if statistic.p is None:
        return False
    value = float(statistic.p)
    if statistic.p_sign == "<":
        return True if value <= ALPHA else None
    if statistic.p_sign == ">":
        return False if value >= ALPHA else None
    return value <= ALPHA


def _p_text(computed: Interval) -> str:
    ends = [f"{end:.3f}".lstrip("0") if end >= 0.0005 else f"{end:.1g}" for end in computed]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def broken(table: Table) -> Iterator[Broken]:
    """Yield the p of a table that do not fit the statistics beside them, and marks of p that neither does."""
    text = " ".join([table.caption, *table.marks.values()])
    is_directed, is_corrected = bool(ONE_TAILED.search(text)), bool(CORRECTED.search(text))
    judged = []
    for line in lines(table):
        for cells in line.groups():
            group = {**cells, "f": cells["f1"]} if {"f1", "df1", "df2"} <= cells.keys() else cells  # a head F
            p = group.get("p")
            kind = next((kind for kind in ("t", "f", "chi2", "r", "z", "q") if kind in group), "")
            if p is not None and not kind and {"estimate", "se"} <= group.keys():
                if not is_corrected and (verdict := _of_quotient(group, p, is_directed)) is not None:
                    judged.append((p, p, verdict))
                continue
            if p is None or not kind or group[kind].hedge:
                continue
            labels = " ".join(group[kind].coordinates.values()) + " " + " ".join(p.coordinates.values())
            freedom = _freedom(kind, group[kind], group)
            if freedom is None or (is_corrected or CORRECTED.search(labels)) or p.printed.endswith("%"):
                continue
            statistic = Statistic(kind, group[kind].number, "=", freedom, p.number, _sign(p))
            if (verdict := judge(statistic, is_directed)) is not None:
                judged.append((p, group[kind], verdict))
    wrong = [entry for entry in judged if entry[2].outcome != FITS]
    if are_exceptions(wrong, judged):
        for outcome in (DECISION, WRONG):
            for p, cell, verdict in wrong:
                if verdict.outcome == outcome:
                    kind = "p_and_decision" if outcome == DECISION else "p_and_statistic"
                    yield Broken(kind, [p, *([cell] if cell is not p else [])], verdict.words, "inconsistent")
    yield from _mark_and_p(table, text, is_directed)


def _sign(p: Cell) -> str:
    return "<" if p.hedge in AT_MOST else ">" if p.hedge in AT_LEAST else "="


def _of_quotient(group: Mapping[str, Cell], p: Cell, one_tailed: bool) -> Fit | None:
    """Whether p is that of an estimate over its error; None if it is a ratio, whose error is one of its logarithm."""
    estimate, error = group["estimate"], group["se"]
    low, high = half_up(error.number)
    text = " ".join(estimate.coordinates.values()).casefold()
    if low <= 0 or RATIO.search(text) or p.number > 1 or p.printed.endswith("%"):
        return None
    smallest, largest = half_up(estimate.number).magnitude()
    computed = Interval(_probability("z", largest / low, ()), _probability("t", smallest / high, (FEWEST_FREE,)))
    statistic = Statistic("t", estimate.number, "=", (), p.number, _sign(p))
    words = f"{estimate.printed} / {error.printed} gives p = {_p_text(computed)}"
    tails = [computed, *([computed.scaled(0.5)] if one_tailed else [])]
    if p.number == 0 or any(_agree(statistic, tail) for tail in tails):
        return Fit(FITS, words)
    return _misfit(statistic, computed, f"{words}, with {FEWEST_FREE:g} degrees of freedom or more")


def _freedom(kind: str, cell: Cell, cells: Mapping[str, Cell]) -> tuple[float, ...] | None:
    """The degrees of freedom of a statistic; None if they are not printed, but for t."""
    for label in cell.coordinates.values():
        if freedom := freedom_of(label):
            return freedom if len(freedom) == (2 if kind == "f" else 1) else None
    if kind == "z":
        return ()
    if kind == "f":
        return (float(cells["df1"].number), float(cells["df2"].number)) if {"df1", "df2"} <= cells.keys() else None
    if "df" in cells:
        return (float(cells["df"].number),) if cells["df"].number > 0 else None
    if kind == "r" and "n" in cells:
        return (float(cells["n"].number - 2),) if cells["n"].number > 2 else None
    return () if kind == "t" else None


def _mark_and_p(table: Table, text: str, one_tailed: bool) -> Iterator[Broken]:
    """A mark for p below a level stands beside no larger p, and no estimate over its error that gives a larger one."""
    levels = levels_of_marks(text)
    judged = []
    for line in lines(table) if levels else ():
        for group in line.groups():
            for name in ("estimate", "t", "f", "chi2", "z", "r", "mean", "p"):
                cell = group.get(name)
                if cell is None or not (mark := mark_of(cell, levels)):
                    continue
                smallest, source = _smallest_p(group, one_tailed)
                if source:
                    judged.append((cell, mark, levels[mark], smallest, source))
    wrong = [entry for entry in judged if entry[3] >= entry[2]]
    if are_exceptions(wrong, judged):
        for cell, mark, level, smallest, source in wrong:
            words = f"{mark} says p < {level:g}; {source} gives p of at least {smallest:.3g}"
            yield Broken("mark_and_p", [cell], words, "inconsistent")


def _smallest_p(cells: Mapping[str, Cell], one_tailed: bool) -> tuple[float, str]:
    """The smallest p that a group allows, and from what."""
    p, estimate, error = cells.get("p"), cells.get("estimate"), cells.get("se")
    if p is not None and p.hedge not in AT_MOST:
        return half_up(p.number).low, f"p = {p.printed}"
    if p is None and estimate is not None and error is not None and half_up(error.number).low > 0:
        largest = half_up(estimate.number).magnitude().high / half_up(error.number).low
        return _probability("z", largest, ()) / (2 if one_tailed else 1), f"{estimate.printed} / {error.printed}"
    return 0.0, ""
