"""What formulas give at the lines of a table, many formulas at once, and where the printed numbers agree.

Arrays are [lines, formulas]; a number that is missing, or open at one end, is NaN and agrees with nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from robustdr.audit.formulas import Formula, Formulas
from robustdr.claims.intervals import SLACK

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
