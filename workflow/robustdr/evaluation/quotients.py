"""Quotients of estimates, with intervals, predictions and tests over queries, seeds and training runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
import scipy.stats

from robustdr.evaluation.estimates import EXACT, Estimate
from robustdr.evaluation.runs import Shift, Spread

FEW = 15  # queries that differ: for fewer, a t-test is unreliable and all 2^n signs can be counted
SIGNIFICANT = 1.96  # standard errors above 0 at which papers call a difference significant
Component = tuple[np.ndarray, float]  # of the covariance of numerator and denominator, [2, 2]; its degrees of freedom


@dataclass(frozen=True)
class Ratio:
    """The quotient of two estimates, with intervals that stay right if the denominator may be near 0.

    An interval holds every quotient r for which `numerator` − r · `denominator` may be 0 (Fieller, 1954). Variances are
    those of a two-way random-effects model, seeds × queries, with Satterthwaite's degrees of freedom. That of seeds is
    the sum of the pooled ones of the estimates' shifts, of which what runs of one seed have in common cancels; that of
    the seeds at hand if it has more degrees of freedom than the sum, or none is known. With one seed and none known,
    there is only that of queries.
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
    def _along(self) -> np.ndarray:
        """Numerator and denominator in the quotient's variance, [2]: the one less the other times the quotient."""
        return np.array([1.0, -self.value if isfinite(self.value) else 0.0])

    @cached_property
    def _known(self) -> dict[Shift, np.ndarray]:
        """The shifts whose pooled variance is known, with those of numerator and denominator [2]."""
        of, by = (each.shifts_of(self.seeds) for each in (self.numerator, self.denominator))
        return {at: np.array([of.get(at, 0.0), by.get(at, 0.0)]) for at in (of | by) if at.spread}

    @cached_property
    def _own(self) -> bool:
        """Whether the variance of the seeds at hand is used: it has more degrees of freedom than the pooled one."""
        moved = {at: by for at, by in self._known.items() if at.runs > 1 and abs(by @ self._along) > EXACT}
        parts = _of_runs(moved)
        total = sum((part for part, _ in parts), np.zeros((2, 2)))
        degrees = self._degrees(total, parts) or min((of for _, of in parts), default=0.0)
        return degrees < self.seeds - 1

    @cached_property
    def _pooled(self) -> dict[Shift, np.ndarray]:
        """The shifts whose pooled variance is used."""
        return {at: by for at, by in self._known.items() if not (self._own and at.runs > 1)}

    @property
    def unknown_runs(self) -> bool:
        """Whether single training runs of systems are compared, and how much runs vary is not known.

        A drop of one system is no such comparison: its training moves both query sets alike.
        """
        shifts = {
            at: self.numerator.shifts.get(at, 0.0) - (self.value * below if below else 0.0)  # a value may be infinite
            for at in (*self.numerator.shifts, *self.denominator.shifts)
            for below in [self.denominator.shifts.get(at, 0.0)]
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
        parts: list[Component] = [(total, queries - 1.0)]
        if self._own:
            more = 1 + seeds if printed else 1
            rest = values - by_query[:, None, :] - by_seed[:, :, None] + values.mean(axis=(1, 2))[:, None, None]
            degrees = (seeds - 1.0) * (queries - 1.0)
            left = more * np.einsum("isq,jsq->ij", rest, rest) / degrees / (seeds * queries)
            seen = more * np.cov(by_seed) / seeds
            roots, vectors = np.linalg.eigh(seen - left)
            total = total + (vectors * roots.clip(min=0)) @ vectors.T  # no variance is negative
            parts += [(seen, seeds - 1.0), (left, degrees)]
        for part in _of_runs(self._pooled, bool(printed)):
            parts.append(part)
            total = total + part[0]
        if len(parts) == 1:
            return total, queries - 1.0
        return total, max(self._degrees(total, parts) or queries - 1.0, seeds - 1.0)

    def _degrees(self, total: np.ndarray, parts: Sequence[Component]) -> float:
        """Return Satterthwaite's degrees of freedom of the quotient's variance; 0 if it has none."""
        lost = sum(float(self._along @ part @ self._along) ** 2 / of for part, of in parts)
        return float(self._along @ total @ self._along) ** 2 / lost if lost else 0.0

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

    @property
    def p_of_t(self) -> float:
        """Two-sided p of a t-test of the quotient not being 0, however few queries differ."""
        if not len(self.differing):
            return 1.0
        return float(min(1.0, 2 * scipy.stats.t.sf(abs(self._t(0.0)), self._moments[1])))

    @cached_property
    def p(self) -> float:
        """Two-sided p of the quotient not being 0: a t-test; if few queries differ, all flips of their signs.

        Flips know nothing of runs: where the variance between runs is pooled, p is not below that of the t-test.
        """
        p = self.p_of_t
        if not len(self.differing) or len(self.differing) >= FEW:
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

    def prediction(self, confidence: float, printed: int, selected: bool = False) -> tuple[float, float]:
        """Return where a quotient printed from other queries and runs lies with this confidence, as in `interval`.

        Args:
            printed: the number of its queries. If they are these very queries, the interval is too wide.
            selected: whether it may have been printed because it was significantly above 0 over its queries. Then it
                exceeds the upper end only as often as among such: the prediction is cut off below `SIGNIFICANT`
                standard errors of the print (a truncated distribution).
        """
        low, high = self._between(confidence, printed)
        if not selected or not isfinite(high):
            return low, high
        contrast = np.array([1.0, -self.value]) / self._values[1].mean()
        covariance, degrees = self._variance(printed)
        error = sqrt(max(float(contrast @ covariance @ contrast), 0.0))
        if not error:
            return low, high
        of_queries = np.cov(np.stack(self._values).mean(axis=1)) / printed
        cut = SIGNIFICANT * sqrt(max(float(contrast @ of_queries @ contrast), 0.0))
        share = float(scipy.stats.t.sf((cut - self.value) / error, degrees))
        return low, self._between(1 - (1 - confidence) * share, printed)[1]

    def _between(self, confidence: float, printed: int = 0) -> tuple[float, float]:
        if self.queries < 2:
            return -inf, inf
        covariance, degrees = self._variance(printed) if printed else self._moments
        of, by = (float(values.mean()) for values in self._values)
        squared = float(scipy.stats.t.ppf((1 + confidence) / 2, degrees)) ** 2
        nn, nd, dd = (squared * float(covariance[at]) for at in ((0, 0), (0, 1), (1, 1)))
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


def _of_runs(shifts: Mapping[Shift, np.ndarray], printed: bool = False) -> list[Component]:
    """Return the covariances of numerator and denominator that trainings make, one for each pooled deviation.

    What trainings with one seed have in common moves their systems together: systems of as many runs.

    Args:
        shifts: those of numerator and denominator, [2]. printed: add the variance of one run of each system.
    """
    together: dict[Spread, dict[tuple[str, int], list[np.ndarray]]] = {}
    for at, by in shifts.items():
        if at.spread:
            together.setdefault(at.spread, {}).setdefault((at.query_set, at.runs), []).append(by)
    made = []
    for spread, groups in together.items():
        covariance = np.zeros((2, 2))
        for (_, runs), moved in groups.items():
            alone, common = sum(np.outer(by, by) for by in moved), np.sum(moved, axis=0)
            shared = (1 - spread.common) * alone + spread.common * np.outer(common, common)
            covariance += (1 / runs + printed) * spread.sd**2 * shared
        made.append((covariance, spread.df))
    return made
