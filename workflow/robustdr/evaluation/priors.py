"""How much training runs differ, by family of comparisons: priors that are fitted on the ledger, and then frozen.

The variance of a comparison between runs has few degrees of freedom of its own, so it is moderated toward what other
comparisons of its family show (Smyth, 2004, "Linear models and empirical Bayes methods", sections 3 and 6; limma's
`squeezeVar` with a trend).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, inf, log
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field

from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.core.yaml_files import Document, checked

AGAIN = "make it again: robustdr evidence priors"
STEEPEST = 2.0  # slope at which a deviation grows as fast as its trend's
TINY = 1e-12
Family = Literal["systems", "drop"]


class Prior(Document):
    """What comparisons of a family show of the variance s² of one run: log s0² = level + slope · log(trend).

    The trend of a comparison is the part of its variance between runs that single queries make (run × query residual);
    with one run, it is its variance over queries.
    """

    level: float
    slope: Annotated[float, Field(ge=0, le=STEEPEST)]
    degrees: Annotated[float, Field(gt=0)]
    """d0: of freedom of s0²."""
    most: Annotated[float, Field(gt=0)]
    """Degrees of freedom of all independent systems together, which no moderated variance exceeds."""
    least: Annotated[float, Field(gt=0)]
    """The lowest trend that was fitted; a lower one counts as this."""
    deviation: Annotated[float, Field(ge=0)]
    """s0 at the median trend, a share of the base; to be read."""
    contrasts: int
    """Comparisons that it was fitted on."""
    clusters: int
    """Their clusters: a collection, and the systems that are compared on it."""

    def variance(self, trend: float) -> float:
        """Return s0² of a comparison with this trend, both shares of the base, squared."""
        return exp(self.level + self.slope * log(max(trend, self.least)))

    def weight(self, variance: float, degrees: int, trend: float) -> float:
        """Return the degrees of freedom that s0² has beside s²: d0, and less for an outlier.

        If s² is so large that less than one comparison of the family is expected to be that far out, d0 shrinks to
        that share of itself (robust hyperparameters: Phipson et al., 2016): an outlier keeps what its runs show.

        Args:
            variance: s², of the means of `degrees` + 1 runs.
        """
        from scipy.special import fdtrc

        expected = self.clusters * float(fdtrc(degrees, self.degrees, variance / self.variance(trend)))
        return self.degrees * min(1.0, expected)


class Priors(Document):
    """Priors of a family: for comparisons with several runs, and with one; `one` has its trend on queries alone."""

    several: Prior
    one: Prior


class Written(Document):
    """The file of priors: families by scale. No variance crosses scales."""

    version: Literal[1]
    scales: dict[str, dict[Family, Priors]]


@dataclass(frozen=True)
class Runs:
    """What is known of training runs at a scale.

    Attributes:
        trained: systems that a training run decides. families: priors of its comparisons; empty if none were fitted.
    """

    trained: frozenset[str] = frozenset()
    families: dict[Family, Priors] = field(default_factory=dict)

    def __or__(self, other: "Runs") -> "Runs":
        """Return the runs behind two estimates of one scale."""
        return Runs(self.trained | other.trained, self.families or other.families)

    @property
    def family(self) -> Family:
        """Return which family their comparison belongs to: one system's query sets, or several systems."""
        return "drop" if len(self.trained) == 1 else "systems"

    def prior(self, seeds: int) -> Prior | None:
        """Return the prior of a comparison of the trained systems with so many seeds; None if none was fitted."""
        priors = self.families.get(self.family)
        return (priors.several if seeds > 1 else priors.one) if priors else None

    @classmethod
    def from_file(cls, path: Path | None, scale: str, trained: frozenset[str]) -> Self:
        """Read a scale's priors from evidence/priors.json.

        Args:
            path: None if nothing was fitted.

        Raises:
            UserError: the file has another form.
        """
        return cls(trained, read_priors(path).get(scale, {}) if path else {})


def read_priors(path: Path) -> dict[str, dict[Family, Priors]]:
    """Return the priors of a file by scale.

    Raises:
        UserError: the file has another form.
    """
    try:
        document = from_json(path.read_bytes())
    except ValueError:
        raise UserError(f"{path}: cut off or damaged; {AGAIN}") from None
    return checked(Written, document, path).scales


@dataclass(frozen=True)
class Contrast:
    """A comparison that priors are fitted on.

    Attributes:
        run_variance: of the means of runs. degrees: of freedom of it. residual: its run × query part.
        of_queries: variance of one run's mean over queries. All are shares of the base, squared.
        family, cluster: which prior it belongs to; the collection and the systems compared.
    """

    run_variance: float
    degrees: int
    residual: float
    of_queries: float
    family: Family
    cluster: tuple[str, ...]


