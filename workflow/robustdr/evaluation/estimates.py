"""Estimates from measured values, with intervals and tests over queries and seeds."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
import scipy.stats

from robustdr.evaluation.runs import ENOUGH, Shift

FEW = 15  # queries that differ: for fewer, a t-test is unreliable and all 2^n signs can be counted
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

    def _shifted(self, other: "Estimate", factor: float, divisor: float = 1.0) -> dict[Shift, float]:
        """Return the shifts of (self + factor · other) / divisor."""
        every = dict.fromkeys([*self.shifts, *other.shifts])
        return {at: (self.shifts.get(at, 0.0) + factor * other.shifts.get(at, 0.0)) / divisor for at in every}

    def _paired(self, other: "Estimate") -> tuple[np.ndarray, np.ndarray]:
        """Return the values of both, for the seeds that both have."""
        seeds = min((len(values) for values in (self.values, other.values) if len(values) > 1), default=1)
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


@dataclass(frozen=True)
class Ratio:
    """The quotient of two estimates, with intervals that stay right if the denominator may be near 0.

    An interval holds every quotient r for which `numerator` − r · `denominator` may be 0 (Fieller, 1954). Variances are
    those of a two-way random-effects model, seeds × queries, with Satterthwaite's degrees of freedom. With fewer than
    `ENOUGH` seeds that of seeds is the pooled one of the estimates' shifts; where none is known, with one seed, there
    is only that of queries.
    """

    numerator: Estimate
    denominator: Estimate

    @cached_property
    def _values(self) -> tuple[np.ndarray, np.ndarray]:
        """Return numerator and denominator, each [seeds, queries]."""
        of = self.numerator + (self.denominator - self.denominator)  # the seeds and queries that both have
        by = self.denominator + (self.numerator - self.numerator)
        return of.values, by.values

    @property
    def value(self) -> float:
        of, by = self._values
        return float(of.mean() / by.mean()) if by.mean() else inf

    @property
    def seeds(self) -> int:
        return len(self._values[0])

    @property
    def queries(self) -> int:
        return self._values[0].shape[1]

    @cached_property
    def differing(self) -> np.ndarray:
        """The numerator of each query, over seeds, for the queries that differ."""
        of = self._values[0].mean(axis=0)
        return of[np.broadcast_to(self.numerator.differs, of.shape)]

    @property
    def _most(self) -> float:
        """The change of the quotient if every query differs by 1."""
        by = float(self._values[1].mean())
        return self.numerator.most / by if by else inf

    @cached_property
    def _pooled(self) -> dict[Shift, np.ndarray]:
        """The shifts whose pooled variance is used, with those of numerator and denominator [2]."""
        every = dict.fromkeys([*self.numerator.shifts, *self.denominator.shifts])
        return {
            at: np.array([self.numerator.shifts.get(at, 0.0), self.denominator.shifts.get(at, 0.0)])
            for at in every
            if at.spread and min(at.runs, self.seeds) < ENOUGH
        }

    @property
    def unknown_runs(self) -> bool:
        """Whether single training runs of systems are compared, and how much runs vary is not known.

        A drop of one system is no such comparison: its training moves both query sets alike.
        """
        shifts = {
            at: self.numerator.shifts.get(at, 0.0) - self.value * self.denominator.shifts.get(at, 0.0)
            for at in (*self.numerator.shifts, *self.denominator.shifts)
            if at.spread is None and at.runs == 1
        }
        moved = [at for at, by in shifts.items() if abs(by) > EXACT]
        return any(not at.query_set for at in moved) or len({at.system for at in moved}) > 1

    @property
    def one_run(self) -> bool:
        """Whether a system was trained once."""
        return any(at.runs == 1 for at in (*self.numerator.shifts, *self.denominator.shifts))

    def _variance(self, printed: int = 0) -> tuple[np.ndarray, float]:
        """Return the covariance [2, 2] of numerator and denominator, and degrees of freedom.

        Args:
            printed: if given, the variance of the difference from a quotient printed from so many queries and one run
                of each system, whose queries and runs vary as these do.
        """
        values = np.stack(self._values)  # [2, seeds, queries]
        _, seeds, queries = values.shape
        by_query, by_seed = values.mean(axis=1), values.mean(axis=2)
        total = np.cov(by_query) / queries * (1 + queries / printed if printed else 1)
        parts = [(total, queries - 1.0)]
        pooled = self._pooled
        if seeds > 1 and not (pooled and seeds < ENOUGH):
            more = 1 + seeds if printed else 1
            rest = values - by_query[:, None, :] - by_seed[:, :, None] + values.mean(axis=(1, 2))[:, None, None]
            degrees = (seeds - 1.0) * (queries - 1.0)
            left = more * np.einsum("isq,jsq->ij", rest, rest) / degrees / (seeds * queries)
            seen = more * np.cov(by_seed) / seeds
            roots, vectors = np.linalg.eigh(seen - left)
            total = total + (vectors * roots.clip(min=0)) @ vectors.T  # no variance is negative
            parts += [(seen, seeds - 1.0), (left, degrees)]
        for spread in {at.spread: None for at in pooled if at.spread}:
            moved = [
                (1 / at.runs + bool(printed)) * np.outer(by, by) for at, by in pooled.items() if at.spread == spread
            ]
            parts.append((spread.sd**2 * np.sum(moved, axis=0), spread.df))
            total = total + parts[-1][0]
        if len(parts) == 1:
            return total, queries - 1.0
        contrast = np.array([1.0, -self.value if isfinite(self.value) else 0.0])
        lost = sum(float(contrast @ part @ contrast) ** 2 / of for part, of in parts)
        found = float(contrast @ total @ contrast) ** 2 / lost if lost else queries - 1.0
        return total, max(found, seeds - 1.0)

    @cached_property
    def _moments(self) -> tuple[np.ndarray, float]:
        return self._variance()

    def _t(self, bound: float) -> float:
        """Return the distance of the quotient above `bound`, in standard errors."""
        of, by = (values.mean() for values in self._values)
        contrast = np.array([1.0, -bound])
        error = sqrt(max(float(contrast @ self._moments[0] @ contrast), 0.0))
        distance = float(of - bound * by)
        if error <= EXACT * max(1.0, abs(float(of))):
            return 0.0 if abs(distance) <= EXACT else float(np.copysign(inf, distance))
        return distance / error

    def p_above(self, bound: float) -> float:
        """One-sided p of the quotient being above `bound`, if the denominator is positive, as in `interval`."""
        return self._p(bound, 1)

    def p_below(self, bound: float) -> float:
        """One-sided p of the quotient being below `bound`."""
        return self._p(bound, -1)

    def _p(self, bound: float, side: int) -> float:
        if self.queries < 2:
            return 1.0
        p = float(scipy.stats.t.sf(side * self._t(bound), self._moments[1]))
        if len(self.differing) >= FEW:
            return p
        direction = self.p / 2 if side * self.value > 0 else 0.5
        away = min(max(abs(bound) / self._most, 0.0), 1.0) if side * bound < 0 else 0.0
        return max(p, min(direction, (1 - away) ** self.queries / 2))

    @cached_property
    def p(self) -> float:
        """Two-sided p of the quotient not being 0: a t-test; if few queries differ, all flips of their signs.

        Flips know nothing of runs: where the variance between runs is pooled, p is not below that of the t-test.
        """
        if not len(self.differing):
            return 1.0
        p = float(min(1.0, 2 * scipy.stats.t.sf(abs(self._t(0.0)), self._moments[1])))
        if len(self.differing) >= FEW:
            return p
        one_more = np.append(self.differing, 0.0)  # SciPy needs two values; the sign of 0 changes nothing
        flips = scipy.stats.permutation_test(
            (one_more,), np.mean, permutation_type="samples", n_resamples=2**FEW, vectorized=True
        )
        return max(float(min(1.0, flips.pvalue)), p if self._pooled else 0.0)

    @property
    def test(self) -> str:
        """The name of the test behind `p`."""
        return "paired t-test" if len(self.differing) >= FEW else "sign-flip test"

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of this confidence; −inf to inf if the denominator may be 0, and for a single query.

        If few queries differ, its ends are at least as far from 0 as the share of queries that may differ unseen, by 1
        at most; on the side of 0 that the exact test excludes, the t-test's end is kept.
        """
        return self._between(confidence)

    def prediction(self, confidence: float, printed: int) -> tuple[float, float]:
        """Return where a quotient printed from other queries and runs lies with this confidence, as in `interval`.

        Args:
            printed: the number of its queries. If they are these very queries, the interval is too wide.
        """
        return self._between(confidence, printed)

    def _between(self, confidence: float, printed: int = 0) -> tuple[float, float]:
        if self.queries < 2:
            return -inf, inf
        covariance, degrees = self._variance(printed) if printed else self._moments
        of, by = (float(values.mean()) for values in self._values)
        squared = float(scipy.stats.t.ppf((1 + confidence) / 2, degrees)) ** 2
        (nn, nd), (_, dd) = squared * covariance
        a, b, c = by**2 - dd, of * by - nd, of**2 - nn
        if a <= 0:
            return -inf, inf
        root = sqrt(max(b**2 - a * c, 0.0))
        low, high = (b - root) / a, (b + root) / a
        if len(self.differing) < FEW:
            unseen = (1 - (1 - confidence) ** (1 / self.queries)) * self._most
            told = self.p < 1 - confidence
            low = low if told and self.value > 0 else min(low, -unseen)
            high = high if told and self.value < 0 else max(high, unseen)
        return low, high


def drop_ratio(variation: Estimate, original: Estimate) -> Ratio:
    """Return the drop, (mean of `variation` − mean of `original`) / mean of `original`."""
    return Ratio(variation - original, original)
