"""Rounding intervals: all values that a printed number can stand for.

The half-unit comes from the printed string. Rounding half up, half to even and truncation are all possible, so a
printed v with last decimal u stands for [v - u/2, v + u] (mirrored below zero, since truncation moves towards zero).
"""

import statistics
from collections.abc import Sequence
from decimal import Decimal
from math import inf, isfinite, sqrt

from robustdr.claims.intervals import Interval

NEAR = 0.01  # share of a number by which it may miss a formula and be near to it


def rounding_interval(number: Decimal, *, scale: float = 1.0, exact: bool = False) -> Interval:
    """Return the values that a printed number can stand for, times `scale` (0.01 for a percentage)."""
    value = float(number)
    if exact:
        return Interval(value * scale, value * scale)
    unit = 10.0 ** int(number.as_tuple().exponent)
    downward = unit if value <= 0 else unit / 2
    upward = unit if value >= 0 else unit / 2
    return Interval((value - downward) * scale, (value + upward) * scale)


def half_up(number: Decimal) -> Interval:
    """Return the values that are rounded to a number, not cut off: half of a unit to both sides."""
    half = 10.0 ** int(number.as_tuple().exponent) / 2
    return Interval(float(number) - half, float(number) + half)


def hull(parts: Sequence[Interval]) -> Interval:
    """Return the smallest interval that holds all of these."""
    return Interval(min(part.low for part in parts), max(part.high for part in parts))


def mean(parts: Sequence[Interval]) -> Interval:
    """Return all means of one value from each part."""
    if len(parts) == 1:
        return parts[0]
    return Interval(sum(p.low for p in parts) / len(parts), sum(p.high for p in parts) / len(parts))


def median(parts: Sequence[Interval]) -> Interval:
    """Return all medians of one value from each part (of an even number: the mean of the middle two)."""
    return Interval(statistics.median(part.low for part in parts), statistics.median(part.high for part in parts))


def harmonic_mean(parts: Sequence[Interval]) -> Interval | None:
    """Return all harmonic means of one value from each part, as F1 of precision and recall; None if one can be 0."""
    if min(part.low for part in parts) <= 0:
        return None
    low, high = (len(parts) / sum(1 / end for end in ends) for ends in zip(*parts, strict=True))
    return Interval(low, high)


def is_near(printed: Interval, formula: Interval) -> bool:
    """Whether a number misses a formula by 1 % at most, as an average over runs does whose parts are averages too."""
    return printed.meets(Interval(formula.low - NEAR * abs(formula.low), formula.high + NEAR * abs(formula.high)))


def change(value: Interval, base: Interval) -> Interval | None:
    """Return every (value - base) / base, or None if the base can be 0 or below."""
    if base.low <= 0:
        return None
    if not all(map(isfinite, (*value, *base))):
        return Interval(-inf, inf)
    quotients = [v / b - 1 for v in value for b in base]
    return Interval(min(quotients), max(quotients))


def deviation(parts: Sequence[Interval], *, population: bool = False) -> Interval:
    """Return bounds on the standard deviation over one value from each part.

    The deviation of x is the distance of x from its mean, so it moves by at most the distance between two choices of x:
    deviation(centres) ± ‖half-widths‖ / √(n - 1). That contains every reachable value.
    """
    if not all(isfinite(end) for part in parts for end in part):
        return Interval(0.0, inf)
    degrees = len(parts) - (0 if population else 1)
    centres = [(p.low + p.high) / 2 for p in parts]
    average = sum(centres) / len(centres)
    at_centres = sqrt(sum((c - average) ** 2 for c in centres) / degrees)
    reach = sqrt(sum(((p.high - p.low) / 2) ** 2 for p in parts) / degrees)
    return Interval(max(0.0, at_centres - reach), at_centres + reach)
