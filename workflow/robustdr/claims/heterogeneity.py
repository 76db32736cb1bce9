"""Heterogeneity: whether a comparison has the same size in two settings."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from scipy.stats import norm

CONFIDENCE = 0.95


class Difference(NamedTuple):
    """A size in a second setting less that in a first, its 95 % interval, and a two-sided p of no difference."""

    size: float
    low: float
    high: float
    p: float


def difference(
    first: float, first_interval: Sequence[float], second: float, second_interval: Sequence[float]
) -> Difference:
    """Compare two independent sizes by their 95 % intervals, which need not be symmetric.

    The interval of the difference is made of theirs (Zou and Donner, 2008, equation 3). p is that of the normal
    distribution whose interval has the same end toward 0. With symmetric intervals this is Cochran's Q of two studies.
    """
    size = second - first
    low = size - sqrt((second - second_interval[0]) ** 2 + (first_interval[1] - first) ** 2)
    high = size + sqrt((second_interval[1] - second) ** 2 + (first - first_interval[0]) ** 2)
    toward_zero = size - low if size > 0 else high - size
    p = 2 * norm.sf(abs(size) / toward_zero * norm.ppf((1 + CONFIDENCE) / 2)) if toward_zero else float(size == 0)
    return Difference(size, low, high, float(p))
