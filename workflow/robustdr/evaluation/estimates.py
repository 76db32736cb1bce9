"""Estimates from measured values: means over seeds and queries, and what is computed from them."""

from collections.abc import Sequence

import numpy as np

from robustdr.evaluation.priors import Runs

EXACT = 1e-12  # floating point only


class Estimate:
    """A mean over seeds and queries, or a value computed from such means.

    The mean of `values` [seeds, queries] is the estimate, and their spread gives its uncertainty. Those of a mean are
    the measured values themselves; those of sums, differences and quotients are first-order approximations (the delta
    method): rows and columns stay the same seeds and queries, so everything computed is paired. `seeds` names the rows,
    1, 2, … if not given. Of two trained systems, the seeds that both have are compared. A system without randomness has
    one row, which stands for every seed; so does a trained system with one run, of another seed.

    The delta method spreads the difference of one query over all of them. So every estimate records where it `differs`
    [queries] from 0: a quotient where its numerator does, a difference of quotients where any of their `parts`
    [2, queries] does, numerator and denominator over seeds. `largest_change` is that of the estimate if every query
    changes by 1: more in a quotient, whose denominator is below 1. `runs`: its systems that a training run decides, and
    what is known of such runs.
    """

    def __init__(
        self,
        values: np.ndarray,
        differs: np.ndarray | None = None,
        parts: np.ndarray | None = None,
        largest_change: float = 1.0,
        runs: Runs = Runs(),  # noqa: B008 (frozen)
        seeds: Sequence[str] = (),
    ) -> None:
        self.values = values
        self.seeds = tuple(seeds or map(str, range(1, len(values) + 1)))
        self.mean = float(values.mean())
        self.differs = np.abs(values.mean(axis=0)) > EXACT if differs is None else differs
        self.parts = parts
        self.largest_change = largest_change
        self.runs = runs

    @property
    def _is_random(self) -> bool:
        return bool(self.runs.trained) or len(self.values) > 1

    def _paired(self, other: "Estimate") -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """Return the values of both for the seeds that both have, and these; without any, for as many as both have."""
        if not (self._is_random and other._is_random):
            return self.values, other.values, other.seeds if other._is_random else self.seeds
        common = tuple(seed for seed in self.seeds if seed in other.seeds)
        if not common:
            count = min(len(self.values), len(other.values))
            return self.values[:count], other.values[:count], self.seeds[:count]
        a, b = (side.values[[side.seeds.index(seed) for seed in common]] for side in (self, other))
        return a, b, common

    def __add__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b, seeds = self._paired(theirs)
        runs = self.runs | theirs.runs
        if self.parts is None and theirs.parts is None:
            return Estimate(a + b, runs=runs, seeds=seeds)
        return Estimate(
            a + b,
            self.differs | theirs.differs,
            largest_change=self.largest_change + theirs.largest_change,
            runs=runs,
            seeds=seeds,
        )

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b, seeds = self._paired(theirs)
        runs = self.runs | theirs.runs
        if self.parts is None and theirs.parts is None:
            return Estimate(a - b, runs=runs, seeds=seeds)
        if self.parts is None or theirs.parts is None:
            differs = self.differs | theirs.differs
        else:
            differs = (np.abs(self.parts - theirs.parts) > EXACT).any(axis=0)
        largest_change = max(self.largest_change, theirs.largest_change)
        return Estimate(a - b, differs, largest_change=largest_change, runs=runs, seeds=seeds)

    def __truediv__(self, other: "Estimate | float") -> "Estimate":
        if not isinstance(other, Estimate):
            return Estimate(
                self.values / other,
                self.differs,
                largest_change=self.largest_change / other,
                runs=self.runs,
                seeds=self.seeds,
            )
        a, b, seeds = self._paired(other)
        ratio = a.mean() / b.mean()
        parts = np.stack(np.broadcast_arrays(a.mean(axis=0), b.mean(axis=0)))
        values = ratio + (a - ratio * b) / b.mean()
        return Estimate(values, self.differs, parts, self.largest_change / b.mean(), self.runs | other.runs, seeds)


def _estimate(number: Estimate | float) -> Estimate:
    return number if isinstance(number, Estimate) else Estimate(np.full((1, 1), number))


ONE = Estimate(np.ones((1, 1)))  # the denominator of a difference that is no share
