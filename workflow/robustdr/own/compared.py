"""A measure of two query sets or of two systems, compared query by query."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

import numpy as np

from robustdr.claims.measured import detectable
from robustdr.evaluation.estimates import EXACT, ONE, Estimate
from robustdr.evaluation.quotients import Ratio, drop_ratio
from robustdr.evaluation.statistics import confidence_interval, holm

CONFIDENCE = 0.95


class Compared(TypedDict):
    """The change of a measure on a query set; see `compare`."""

    mean: float
    differing: int
    difference: float
    difference_interval: list[float] | None
    drop: float | None
    drop_interval: list[float] | None
    p: float
    detectable: float | None
    p_holm: NotRequired[float]


def compare(varied: np.ndarray, original: np.ndarray) -> Compared:
    """The change of a measure from the original queries to a query set, [seeds, queries] each.

    `differing` is the number of queries whose measure differs. `difference` and `drop`, its share of the original, have
    95 % intervals, None if unbounded; `p` is two-sided and holds for both. `detectable`: the smallest difference that
    so many queries would show; None for a single query. If no query differs, there is nothing to test: there are no
    intervals, and p is 1.
    """
    differences = (varied - original).mean(axis=0)
    differing = int((np.abs(varied - original) > EXACT).any(axis=0).sum())
    several = len(differences) > 1
    if not differing:
        mean = float(varied.mean())
        return {
            "mean": mean,
            "differing": 0,
            "difference": 0.0,
            "difference_interval": None,
            "drop": 0.0 if mean else None,
            "drop_interval": None,
            "p": 1.0,
            "detectable": None,
        }
    new, old = Estimate(varied), Estimate(original)
    difference, drop = Ratio(new - old, ONE), drop_ratio(new, old)
    return {
        "mean": float(varied.mean()),
        "differing": differing,
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
    """Add to each its p, corrected over all of them in which a query differs (Holm); to the others 1."""
    tested = [change for change in changes if change["differing"]]
    for change in changes:
        change["p_holm"] = 1.0
    for change, p in zip(tested, holm([change["p"] for change in tested]), strict=True):
        change["p_holm"] = p


def _finite(interval: tuple[float, float]) -> list[float] | None:
    return [float(bound) for bound in interval] if np.isfinite(interval).all() else None
