"""A measure of two query sets or of two systems, compared query by query."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import numpy as np

from robustdr.claims.measured import detectable
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.quotients import Ratio, drop_ratio
from robustdr.evaluation.statistics import confidence_interval, holm

CONFIDENCE = 0.95


class Compared(TypedDict):
    """The change of a measure on a query set; see `compare`."""

    mean: float
    difference: float
    difference_interval: list[float] | None
    drop: float | None
    drop_interval: list[float] | None
    p: float
    detectable: float | None
    p_holm: NotRequired[float]


def compare(varied: np.ndarray, original: np.ndarray) -> Compared:
    """The change of a measure from the original queries to a query set, [seeds, queries] each.

    `difference` and `drop`, its share of the original, have 95 % intervals, None if unbounded; `p` is two-sided and
    holds for both. `detectable`: the smallest difference that so many queries would show; None for a single query.
    """
    differences = (varied - original).mean(axis=0)
    several = len(differences) > 1
    new, old = Estimate(varied), Estimate(original)
    difference, drop = Ratio(new - old, ONE), drop_ratio(new, old)
    return {
        "mean": float(varied.mean()),
        "difference": difference.value,
        "difference_interval": _finite(difference.interval(CONFIDENCE)),
        "drop": drop.value if np.isfinite(drop.value) else None,
        "drop_interval": _finite(drop.interval(CONFIDENCE)),
        "p": difference.p,
        "detectable": detectable(confidence_interval(differences), degrees=len(differences) - 1) if several else None,
    }


def interval_of(values: np.ndarray) -> list[float] | None:
    """The 95 % interval of a mean over seeds and queries; None if unbounded."""
    return _finite(Ratio(Estimate(values), ONE).interval(CONFIDENCE))


def correct(changes: Sequence[Compared]) -> None:
    """Add to each its p, corrected over all of them (Holm)."""
    for change, p in zip(changes, holm([change["p"] for change in changes]), strict=True):
        change["p_holm"] = p


def _finite(interval: tuple[float, float]) -> list[float] | None:
    return [float(bound) for bound in interval] if np.isfinite(interval).all() else None
