"""How likely printed numbers obey a relation by chance."""

from collections.abc import Sequence
from math import comb, exp, inf, log


def chance_bound(fitting: Sequence[float], cells: int, tried: int) -> float:
    """A bound on the probability that a relation fits so many cells by chance.

    If numbers had nothing to do with each other, a number would fall at random into the range of its column, and fit
    with a chance of (what rounding leaves open) / (that range). All of `fitting` do so with the product of their
    chances, times the ways to choose them out of `cells`, times the relations that were tried (Bonferroni).

    Args:
        fitting: the chance of each cell that fits. cells: all that the relation concerns. tried: relations.
    """
    if not fitting:
        return 1.0
    logarithm = sum(map(log, fitting)) + log(comb(cells, len(fitting))) + log(max(tried, 1))
    return exp(min(logarithm, 0.0)) if logarithm > -600 else 0.0


def odds(chance: float) -> str:
    """A small probability in words: `1 in 40,000`."""
    times = inf if chance == 0 else 1 / chance
    return f"1 in {float(f'{times:.1g}'):,.0f}" if times < 1e9 else "under 1 in 1,000,000,000"
