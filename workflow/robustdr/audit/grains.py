"""The possible means over queries: sums of the few values that a measure can have for one query.

The GRIM test (Brown and Heathers, 2017) for retrieval measures: can any data give a printed mean?
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil, floor, lcm, sqrt
from typing import NamedTuple

from robustdr.claims.intervals import SLACK, Interval

MEASURES = "Success@k, P@k, Judged@k, Unjudged@k (a count), R@k with `relevant`, RR@k with k up to 10"
_NAME = re.compile(r"(Success|P|Judged|Unjudged|R|RR)@([1-9]\d*)")
TERMS = 40  # queries with a value above 0 (or below 1) up to which sums are enumerated; beyond, every sum is possible
DEEPEST = 10  # rank; beyond, the least common multiple of 1 to k is too large
MOST = 10_000  # sums that a rounded mean leaves open
MOST_RATED, WIDEST = 100, 10  # ratings, and steps of their scale, of which all samples are listed
FINEST = 10**7  # steps between a mean of 0 and of 1; finer than anything printed


class Grain(NamedTuple):
    """The values of a measure on one query, as multiples of 1/unit."""

    unit: int
    values: frozenset[int]

    def largest_sum(self, queries: int) -> int:
        """Return the largest sum over `queries` queries."""
        return max(self.values) * queries

    def gives(self, total: int, queries: int) -> bool:
        """Whether `queries` values can add up to `total`: exact for whole numbers; else near 0 and `largest_sum`."""
        if len(self.values) == max(self.values) + 1:
            return True
        terms = min(queries, TERMS)
        rest = frozenset(max(self.values) - value for value in self.values)
        return _possible(self.values, terms, total, queries) and _possible(
            rest, terms, self.largest_sum(queries) - total, queries
        )


class Mixture(NamedTuple):
    """R@k over queries with different numbers of relevant passages, as multiples of 1/unit.

    Attributes:
        steps: for each number of relevant passages, what one of them adds, and how many all queries have together.
        queries: number of queries.
    """

    unit: int
    steps: tuple[tuple[int, int], ...]
    queries: int

    def _steps_of_runs(self, queries: int) -> tuple[tuple[int, int], ...]:
        """Return the steps of several runs over the queries."""
        return tuple((step, count * (queries // self.queries)) for step, count in self.steps)

    def largest_sum(self, queries: int) -> int:
        """Return the largest sum over the queries of one or several runs."""
        return sum(step * count for step, count in self._steps_of_runs(queries))

    def gives(self, total: int, queries: int) -> bool:
        """Whether the steps of some found passages can add up to `total`."""
        return bool(_sums_of_steps(self._steps_of_runs(queries)) >> total & 1)


def grain(measure: str, relevant: int = 0) -> Grain | None:
    """Return the values of an ir_measures measure on one query; None for a measure with too many values.

    Args:
        relevant: number of relevant passages of every query, which R@k needs.
    """
    match = _NAME.fullmatch(measure)
    if match is None:
        return None
    name, depth = match[1], int(match[2])
    if name == "RR":
        unit = lcm(*range(1, depth + 1)) if depth <= DEEPEST else 0
        return Grain(unit, frozenset([0, *(unit // rank for rank in range(1, depth + 1))])) if unit else None
    unit, largest_value = {"Success": (1, 1), "Unjudged": (1, depth), "R": (relevant, min(depth, relevant))}.get(
        name, (depth,) * 2
    )
    return Grain(unit, frozenset(range(largest_value + 1))) if unit else None


def mixture(measure: str, relevant: Mapping[int, int]) -> Mixture | None:
    """Return the possible means of R@k; None for another measure, or if they are too close together to exclude any.

    Args:
        relevant: {number of relevant passages: number of queries with so many}.
    """
    match, queries, unit = _NAME.fullmatch(measure), sum(relevant.values()), lcm(*relevant)
    if match is None or match[1] != "R" or unit * queries > FINEST:
        return None
    steps = tuple(
        (unit // number, min(int(match[2]), number) * query_count) for number, query_count in sorted(relevant.items())
    )
    return Mixture(unit, steps, queries)


def nearest(grain: Grain | Mixture, queries: int, printed: Interval) -> list[Interval]:
    """Return the nearest possible means below and above an interval's low end; the upper is inside if any is.

    No rounding prints a number at the interval's upper end, so a mean there is not returned.
    """
    whole, largest = grain.unit * queries, grain.largest_sum(queries)
    downward = range(min(largest, floor(printed.low * whole + SLACK)), -1, -1)
    upward = range(max(0, ceil(printed.low * whole - SLACK)), largest + 1)
    ends = [next((total for total in totals if grain.gives(total, queries)), None) for totals in (downward, upward)]
    open_end = printed.high * whole if printed.high > printed.low else None
    ends = [total for total in ends if total is None or open_end is None or abs(total - open_end) > SLACK * whole]
    return [Interval(total / whole, total / whole) for total in dict.fromkeys(ends) if total is not None]


def is_whole(mean: Interval, size: int) -> bool:
    """Whether a whole number, divided by a size, is printed so; no rounding prints the interval's upper end."""
    first = ceil(mean.low * size - SLACK) / size
    return first < mean.high - SLACK or first <= mean.low + SLACK


