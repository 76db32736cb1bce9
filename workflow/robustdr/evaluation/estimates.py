"""Estimates from measured values, with intervals and tests over queries and seeds."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, log, sqrt

import numpy as np
import scipy.stats

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
    by 1: more in a quotient, whose denominator is below 1.
    """

    def __init__(
        self,
        values: np.ndarray,
        differs: np.ndarray | None = None,
        parts: np.ndarray | None = None,
        most: float = 1.0,
    ) -> None:
        self.values = values
        self.mean = float(values.mean())
        self.differs = np.abs(values.mean(axis=0)) > EXACT if differs is None else differs
        self.parts = parts
        self.most = most

    def _paired(self, other: "Estimate") -> tuple[np.ndarray, np.ndarray]:
        """Return the values of both, for the seeds that both have."""
        seeds = min((len(values) for values in (self.values, other.values) if len(values) > 1), default=1)
        return self.values[:seeds], other.values[:seeds]

    def __add__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        if self.parts is None and theirs.parts is None:
            return Estimate(a + b)
        return Estimate(a + b, self.differs | theirs.differs, most=self.most + theirs.most)

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        theirs = _estimate(other)
        a, b = self._paired(theirs)
        if self.parts is None and theirs.parts is None:
            return Estimate(a - b)
        if self.parts is None or theirs.parts is None:
            return Estimate(a - b, self.differs | theirs.differs, most=max(self.most, theirs.most))
        differs = (np.abs(self.parts - theirs.parts) > EXACT).any(axis=0)
        return Estimate(a - b, differs, most=max(self.most, theirs.most))

    def __truediv__(self, other: "Estimate | float") -> "Estimate":
        if not isinstance(other, Estimate):
            return Estimate(self.values / other, self.differs, most=self.most / other)
        a, b = self._paired(other)
        ratio = a.mean() / b.mean()
        parts = np.stack(np.broadcast_arrays(a.mean(axis=0), b.mean(axis=0)))
        return Estimate(ratio + (a - ratio * b) / b.mean(), self.differs, parts, self.most / b.mean())


def _estimate(number: Estimate | float) -> Estimate:
    return number if isinstance(number, Estimate) else Estimate(np.full((1, 1), number))


ONE = Estimate(np.ones((1, 1)))  # the denominator of a difference that is no share


@dataclass(frozen=True)
class Ratio:
    """The quotient of two estimates, with intervals that stay right if the denominator may be near 0.

    An interval holds every quotient r for which `numerator` − r · `denominator` may be 0 (Fieller, 1954). Variances are
    those of a two-way random-effects model, seeds × queries, with Satterthwaite's degrees of freedom; with one seed, of
    queries alone.
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
    def _moments(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return covariances [2, 2] of numerator and denominator, by queries and by seeds, and degrees of freedom."""
        values = np.stack(self._values)  # [2, seeds, queries]
        _, seeds, queries = values.shape
        by_query, by_seed = values.mean(axis=1), values.mean(axis=2)
        over_queries = np.cov(by_query) / queries
        if seeds == 1:
            return over_queries, np.zeros((2, 2)), queries - 1.0
        rest = values - by_query[:, None, :] - by_seed[:, :, None] + values.mean(axis=(1, 2))[:, None, None]
        left = np.einsum("isq,jsq->ij", rest, rest) / ((seeds - 1) * (queries - 1)) / (seeds * queries)
        seen = np.cov(by_seed) / seeds
        roots, vectors = np.linalg.eigh(seen - left)
        over_seeds = (vectors * roots.clip(min=0)) @ vectors.T  # no variance is negative
        contrast = np.array([1.0, -self.value if isfinite(self.value) else 0.0])
        parts = [float(contrast @ part @ contrast) for part in (over_queries, seen, left)]
        degrees = [queries - 1.0, seeds - 1.0, (seeds - 1.0) * (queries - 1.0)]
        total = float(contrast @ (over_queries + over_seeds) @ contrast)
        lost = sum(part**2 / of for part, of in zip(parts, degrees, strict=True))
        return over_queries, over_seeds, max(total**2 / lost, seeds - 1.0) if lost else degrees[0]

    def _t(self, bound: float) -> float:
        """Return the distance of the quotient above `bound`, in standard errors."""
        of, by = (values.mean() for values in self._values)
        over_queries, over_seeds, _ = self._moments
        contrast = np.array([1.0, -bound])
        error = sqrt(max(float(contrast @ (over_queries + over_seeds) @ contrast), 0.0))
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
        p = float(scipy.stats.t.sf(side * self._t(bound), self._moments[2]))
        if len(self.differing) >= FEW:
            return p
        direction = self.p / 2 if side * self.value > 0 else 0.5
        away = min(max(abs(bound) / self._most, 0.0), 1.0) if side * bound < 0 else 0.0
        return max(p, min(direction, (1 - away) ** self.queries / 2))

    @cached_property
    def p(self) -> float:
        """Two-sided p of the quotient not being 0: a t-test; if few queries differ, all flips of their signs."""
        if not len(self.differing):
            return 1.0
        if len(self.differing) < FEW:
            one_more = np.append(self.differing, 0.0)  # SciPy needs two values; the sign of 0 changes nothing
            flips = scipy.stats.permutation_test(
                (one_more,), np.mean, permutation_type="samples", n_resamples=2**FEW, vectorized=True
            )
            return float(min(1.0, flips.pvalue))
        return float(min(1.0, 2 * scipy.stats.t.sf(abs(self._t(0.0)), self._moments[2])))

    @property
    def test(self) -> str:
        """The name of the test behind `p`."""
        return "paired t-test" if len(self.differing) >= FEW else "sign-flip test"

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of this confidence; −inf to inf if the denominator may be 0, and for a single query.

        If few queries differ, its ends are at least as far from 0 as the share of queries that may differ unseen, by 1
        at most; on the side of 0 that the exact test excludes, the t-test's end is kept.
        """
        if self.queries < 2:
            return -inf, inf
        of, by = (float(values.mean()) for values in self._values)
        over_queries, over_seeds, degrees = self._moments
        squared = float(scipy.stats.t.ppf((1 + confidence) / 2, degrees)) ** 2
        (nn, nd), (_, dd) = squared * (over_queries + over_seeds)
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

    def queries_for(self, distance: float, confidence: float, power: float = 0.5) -> float:
        """Return the number of queries of the same variance that separates a quotient from a bound at this distance.

        At a power of .5 the end of the interval lies on the bound. If few queries differ now, the number is large
        enough that `FEW` will; if none does, large enough that those which may differ unseen stay below the distance.
        inf if no number is enough: at no distance, or if seeds alone make the interval wider.
        """
        if not isfinite(self.value) or distance <= 0:
            return inf
        if not len(self.differing):
            return log(1 - confidence) / log(max(1 - distance / self._most, EXACT))
        over_queries, over_seeds, degrees = self._moments
        contrast = np.array([1.0, -self.value]) / self._values[1].mean()
        errors = float(scipy.stats.t.ppf((1 + confidence) / 2, degrees) + scipy.stats.norm.ppf(power))
        left = (distance / errors) ** 2 - float(contrast @ over_seeds @ contrast)
        if left <= 0:
            return inf
        enough = self.queries * float(contrast @ over_queries @ contrast) / left
        return max(enough, self.queries * FEW / len(self.differing)) if len(self.differing) < FEW else enough


def drop_ratio(variation: np.ndarray, original: np.ndarray) -> Ratio:
    """Return the drop, (mean of `variation` − mean of `original`) / mean of `original`, from [seeds, queries] each."""
    return Ratio(Estimate(variation) - Estimate(original), Estimate(original))
