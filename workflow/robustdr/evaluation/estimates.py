"""Estimates from measured values: means over seeds and queries, and what is computed from them."""

import numpy as np

from robustdr.evaluation.priors import Runs

EXACT = 1e-12  # floating point only


class Estimate:
    """A mean over seeds and queries, or a value computed from such means.

    The mean of `values` [seeds, queries] is the estimate, and their spread gives its uncertainty. Those of a mean are
    the measured values themselves; those of sums, differences and quotients are first-order approximations (the delta
    method): rows and columns stay the same seeds and queries, so everything computed is paired. If two trained systems
    have several seeds each, the seeds that both have are compared. A system without randomness has one row, which
    stands for every seed.

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
    ) -> None:
        self.values = values
        self.mean = float(values.mean())
        self.differs = np.abs(values.mean(axis=0)) > EXACT if differs is None else differs
        self.parts = parts
        self.largest_change = largest_change
        self.runs = runs

    def _paired(self, other: "Estimate") -> tuple[np.ndarray, np.ndarray]:
        """Return the values of both, for the seeds that both have."""
        seeds = min(
            (len(estimate.values) for estimate in (self, other) if estimate.runs.trained or len(estimate.values) > 1),
            default=1,
        )
        return self.values[:seeds], other.values[:seeds]

    def __add__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        runs = self.runs | theirs.runs
        if self.parts is None and theirs.parts is None:
            return Estimate(a + b, runs=runs)
        return Estimate(
            a + b, self.differs | theirs.differs, largest_change=self.largest_change + theirs.largest_change, runs=runs
        )

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        runs = self.runs | theirs.runs
        if self.parts is None and theirs.parts is None:
            return Estimate(a - b, runs=runs)
        if self.parts is None or theirs.parts is None:
            return Estimate(
                a - b,
                self.differs | theirs.differs,
                largest_change=max(self.largest_change, theirs.largest_change),
                runs=runs,
            )
        differs = (np.abs(self.parts - theirs.parts) > EXACT).any(axis=0)
        return Estimate(a - b, differs, largest_change=max(self.largest_change, theirs.largest_change), runs=runs)

    def __truediv__(self, other: "Estimate | float") -> "Estimate":
        if not isinstance(other, Estimate):
            return Estimate(
                self.values / other, self.differs, largest_change=self.largest_change / other, runs=self.runs
            )
        a, b = self._paired(other)
        ratio = a.mean() / b.mean()
        parts = np.stack(np.broadcast_arrays(a.mean(axis=0), b.mean(axis=0)))
        values = ratio + (a - ratio * b) / b.mean()
        return Estimate(values, self.differs, parts, self.largest_change / b.mean(), self.runs | other.runs)


def _estimate(number: Estimate | float) -> Estimate:
    return number if isinstance(number, Estimate) else Estimate(np.full((1, 1), number))


ONE = Estimate(np.ones((1, 1)))  # the denominator of a difference that is no share
