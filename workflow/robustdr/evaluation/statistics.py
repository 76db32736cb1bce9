"""Uncertainty, drops and paired tests."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """A paired two-tailed t-test of `a` against `b`: mean difference a − b, t statistic and p value."""

    difference: float
    t: float
    p: float


def paired_t_test(a: np.ndarray, b: np.ndarray) -> Comparison:
    """Compare paired per-query values [n] and [n]; if all are equal, p = 1."""
    import scipy.stats

    difference = a - b
    if not difference.any():
        return Comparison(0.0, 0.0, 1.0)
    t, p = scipy.stats.ttest_rel(a, b)
    return Comparison(float(difference.mean()), float(t), float(p))


def holm(p_values: list[float]) -> list[float]:
    """Return p values after Holm's step-down correction, in the given order."""
    corrected = np.empty(len(p_values))
    highest = 0.0
    for step, position in enumerate(np.argsort(p_values)):
        highest = max(highest, min(1.0, p_values[position] * (len(p_values) - step)))
        corrected[position] = highest
    return corrected.tolist()


def drop(variation: float, original: float) -> float | None:
    """Return (variation − original) / original; None if the original is 0."""
    return (variation - original) / original if original else None


def confidence_interval(values: np.ndarray, level: float = 0.95) -> float:
    """Return half the width of the t interval of the mean of [n] values; 0 for fewer than two values."""
    import scipy.stats

    if len(values) < 2:
        return 0.0
    return float(scipy.stats.sem(values) * scipy.stats.t.ppf((1 + level) / 2, len(values) - 1))
