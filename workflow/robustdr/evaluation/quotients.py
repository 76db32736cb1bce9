"""Quotients of estimates, with intervals, predictions, tests and power over queries and training runs."""

from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, isfinite, log, sqrt

import numpy as np

from robustdr.evaluation.estimates import EXACT, Estimate
from robustdr.evaluation.priors import Contrast, Runs, mean_squares

SIGNIFICANT = 1.96  # standard errors above 0 at which papers call a difference significant
LEAST, MOST = 1e-15, 1 - 1e-12  # levels between which p is found


@dataclass(frozen=True)
class Variance:
    """Covariances [2, 2] of numerator and denominator that queries and training runs make, each with its df."""

    queries: np.ndarray
    queries_df: float
    runs: np.ndarray
    runs_df: float

    def squared(self, level: float) -> np.ndarray:
        """Return t_q² · queries + t_r² · runs [2, 2], whose root is half the width of an interval.

        Each part has the t quantile of its own degrees of freedom, for a two-sided test at `level` (Cochran and Cox,
        1957, section 4.14). So more spread in either never narrows an interval, which Satterthwaite's do.
        """
        from scipy.special import stdtrit

        t_queries, t_runs = (-float(stdtrit(degrees, level / 2)) for degrees in (self.queries_df, self.runs_df))
        return t_queries**2 * self.queries + t_runs**2 * self.runs