def deviations(numbers: int, mean: Interval, printed: Interval) -> list[Interval]:
    """Return the nearest sample deviations below and above a printed one's low end that whole numbers can have.

    Their sum S and the sum of their squares are whole, and both odd or both even (GRIMMER; J. Anaya, 2016). The mean's
    upper end is no mean that is printed so.
    """
    lower: list[float] = []
    upper: list[float] = []
    first, last = ceil(mean.low * numbers - SLACK), floor(mean.high * numbers + SLACK)
    last -= mean.high > mean.low and abs(last - mean.high * numbers) <= SLACK
    for total in range(first, min(last, first + MOST) + 1):
        smallest = total**2 / numbers
        squares = ceil(max(smallest, (numbers - 1) * max(printed.low, 0.0) ** 2 + smallest) - SLACK)
        squares += (squares - total) % 2
        upper.append(sqrt(max(0.0, squares - smallest) / (numbers - 1)))
        if squares - 2 >= smallest - SLACK:
            lower.append(sqrt(max(0.0, squares - 2 - smallest) / (numbers - 1)))
    ends = [max(lower, default=None), min(upper, default=None)]
    inside = [end for end in ends if end is not None and (end < printed.high - SLACK or printed.low == printed.high)]
    outside = [end for end in ends if end is not None]
    return [Interval(end, end) for end in dict.fromkeys(inside or outside)]


def rated(numbers: int, lowest: int, highest: int, mean: Interval, printed: Interval) -> list[Interval]:
    """Return the deviations of ratings with a mean that are printed so; else the nearest ones below and above.

    Ratings are whole numbers from `lowest` to `highest`. The mean's upper end is no mean that is printed so. Of more
    than `MOST_RATED` ratings, or on a wider scale than `WIDEST` steps, see `deviations`.
    """
    if numbers > MOST_RATED or highest - lowest > WIDEST:
        return deviations(numbers, mean, printed)
    first, last = ceil(mean.low * numbers - SLACK), floor(mean.high * numbers - SLACK)
    possible = [
        sqrt(max(0.0, squares - total**2 / numbers) / (numbers - 1))
        for total in range(first - lowest * numbers, last - lowest * numbers + 1)
        for squares in _sums_of_squares(numbers, highest - lowest).get(total, ())
    ]
    lower = max((end for end in possible if end < printed.low - SLACK), default=None)
    upper = min((end for end in possible if end >= printed.low - SLACK), default=None)
    if upper is not None and upper < printed.high:
        return [Interval(upper, upper)]
    return [Interval(end, end) for end in (lower, upper) if end is not None]


@cache
def _sums_of_squares(numbers: int, highest: int) -> Mapping[int, Sequence[int]]:
    """By their sum, all sums of squares of whole numbers from 0 to `highest`."""
    by_sum = {0: 1}  # squares as set bits
    for _ in range(numbers):
        following: defaultdict[int, int] = defaultdict(int)
        for total, squares in by_sum.items():
            for value in range(highest + 1):
                following[total + value] |= squares << value**2
        by_sum = following
    return {
        total: [square for square, bit in enumerate(reversed(bin(squares)[2:])) if bit == "1"]
        for total, squares in by_sum.items()
    }


def _possible(values: frozenset[int], terms: int, total: int, queries: int) -> bool:
    exact = total <= terms * min(values - {0}) or terms == queries
    return not exact or bool(_sums(values, terms) >> total & 1)


@cache
def _sums(values: frozenset[int], terms: int) -> int:
    """Return all sums of `terms` of the values, as the set bits of a number."""
    sums = 1
    for _ in range(terms):
        last, sums = sums, 0
        for value in values:
            sums |= last << value
    return sums


@cache
def _sums_of_steps(steps: tuple[tuple[int, int], ...]) -> int:
    """Return all sums of up to the given number of each step, as the set bits of a number."""
    sums = 1
    for step, limit in steps:
        added = 0
        while added < limit:
            block = min(added + 1, limit - added)
            sums |= sums << step * block
            added += block
    return sums
