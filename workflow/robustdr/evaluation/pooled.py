"""A mean over collections, as a mixed-effects model has it: collections differ, and each has its own error."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

LEAST = 1e-12  # variance of a collection whose error is 0, so that its weight is finite


class Pooled(TypedDict):
    """A mean over collections: its 95 % interval, two-sided p, and `spread`, the deviation between collections."""

    mean: float
    interval: list[float]
    p: float
    spread: float


def pooled(means: Sequence[float], errors: Sequence[float]) -> Pooled:
    """Pool the means of collections, each with its standard error.

    The model is mean = m + collection + error, with a variance between collections by restricted maximum likelihood
    (Viechtbauer, 2005). Interval and p have the t distribution with k − 1 degrees of freedom (Knapp and Hartung, 2003;
    Sidik and Jonkman, 2002), and are never narrower than the model's own.

    Raises:
        ValueError: there are fewer than two collections.
    """
    from scipy.optimize import minimize_scalar
    from scipy.special import stdtr, stdtrit

    values, variances = np.asarray(means, float), np.maximum(np.square(np.asarray(errors, float)), LEAST)
    if len(values) < 2:
        raise ValueError(f"{len(values)} collections; allowed: two or more")

    def fit(variance: float) -> tuple[np.ndarray, float]:
        weights = 1 / (variances + variance)
        return weights, float(weights @ values / weights.sum())

    def loss(variance: float) -> float:
        weights, mean = fit(variance)
        return float(weights @ (values - mean) ** 2 - np.log(weights).sum() + np.log(weights.sum()))

    largest = 10 * float(values.var(ddof=1) + variances.max())
    optimum = minimize_scalar(
        lambda root: loss(root**2), bounds=(0, largest**0.5), method="bounded", options={"xatol": 1e-9}
    )
    variance = float(optimum.x) ** 2 if optimum.fun < loss(0.0) else 0.0
    weights, mean = fit(variance)
    degrees = len(values) - 1
    scale = max(1.0, float(weights @ (values - mean) ** 2) / degrees)
    error = (scale / weights.sum()) ** 0.5
    half = -float(stdtrit(degrees, 0.025)) * error
    return {
        "mean": mean,
        "interval": [float(mean - half), float(mean + half)],
        "p": float(2 * stdtr(degrees, -abs(mean) / error)),
        "spread": variance**0.5,
    }