@dataclass(frozen=True)
class Ratio:
    """The quotient of two estimates, paired by query and by seed.

    An interval holds every quotient r for which `numerator` − r · `denominator` may be 0 (Fieller, 1954), so that it
    stays right if the denominator may be near 0. The variance of this contrast has two parts: that of queries, and that
    of training runs, moderated toward the prior of its family (see `priors`). The first keeps the run × query residual,
    so that it is rather too large than too small, and more spread never narrows an interval.

    Attributes:
        unit: what the family's variances are shares of, if it is not the denominator.
    """

    numerator: Estimate
    denominator: Estimate
    unit: Estimate | None = None

    @cached_property
    def _values(self) -> np.ndarray:
        """Return numerator and denominator [2, seeds, queries]: the seeds and queries that both have."""
        numerator = self.numerator + (self.denominator - self.denominator)
        denominator = self.denominator + (self.numerator - self.numerator)
        return np.stack([numerator.values, denominator.values])

    @cached_property
    def _runs(self) -> Runs:
        return self.numerator.runs | self.denominator.runs

    @cached_property
    def _means(self) -> tuple[float, float]:
        numerator, denominator = self._values.mean(axis=(1, 2))
        return float(numerator), float(denominator)

    @property
    def value(self) -> float:
        numerator, denominator = self._means
        return numerator / denominator if denominator else inf

    @property
    def seeds(self) -> int:
        return self._values.shape[1]

    @property
    def queries(self) -> int:
        return self._values.shape[2]

    @cached_property
    def _differing(self) -> int:
        """The number of queries that differ, over seeds."""
        return int(np.broadcast_to(self.numerator.differs, (self.queries,)).sum())

    @property
    def _largest_change(self) -> float:
        """The change of the quotient if every query differs by 1."""
        denominator = self._means[1]
        return self.numerator.largest_change / denominator if denominator else inf

    @property
    def one_run(self) -> bool:
        """Whether a trained system behind it was trained once, or one seed is all that its systems share."""
        return bool(self._runs.trained) and self.seeds == 1

    @property
    def runs_known(self) -> bool:
        """Whether the variance between training runs is known; of one run it is where its family has a prior."""
        return not self.one_run or self._runs.prior(1) is not None

    @property
    def _unit(self) -> float:
        return self.unit.mean if self.unit else self._means[1]

    @cached_property
    def _along(self) -> np.ndarray:
        """Numerator and denominator [2] in the contrast that a family's variances are of."""
        quotient = self.value if isfinite(self.value) else 0.0
        return np.array([1.0, -quotient]) / self._unit if self._unit else np.zeros(2)

    @cached_property
    def _variance(self) -> Variance:
        if self.queries < 2:
            return Variance(np.zeros((2, 2)), 1.0, np.zeros((2, 2)), 1.0)
        queries, runs, residual = mean_squares(self._values)
        degrees = self.seeds - 1
        if not self._runs.trained or not self.runs_known:
            return Variance(queries, self.queries - 1, np.zeros((2, 2)), 1.0)
        prior = self._runs.prior(self.seeds)
        if prior is None:
            return Variance(queries, self.queries - 1, runs / self.seeds, degrees)
        like = residual if degrees else queries
        trend, run_variance = (float(self._along @ covariance @ self._along) for covariance in (like, runs))
        expected = prior.variance(trend)
        shape = expected / trend * like if trend > EXACT**2 else np.diag([expected * self._unit**2, 0.0])
        if not degrees:
            return Variance(queries, self.queries - 1, shape, prior.degrees)
        weight = prior.weight(run_variance, degrees, trend)
        moderated = (weight * shape + degrees * runs) / (weight + degrees)
        total = min(weight + degrees, max(prior.most, degrees))
        return Variance(queries, self.queries - 1, moderated / self.seeds, total)

    def contrast(self, *cluster: str) -> Contrast | None:
        """Return what priors are fitted on; None if no training was repeated, or runs do not differ.

        Args:
            cluster: what shares its trainings with this comparison, beside the systems compared.
        """
        if not self._runs.trained or self.seeds == 1 or not self._means[1]:
            return None
        _, runs, residual = mean_squares(self._values)
        run_variance, residual_variance = (
            float(self._along @ covariance @ self._along) for covariance in (runs, residual)
        )
        of_run = float(np.einsum("i,irq->rq", self._along, self._values).var(axis=1, ddof=1).mean()) / self.queries
        systems = sorted(self._runs.trained)
        return (
            Contrast(run_variance, self.seeds - 1, residual_variance, of_run, self._runs.family, (*cluster, *systems))
            if run_variance
            else None
        )

    def _half(self, bound: float, level: float) -> float:
        """Return by how much `numerator` − `bound` · `denominator` may differ from 0 at this level."""
        along = np.array([1.0, -bound])
        return sqrt(max(float(along @ self._variance.squared(level) @ along), 0.0))

    def p_above(self, bound: float) -> float:
        """One-sided p of the quotient being above `bound`, if the denominator is positive, as in `interval`."""
        return self._p(bound) / 2 if self.value > bound else 1 - self._p(bound) / 2

    def p_below(self, bound: float) -> float:
        """One-sided p of the quotient being below `bound`."""
        return self._p(bound) / 2 if self.value < bound else 1 - self._p(bound) / 2

    @cached_property
    def p(self) -> float:
        """Two-sided p of the quotient not being 0."""
        return self._p(0.0)

    def _p(self, bound: float) -> float:
        """Return the level at which an interval ends at `bound`.

        No test on n queries that differ has a p below 2^(1 − n), that of all their signs being equal. And if the true
        quotient were `bound`, a share |bound| / most of the queries would differ, so that so few differ with a
        probability of at most (1 − share)^queries. p is not below the smaller of the two; between 0 and the quotient,
        not below the first.
        """
        from scipy.optimize import brentq

        if self.queries < 2:
            return 1.0
        numerator, denominator = self._means
        away = abs(numerator - bound * denominator)
        inside = min(0.0, self.value) <= bound <= max(0.0, self.value)
        unseen = 1.0 if inside else max(1 - abs(bound) / self._largest_change, 0.0) ** self.queries
        floor = min(2.0 ** (1 - self._differing), unseen)
        if away <= EXACT or self._half(bound, MOST) >= away:
            return 1.0
        if self._half(bound, LEAST) <= away:
            return max(LEAST, floor)
        return max(exp(brentq(lambda u: self._half(bound, exp(u)) - away, log(LEAST), log(MOST))), floor)

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the interval of this confidence; −inf to inf if the denominator may be 0, and for a single query.

        If too few queries differ for any test at this level, its ends are at least as far from 0 as the share of
        queries that may differ unseen, by 1 at most; see `_p`.
        """
        return self._ends(self._variance, 1 - confidence)

    def prediction(self, confidence: float, printed: int, selected: bool = False) -> tuple[float, float]:
        """Return where a quotient printed from other queries and runs lies with this confidence, as in `interval`.

        The printed one has its own queries, and one run of each system; they vary as these do.

        Args:
            printed: the number of its queries. If they are these very queries, the interval is too wide.
            selected: whether it may have been printed because it was significantly above 0 over its queries. Then it
                exceeds the upper end only as often as among such: the prediction is cut off below `SIGNIFICANT`
                standard errors of the print (a truncated distribution).
        """
        import scipy.stats

        variance = self._variance
        combined = Variance(
            variance.queries * (1 + self.queries / printed),
            variance.queries_df,
            variance.runs * (1 + self.seeds),
            variance.runs_df,
        )
        low, high = self._ends(combined, 1 - confidence)
        if not selected or not isfinite(high):
            return low, high
        error = self._error(combined.queries + combined.runs)
        if not error:
            return low, high
        cut = SIGNIFICANT * self._error(variance.queries * self.queries / printed)
        share = float(scipy.stats.norm.sf((cut - self.value) / error))
        return low, self._ends(combined, (1 - confidence) * share)[1]

    def power(self, size: float, bound: float, level: float) -> float:
        """Return how often a test at `level` (two-sided) tells a true quotient `size` from `bound`, on its side of it.

        A normal approximation with the variances at hand: Φ((|size − bound| − half) / error).
        """
        import scipy.stats

        error, (_, denominator) = self._error(self._variance.queries + self._variance.runs), self._means
        away = abs(size - bound) - self._half(self.value if isfinite(self.value) else 0.0, level) / abs(
            denominator or inf
        )
        return float(scipy.stats.norm.cdf(away / error)) if error else float(away > 0)

    def _error(self, covariance: np.ndarray) -> float:
        """Return the standard error of the quotient, by the delta method."""
        denominator = self._means[1]
        along = np.array([1.0, -self.value]) / denominator if denominator else np.zeros(2)
        return sqrt(max(float(along @ covariance @ along), 0.0))

    def _ends(self, variance: Variance, level: float) -> tuple[float, float]:
        """Return the ends of all r with (numerator − r · denominator)² ≤ [1, −r] · squared [2, 2] · [1, −r]."""
        if self.queries < 2:
            return -inf, inf
        numerator, denominator, squared = *self._means, variance.squared(level)
        nn, nd, dd = (float(squared[cell]) for cell in ((0, 0), (0, 1), (1, 1)))
        a, b, c = denominator**2 - dd, numerator * denominator - nd, numerator**2 - nn
        if a <= 0:
            return -inf, inf
        root = sqrt(max(b**2 - a * c, 0.0))
        low, high = (b - root) / a, (b + root) / a
        if 2.0 ** (1 - self._differing) >= level:
            unseen = (1 - level ** (1 / self.queries)) * self._largest_change
            low, high = min(low, -unseen), max(high, unseen)
        return low, high


def drop_ratio(variation: Estimate, original: Estimate) -> Ratio:
    """Return the drop, (mean of `variation` − mean of `original`) / mean of `original`."""
    return Ratio(variation - original, original)
