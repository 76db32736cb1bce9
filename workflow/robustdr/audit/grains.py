"""What a mean over queries can be: sums of the few values that a measure takes on one query.

The GRIM test (Brown and Heathers, 2017) for measures of retrieval: it asks whether some data give a printed mean.
"""

import re
from functools import cache, partial
from math import ceil, floor, lcm
from typing import NamedTuple

from robustdr.audit.intervals import SLACK, Interval

MEASURES = "Success@k, P@k, Judged@k, Unjudged@k (a count), R@k with `relevant`, RR@k with k up to 10"
_NAME = re.compile(r"(Success|P|Judged|Unjudged|R|RR)@([1-9]\d*)")
TERMS = 40  # queries with a value above 0, or below 1, up to which sums are enumerated; beyond, every sum is possible
DEEPEST = 10  # rank: the least common multiple of 1 to k grows too fast beyond


class Grain(NamedTuple):
    """The values of a measure on one query, as multiples of 1/unit."""

    unit: int
    values: frozenset[int]


def grain(measure: str, relevant: int = 0) -> Grain | None:
    """The values of an ir_measures measure on one query; None for a measure that can take too many.

    Args:
        relevant: passages of every query, which R@k needs.
    """
    match = _NAME.fullmatch(measure)
    if match is None:
        return None
    name, depth = match[1], int(match[2])
    if name == "RR":
        unit = lcm(*range(1, depth + 1)) if depth <= DEEPEST else 0
        return Grain(unit, frozenset([0, *(unit // rank for rank in range(1, depth + 1))])) if unit else None
    unit, most = {"Success": (1, 1), "Unjudged": (1, depth), "R": (relevant, min(depth, relevant))}.get(
        name, (depth,) * 2
    )
    return Grain(unit, frozenset(range(most + 1))) if unit else None


def nearest(grain: Grain, queries: int, printed: Interval) -> list[Interval]:
    """The possible means below and above the low end of a printed interval; if it has any, the latter lies inside."""
    whole = grain.unit * queries
    most = max(grain.values) * queries
    below = range(min(most, floor(printed.low * whole + SLACK)), -1, -1)
    above = range(max(0, ceil(printed.low * whole - SLACK)), most + 1)
    ends = [next(filter(partial(_reachable, grain, queries), totals), None) for totals in (below, above)]
    return [Interval(total / whole, total / whole) for total in dict.fromkeys(ends) if total is not None]


def _reachable(grain: Grain, queries: int, total: int) -> bool:
    """Whether so many values add up to `total`: exact for whole numbers, and for others near 0 and near the most."""
    most = max(grain.values) * queries
    if len(grain.values) == max(grain.values) + 1:
        return True
    terms = min(queries, TERMS)
    rest = frozenset(max(grain.values) - value for value in grain.values)
    return _possible(grain.values, terms, total, queries) and _possible(rest, terms, most - total, queries)


def _possible(values: frozenset[int], terms: int, total: int, queries: int) -> bool:
    exact = total <= terms * min(values - {0}) or terms == queries
    return not exact or bool(_sums(values, terms) >> total & 1)


@cache
def _sums(values: frozenset[int], terms: int) -> int:
    """Every sum of so many of the values, as the set bits of a number."""
    sums = 1
    for _ in range(terms):
        last, sums = sums, 0
        for value in values:
            sums |= last << value
    return sums
