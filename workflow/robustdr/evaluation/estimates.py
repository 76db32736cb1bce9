"""Estimates from measured values: means over seeds and queries, and what is computed from them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from robustdr.evaluation.runs import Shift

EXACT = 1e-12  # floating point only


class Estimate:
    """A mean over seeds and queries, or a value computed from such means.

    The mean of `values` [seeds, queries] is the estimate, and their spread gives its uncertainty. Those of a mean are
    the measured values themselves; those of sums, differences and quotients are first-order approximations (the delta
    method): rows and columns stay the same seeds and queries, so everything computed is paired. A system without
    randomness has one row; if two systems have several seeds each, the seeds that both have are compared.

    The delta method spreads the difference of one query over all of them. So every estimate records where it `differs`
    [queries] from 0: a quotient where its numerator does, a difference of quotients where any of their `parts`
    [2, queries] does, numerator and denominator over seeds. `most` is the change of the estimate if every query changes
    by 1: more in a quotient, whose denominator is below 1. `shifts`: the change of the estimate if a training moves its
    system by 1.
    """

    def __init__(
        self,
        values: np.ndarray,
        differs: np.ndarray | None = None,
        parts: np.ndarray | None = None,
        most: float = 1.0,
        shifts: Mapping[Shift, float] | None = None,
    ) -> None:
        self.values = values
        self.mean = float(values.mean())
        self.differs = np.abs(values.mean(axis=0)) > EXACT if differs is None else differs
        self.parts = parts
        self.most = most
        self.shifts = shifts or {}

    def shifts_of(self, seeds: int) -> dict[Shift, float]:
        """Return the shifts if only so many seeds are taken."""
        found: dict[Shift, float] = {}
        for at, by in self.shifts.items():
            taken = replace(at, runs=min(at.runs, seeds))
            found[taken] = found.get(taken, 0.0) + by
        return found

    def _shifted(self, other: "Estimate", factor: float, divisor: float = 1.0) -> dict[Shift, float]:
        """Return the shifts of (self + factor · other) / divisor."""
        ours, theirs = (of.shifts_of(self._seeds(other)) for of in (self, other))
        every = dict.fromkeys([*ours, *theirs])
        return {at: (ours.get(at, 0.0) + factor * theirs.get(at, 0.0)) / divisor for at in every}

    def _seeds(self, other: "Estimate") -> int:
        """Return how many seeds both have; an estimate without randomness has all of them."""
        return min((len(values) for values in (self.values, other.values) if len(values) > 1), default=1)

    def _paired(self, other: "Estimate") -> tuple[np.ndarray, np.ndarray]:
        """Return the values of both, for the seeds that both have."""
        seeds = self._seeds(other)
        return self.values[:seeds], other.values[:seeds]

    def __add__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        shifts = self._shifted(theirs, 1.0)
        if self.parts is None and theirs.parts is None:
            return Estimate(a + b, shifts=shifts)
        return Estimate(a + b, self.differs | theirs.differs, most=self.most + theirs.most, shifts=shifts)

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        shifts = self._shifted(theirs, -1.0)
        if self.parts is None and theirs.parts is None:
            return Estimate(a - b, shifts=shifts)
        if self.parts is None or theirs.parts is None:
            return Estimate(a - b, self.differs | theirs.differs, most=max(self.most, theirs.most), shifts=shifts)
        differs = (np.abs(self.parts - theirs.parts) > EXACT).any(axis=0)
        return Estimate(a - b, differs, most=max(self.most, theirs.most), shifts=shifts)

    def __truediv__(self, other: "Estimate | float") -> "Estimate":
        if not isinstance(other, Estimate):
            shifts = {at: shift / other for at, shift in self.shifts.items()}
            return Estimate(self.values / other, self.differs, most=self.most / other, shifts=shifts)
        a, b = self._paired(other)
        ratio = a.mean() / b.mean()
        parts = np.stack(np.broadcast_arrays(a.mean(axis=0), b.mean(axis=0)))
        shifts = self._shifted(other, -ratio, b.mean())
        return Estimate(ratio + (a - ratio * b) / b.mean(), self.differs, parts, self.most / b.mean(), shifts)


def _estimate(number: Estimate | float) -> Estimate:
    return number if isinstance(number, Estimate) else Estimate(np.full((1, 1), number))


ONE = Estimate(np.ones((1, 1)))  # the denominator of a difference that is no share
