"""Intervals of numbers and their arithmetic."""

from math import inf, isfinite
from typing import NamedTuple

SLACK = 1e-9  # floating point only: far below the last decimal of any printed number


def bounds(low: float | None, high: float | None) -> str:
    """Return the text of an interval of shares, ×100; `–` for an unbounded end."""
    return f"[{', '.join('–' if end is None or not isfinite(end) else f'{100 * end:+.1f}' for end in (low, high))}]"


class Interval(NamedTuple):
    """All values from `low` to `high`, including both."""

    low: float
    high: float

    def meets(self, interval: "Interval") -> bool:
        """Whether some value lies in both intervals."""
        slack = SLACK * max([1.0, *(abs(end) for end in (*self, *interval) if isfinite(end))])
        return self.low <= interval.high + slack and interval.low <= self.high + slack

    def __neg__(self) -> "Interval":
        return Interval(0.0 - self.high, 0.0 - self.low)  # no -0.0

    def __add__(self, other: "Interval") -> "Interval":  # type: ignore[override]
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Interval") -> "Interval":
        return self + -other

    def __truediv__(self, other: "Interval") -> "Interval":
        """Return all quotients of two values; unbounded if the divisor can be 0 or below."""
        if other.low <= 0:
            return Interval(-inf, inf)
        quotients = [value / divisor for value in self for divisor in other]
        return Interval(min(quotients), max(quotients))

    def lies_inside(self, interval: "Interval") -> bool:
        """Whether every value lies inside the other interval, without its ends."""
        return interval.low < self.low and self.high < interval.high

    def widened(self, margin: float) -> "Interval":
        return Interval(self.low - margin, self.high + margin)

    def scaled(self, factor: float) -> "Interval":
        """Return the interval times a number of any sign."""
        ends = self.low * factor, self.high * factor
        return Interval(min(ends), max(ends))

    def magnitude(self) -> "Interval":
        """The absolute values of the interval."""
        if self.low <= 0 <= self.high:
            return Interval(0.0, max(-self.low, self.high))
        return self if self.low > 0 else -self
