"""How often intervals and tests are right, by family of the comparisons that claims make on the ledger.

`pytest -s -m slow tests/claims/test_calibration.py` prints the tables of docs/explanation/verdicts.md.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from robustdr.evaluation import ledger, priors
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.priors import Prior, Priors, Runs
from robustdr.evaluation.quotients import Ratio
from robustdr.evidence.identity import current
from robustdr.evidence.priors import comparisons_of_claims
from robustdr.graph.project import project

pytestmark = pytest.mark.slow
SCALE, LEVELS, DRAWS = "evidence", (0.05, 0.01), 40
FAMILIES = {  # of the tests of claims
    "gains of one system over another": ("improves", "not_worse", "equivalence"),
    "gains on some queries over others": ("helps_most", "helps_least", "gain_shrinks"),
    "drops of two systems": ("smaller_drop",),
    "drops of one system": ("loses", "rises", "no_significant_gain", "loss_shrinks"),
    "drops on some queries over others": ("hurts_most", "hurts_least"),
    "shares of a loss or gain": ("recovers", "share_of_gain"),
}
ERRORS = float(norm.isf(0.025 / len(FAMILIES)))  # standard errors within which the rates of all families lie, in 95 %


@pytest.fixture(scope="module")
def comparisons():
    """(family, contrast, Ratio) of every comparison of trained systems with several runs, each once."""
    graphs = {graph.lineage.scale_name: graph for graph in project().graphs.values()}
    rows = current(graphs.values(), ledger.read_ledger(Path("evidence")))
    family = {test: name for name, tests in FAMILIES.items() for test in tests}
    by_contrast = {}
    for comparison in comparisons_of_claims(graphs[SCALE], rows[rows["scale"] == SCALE]):
        if contrast := comparison.ratio.contrast(comparison.collection):
            by_contrast[contrast] = family[comparison.test], contrast, comparison.ratio
    return list(by_contrast.values())


@pytest.fixture(scope="module")
def without(comparisons):
    """`without(systems)`: the priors fitted on the comparisons that have none of these systems."""
    fit_on = [contrast for _, contrast, ratio in comparisons if ratio.unit is None]

    @cache
    def fit_without(systems):
        return priors.fit([contrast for contrast in fit_on if not {*contrast.cluster[1:]} & systems])

    return fit_without


def test_the_file_has_the_priors_of_the_ledger(without):
    for family, family_priors in priors.read_priors(Path("evidence/priors.json"))[SCALE].items():
        for name in ("several", "one"):
            stored, fitted = (
                getattr(source, name).model_dump() for source in (family_priors, without(frozenset())[family])
            )
            assert stored == pytest.approx(fitted, rel=1e-3), "run `robustdr evidence priors`"


def print_rates(name, trials_by_family):
    """Print by family the rates over all comparisons, and return them with the standard error of the first.

    Comparisons of the same systems share their trainings, so that the error is that of the means of clusters.

    Args:
        trials_by_family: (family, cluster, rates) of each trial.
    """
    print(f"\n{name}\n| family | trials | systems | rates | error |")
    rates_by_family = {}
    for family in FAMILIES:
        clusters = {}
        for _, cluster, rates in (trial for trial in trials_by_family if trial[0] == family):
            clusters.setdefault(cluster, []).append(rates)
        if len(clusters) > 1:
            means = np.array([np.mean(cluster_rates, axis=0) for cluster_rates in clusters.values()])
            rates = np.mean([trial_rates for several in clusters.values() for trial_rates in several], axis=0)
            error = float(means[:, 0].std(ddof=1) / len(means) ** 0.5)
            trials = sum(map(len, clusters.values()))
            rates_text = " | ".join(f"{rate:.1%}" for rate in rates)
            print(f"| {family} | {trials:,} | {len(means)} | {rates_text} | ±{2 * error:.1%} |")
            rates_by_family[family] = rates, error
    return rates_by_family


def again(ratio, keep, families):
    """A comparison on some of its seeds, under other priors."""
    runs = Runs(ratio._runs.trained, families)
    return Ratio(*(Estimate(estimate[keep], runs=runs) for estimate in ratio._values), ratio.unit)


def test_a_run_that_was_left_out_lies_where_the_others_say(comparisons, without):
    """Its interval is of the other runs, two at least, with priors that know none of its systems."""
    trials = []
    for family, contrast, ratio in comparisons:
        for seed in range(ratio.seeds if ratio.seeds > 2 else 0):
            rest = again(ratio, np.arange(ratio.seeds) != seed, without(frozenset(contrast.cluster[1:])))
            along, variance = np.array([1.0, -rest.value]), rest._variance
            away = abs(along @ ratio._values[:, seed].mean(axis=1))
            one_run = along @ variance.runs @ along * rest.seeds * (1 + 1 / rest.seeds)
            inside = [away <= student.isf(level / 2, variance.runs_df) * one_run**0.5 for level in LEVELS]
            trials.append((family, contrast.cluster, inside))
    for family, ((usual, _), error) in print_rates("A run that was left out: in 95 %, in 99 %", trials).items():
        assert usual >= 0.95 - max(0.02, ERRORS * error), family


def test_one_run_is_as_far_from_another_as_its_prior_says(comparisons, without):
    trials = []
    for family, contrast, ratio in comparisons:
        for seed in range(ratio.seeds):
            other_seed = (seed + 1) % ratio.seeds
            single_run = again(ratio, [seed], without(frozenset(contrast.cluster[1:])))
            along, variance = np.array([1.0, -single_run.value]), single_run._variance
            away = abs(along @ ratio._values[:, other_seed].mean(axis=1))
            error = (2 * along @ variance.runs @ along) ** 0.5
            inside = [away <= student.isf(level / 2, variance.runs_df) * error for level in LEVELS]
            trials.append((family, contrast.cluster, inside))
    for family, ((usual, _), error) in print_rates("One run from another: in 95 %, in 99 %", trials).items():
        assert usual >= 0.95 - max(0.02, ERRORS * error), family


@pytest.mark.parametrize("outliers", [False, True])
def test_no_effect_is_rarely_called_one(comparisons, without, outliers):
    """Each comparison with its own queries, residual and seeds, and no effect.

    Args:
        outliers: runs differ as these runs do, outliers too; else as the family says.
    """
    rng, trials = np.random.default_rng(0), []
    families = without(frozenset())
    for family, contrast, ratio in comparisons:
        runs, queries = ratio.seeds, ratio.queries
        prior = families[contrast.family].several
        of_queries = max(contrast.of_queries - contrast.residual, 0.0)
        rates = np.zeros(len(LEVELS))
        for _ in range(DRAWS):
            drawn = prior.variance(contrast.residual) * prior.degrees / rng.chisquare(prior.degrees)
            run_variance = max((contrast.run_variance if outliers else drawn) - contrast.residual, 0.0)
            values = rng.normal(0, (of_queries * queries) ** 0.5, queries)
            values = values + rng.normal(0, run_variance**0.5, (runs, 1))
            values = values + rng.normal(0, (contrast.residual * queries) ** 0.5, (runs, queries))
            null = Ratio(Estimate(values, runs=Runs(ratio._runs.trained, families)), ONE)
            rates += [null.p < level for level in LEVELS]
        trials.append((family, contrast.cluster, rates / DRAWS))
    rates = print_rates(
        f"Called an effect at 5 %, at 1 %, where runs differ as {'these' if outliers else 'the family'}", trials
    )
    for family, ((usual, strict), _) in rates.items():
        assert usual <= 0.055 and strict <= 0.015, family


@pytest.mark.parametrize("variations", [2, 8])
def test_the_worst_of_several_variations_is_tested_at_its_level(variations):
    """Which variation is the worst is taken from the same runs, and the interval does not know it."""
    rng, called, draws = np.random.default_rng(0), 0, 400
    prior = Prior(
        level=2 * np.log(0.01), slope=0.0, degrees=8.0, most=100.0, least=1e-9, deviation=0.01, contrasts=9, clusters=9
    )
    families = {"systems": Priors(several=prior, one=prior), "drop": Priors(several=prior, one=prior)}
    for _ in range(draws):
        drops = []
        for system in ("ours", "theirs"):
            runs = Runs(frozenset({system}), families)
            base = rng.uniform(size=300) + 0.2
            original = Estimate(base + rng.normal(0, 0.1, (3, 300)), runs=runs)
            varied = [
                Estimate(0.8 * base + rng.normal(0, 0.005, (3, 1)) + rng.normal(0, 0.1, (3, 300)), runs=runs)
                for _ in range(variations)
            ]
            drops.append((min(varied, key=lambda estimate: estimate.mean) - original) / original)
        called += Ratio(drops[0] - drops[1], ONE).p < 0.05
    print(f"\nThe worst of {variations} variations: {called / draws:.1%} at 5 %")
    assert called / draws <= 0.055