def mean_squares(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return covariances [2, 2] of two means: of queries, of runs, and the run × query residual in that of runs.

    A two-way layout: the covariance of the queries' means over their number; that of the runs' means; and that of what
    is left, over the number of queries. With one run, the last two are 0.

    Args:
        values: [2, runs, queries].
    """
    _, runs, queries = values.shape
    by_query, by_run = values.mean(axis=1), values.mean(axis=2)
    of_queries = np.cov(by_query) / queries
    if runs == 1:
        return of_queries, np.zeros((2, 2)), np.zeros((2, 2))
    rest = values - by_query[:, None, :] - by_run[:, :, None] + values.mean(axis=(1, 2))[:, None, None]
    residual = np.einsum("irq,jrq->ij", rest, rest) / ((runs - 1) * (queries - 1)) / queries
    return of_queries, np.cov(by_run), residual


def fit(contrasts: Sequence[Contrast]) -> dict[Family, Priors]:
    """Return the priors of each family of which two clusters or more were run several times."""
    priors: dict[Family, Priors] = {}
    for family in ("systems", "drop"):
        members = [contrast for contrast in contrasts if contrast.family == family]
        if len({contrast.cluster for contrast in members}) > 1:
            residuals, queries = (
                [contrast.residual for contrast in members],
                [contrast.of_queries for contrast in members],
            )
            priors[family] = Priors(several=fit_prior(members, residuals), one=fit_prior(members, queries))
    return priors


def fit_prior(contrasts: Sequence[Contrast], trend: Sequence[float]) -> Prior:
    """Fit a family by the moments of log variances, each cluster with the same weight.

    e = log s² − ψ(d/2) + log(d/2) has the mean log s0² − ψ(d0/2) + log(d0/2) and the variance ψ'(d/2) + ψ'(d0/2)
    (Smyth, 2004, section 6.2). Comparisons of the same systems share their trainings, so that the variance is taken
    between clusters: half the mean squared difference of two comparisons of different clusters. Over all comparisons
    it would be too small, and d0 too large.

    Args:
        contrasts: of two clusters at least. trend: of each; 0 counts as the smallest that is not, and so does s².
    """
    from scipy.special import digamma, polygamma

    run_variance, degrees = (
        np.array([getattr(contrast, name) for contrast in contrasts], float) for name in ("run_variance", "degrees")
    )
    run_variance, of_trend = (
        np.maximum(column, min(column[column > 0], default=TINY)) for column in (run_variance, np.array(trend, float))
    )
    e, x = np.log(run_variance) - digamma(degrees / 2) + np.log(degrees / 2), np.log(of_trend)
    names = sorted({contrast.cluster for contrast in contrasts})
    cluster = np.array([names.index(contrast.cluster) for contrast in contrasts])
    sizes = np.bincount(cluster)
    weight = 1 / sizes[cluster]
    away = x - np.average(x, weights=weight)
    spread = float((weight * away**2).sum())
    slope = float(np.clip((weight * away * e).sum() / spread, 0.0, STEEPEST)) if spread > TINY else 0.0
    intercepts = e - slope * x
    means, squares = (np.bincount(cluster, numbers) / sizes for numbers in (intercepts, intercepts**2))
    number = len(names)
    between_clusters = squares.mean() - (means.sum() ** 2 - (means**2).sum()) / (number * (number - 1))
    between_clusters -= np.average(polygamma(1, degrees / 2), weights=weight)
    most_degrees = float((np.bincount(cluster, degrees) / sizes).sum())
    d0 = min(2 * _inverse_trigamma(float(between_clusters)), most_degrees)
    level = float(means.mean() + digamma(d0 / 2) - log(d0 / 2))
    median = float(np.median(x))
    return Prior(
        level=level,
        slope=slope,
        degrees=d0,
        most=most_degrees,
        least=float(of_trend.min()),
        deviation=exp((level + slope * median) / 2),
        contrasts=len(contrasts),
        clusters=number,
    )


def _inverse_trigamma(value: float) -> float:
    """Return x with ψ'(x) = `value`; infinite if that is not above 0."""
    from scipy.optimize import brentq
    from scipy.special import polygamma

    if value <= 1e-6:  # ψ'(x) ≈ 1/x
        return inf
    return float(exp(brentq(lambda u: float(polygamma(1, exp(u))) - value, -20, 20)))
