"""What measured values say of a quantity: an estimate, its interval and its tests, over queries and seeds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
import scipy.stats

FEW = 15  # queries that differ: with fewer, a t-test is no longer to be trusted and 2^n signs are soon counted
EXACT = 1e-12  # floating point only


class Estimate:
    """A mean over seeds and queries, or what is computed of such means.

    `values` [seeds, queries] have the estimate as their mean and its uncertainty in their spread. Those of a mean are
    the measured values themselves; those of sums, differences and quotients follow to first order (the delta method):
    rows and columns stay the same seeds and queries, and everything that is computed is paired. A system without
    randomness has one row; where two systems have several seeds each, those that both have are compared.
    """

    def __init__(self, values: np.ndarray) -> None:
        self.values = values
        self.mean = float(values.mean())

    def _with(self, other: "Estimate | float", combine: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> "Estimate":
        theirs = other.values if isinstance(other, Estimate) else np.full((1, 1), other)
        seeds = min((len(values) for values in (self.values, theirs) if len(values) > 1), default=1)
        return Estimate(combine(self.values[:seeds], theirs[:seeds]))

    def __add__(self, other: "Estimate | float") -> "Estimate":
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        return self._with(other, lambda a, b: a - b)

    def __truediv__(self, other: "Estimate | float") -> "Estimate":
        def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            ratio = a.mean() / b.mean()
            return ratio + (a - ratio * b) / b.mean()

        return self._with(other, quotient)


ONE = Estimate(np.ones((1, 1)))  # what a difference that is no share of anything is a share of


@dataclass(frozen=True)
class Ratio:
    """The quotient of two estimates, with intervals that stay right where the denominator may be near 0.

    An interval holds every quotient r for which `numerator` − r · `denominator` may be 0 (Fieller, 1954). Variances are
    those of a two-way random-effects model, seeds × queries, with Satterthwaite's degrees of freedom: queries alone
    where there is one seed.
    """

    numerator: Estimate
    denominator: Estimate

    @cached_property
    def _values(self) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator, each [seeds, queries]."""
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
        """The numerator of each query, over seeds, where it is not 0."""
        of = self._values[0].mean(axis=0)
        return of[np.abs(of) > EXACT]

    @cached_property
    def _moments(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Covariances [2, 2] of numerator and denominator, by queries and by seeds, and degrees of freedom."""
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
        """How many standard errors the quotient lies above `bound`."""
        of, by = (values.mean() for values in self._values)
        over_queries, over_seeds, _ = self._moments
        contrast = np.array([1.0, -bound])
        error = sqrt(max(float(contrast @ (over_queries + over_seeds) @ contrast), 0.0))
        distance = float(of - bound * by)
        if error <= EXACT * max(1.0, abs(float(of))):
            return 0.0 if abs(distance) <= EXACT else float(np.copysign(inf, distance))
        return distance / error

    def p_above(self, bound: float) -> float:
        """One-sided p of the quotient being above `bound`, where the denominator is positive."""
        return float(scipy.stats.t.sf(self._t(bound), self._moments[2])) if self.queries > 1 else 1.0

    @cached_property
    def p(self) -> float:
        """Two-sided p of the quotient not being 0: a t-test; where few queries differ, all flips of their signs."""
        if not len(self.differing):
            return 1.0
        if len(self.differing) < FEW:
            one_more = np.append(self.differing, 0.0)  # SciPy wants two; the sign of 0 changes nothing
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
        """The interval of this confidence; from −inf to inf where the denominator may be 0, and for a single query.

        It holds 0 where few queries differ and the exact test cannot exclude it. Where no query differs, the share of
        queries that may differ after all, by 1 at most, bounds it.
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
        if not len(self.differing):
            unseen = (1 - (1 - confidence) ** (1 / self.queries)) / by
            return -unseen, unseen
        if len(self.differing) < FEW and self.p >= 1 - confidence:
            return min(low, 0.0), max(high, 0.0)
        return low, high

    def queries_for(self, width: float, confidence: float) -> float:
        """How many queries of the same variance make an interval of this width; inf where seeds alone make it wider."""
        if not isfinite(self.value):
            return inf
        over_queries, over_seeds, degrees = self._moments
        contrast = np.array([1.0, -self.value]) / self._values[1].mean()
        allowed = (width / 2 / float(scipy.stats.t.ppf((1 + confidence) / 2, degrees))) ** 2
        left = allowed - float(contrast @ over_seeds @ contrast)
        return self.queries * float(contrast @ over_queries @ contrast) / left if left > 0 else inf


def drop_ratio(variation: np.ndarray, original: np.ndarray) -> Ratio:
    """The drop, (mean of `variation` − mean of `original`) / mean of `original`, from [seeds, queries] each."""
    return Ratio(Estimate(variation) - Estimate(original), Estimate(original))
