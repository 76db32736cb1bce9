"""Priors of the variance between runs: moments by hand, fitted on what was drawn from them, read and refused."""

import json
from math import exp, log, pi

import numpy as np
import pytest
from scipy.special import digamma, polygamma

from robustdr.core.errors import UserError
from robustdr.evaluation.priors import Contrast, Prior, Runs, Written, _inverse_trigamma, fit, fit_prior, read_priors


def contrast(run_variance, trend=1.0, cluster="a", degrees=2, family="systems"):
    return Contrast(run_variance, degrees, trend, trend, family, (cluster,))


def drawn(d0, slope, clusters, of_each=1, degrees=4, seed=0):
    """Variances of runs whose truth is drawn from a prior with s0² = .01 · trend^slope: once for each cluster."""
    rng, contrasts = np.random.default_rng(seed), []
    for cluster in range(clusters):
        shared = d0 / rng.chisquare(d0)
        for _ in range(of_each):
            trend = float(np.exp(rng.normal(0, 1)))
            run_variance = 0.01 * trend**slope * shared * rng.chisquare(degrees) / degrees
            contrasts.append(contrast(run_variance, trend, str(cluster), degrees))
    return contrasts


def test_the_moments_of_two_clusters_by_hand():
    """d = 2: ψ(1) = −.5772, so e = log s² + .5772; of s² = 1 and e^8, half the squared difference is 32.

    Less ψ'(1) = π² / 6, that is ψ'(d0 / 2); and the mean of e, 4.5772, is log s0² − ψ(d0 / 2) + log(d0 / 2).
    """
    fitted = fit_prior([contrast(1.0, cluster="a"), contrast(exp(8), cluster="b")], [1.0, 1.0])
    half = _inverse_trigamma(32 - pi**2 / 6)
    assert polygamma(1, half) == pytest.approx(32 - pi**2 / 6)
    assert (fitted.slope, fitted.degrees) == (0.0, pytest.approx(2 * half))
    assert fitted.level == pytest.approx(4 + 0.5772157 + digamma(half) - log(half))
    assert (fitted.most, fitted.contrasts, fitted.clusters) == (4.0, 2, 2)


def test_contrasts_that_are_alike_have_the_most_degrees():
    fitted = fit_prior([contrast(1.0, cluster=str(n)) for n in range(5)], [1.0] * 5)
    assert fitted.degrees == fitted.most == 10.0
    assert fitted.variance(1.0) == pytest.approx(fitted.deviation**2)


@pytest.mark.parametrize(("d0", "slope"), [(8.0, 1.0), (4.0, 0.5), (20.0, 1.5)])
def test_a_family_is_found_again(d0, slope):
    contrasts = drawn(d0, slope, 4000)
    fitted = fit_prior(contrasts, [member.residual for member in contrasts])
    assert fitted.degrees == pytest.approx(d0, rel=0.15) and fitted.slope == pytest.approx(slope, abs=0.05)
    assert fitted.variance(1.0) == pytest.approx(0.01, rel=0.1)


def test_comparisons_that_share_their_trainings_are_no_evidence_that_runs_are_alike():
    """Of each training ten comparisons: the variance between clusters finds d0 = 4."""
    contrasts = drawn(4.0, 1.0, 1000, of_each=10, degrees=30)
    assert fit_prior(contrasts, [member.residual for member in contrasts]).degrees == pytest.approx(4, rel=0.15)


@pytest.mark.parametrize(("own", "weight"), [(0.5, 6.0), (1.0, 6.0), (3.0, 6.0)])
def test_what_the_family_expects_is_moderated_with_all_of_its_degrees(own, weight):
    assert prior().weight(own, 2, 1.0) == weight


def prior(**changes):
    keys = {"level": 0.0, "slope": 1.0, "degrees": 6.0, "most": 100.0, "least": 0.5, "deviation": 1.0}
    return Prior(**{**keys, "contrasts": 60, "clusters": 20, **changes})


def test_an_outlier_is_weighed_by_how_many_are_expected_to_be_so_far_out():
    """F(2, 6) has the upper tail (1 + F / 3)^−3: at F = 27 it is .001, and of 20 comparisons .02 are so far out."""
    assert prior().weight(27.0, 2, 1.0) == pytest.approx(6 * 20 * 0.001)
    weights = [prior().weight(run_variance, 2, 1.0) for run_variance in (1.0, 5.0, 10.0, 50.0, 1000.0)]
    assert weights == sorted(weights, reverse=True)


def test_a_trend_below_all_that_was_fitted_counts_as_the_lowest():
    assert prior().variance(0.0) == prior().variance(0.5) == pytest.approx(0.5) and prior().variance(2.0) == 2.0


def test_a_family_needs_two_clusters():
    assert fit([contrast(1.0), contrast(2.0)]) == {}
    fitted = fit([contrast(1.0), contrast(2.0, cluster="b"), contrast(1.0, cluster="c", family="drop")])
    assert list(fitted) == ["systems"] and fitted["systems"].several.contrasts == 2


def test_priors_are_written_and_read_by_scale_and_cross_none(tmp_path):
    families = fit([contrast(1.0), contrast(2.0, cluster="b")])
    path = tmp_path / "priors.json"
    path.write_text(Written(version=1, scales={"evidence": families}).model_dump_json())
    assert read_priors(path) == {"evidence": families}
    trained = frozenset({"rodr", "dr_oq"})
    assert Runs.from_file(path, "evidence", trained).prior(3) == families["systems"].several
    assert Runs.from_file(path, "evidence", trained).prior(1) == families["systems"].one
    assert Runs.from_file(path, "full", trained).prior(1) is Runs.from_file(None, "evidence", trained).prior(3) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cut off or damaged; make it again: robustdr evidence priors"),
        (json.dumps({"version": 2, "scales": {}}), "version: '2' is unknown; allowed: 1"),
        (json.dumps({"version": 1, "scales": {"mini": {"others": {}}}}), "scales.mini"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path, text, message):
    path = tmp_path / "priors.json"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        read_priors(path)
