"""The pooled variance between training runs: worked by hand, and how often intervals with it are right."""

import json
from math import sqrt

import numpy as np
import pytest
import scipy.stats

from robustdr.core.errors import UserError
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.quotients import Ratio, drop_ratio
from robustdr.evaluation.runs import Runs, Spread, Spreads

KNOWN = {"RR@10": Spreads(mean=Spread(sd=0.02, df=8.0), drop=Spread(sd=0.01, df=12.0))}


def trained(values, system="rodr", query_set="original", runs=None, original=None):
    """An estimate of a trained system from values [seeds, queries]."""
    runs = runs or Runs(KNOWN, frozenset({"rodr", "dr_oq"}))
    values = np.asarray(values, float)
    mean = values.mean()
    return Estimate(values, shifts=runs.shifts(system, "RR@10", "toy", query_set, len(values), mean, original or mean))


def test_two_trained_systems_have_the_pooled_variance_twice_by_hand():
    """Means .6 and .5, of 30 queries; their runs: (.02 · .6)² + (.02 · .5)² = .000244, with 8 degrees of freedom."""
    rng = np.random.default_rng(0)
    ours, theirs = rng.uniform(size=(1, 30)), rng.uniform(size=(1, 30))
    ours, theirs = ours * 0.6 / ours.mean(), theirs * 0.5 / theirs.mean()
    found = Ratio(trained(ours) - trained(theirs, "dr_oq"), ONE)
    queries, runs = (ours - theirs).var(ddof=1) / 30, 0.000244
    degrees = (queries + runs) ** 2 / (queries**2 / 29 + runs**2 / 8)
    t = 0.1 / sqrt(queries + runs)
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(t, degrees))
    half = scipy.stats.t.ppf(0.975, degrees) * sqrt(queries + runs)
    assert found.interval(0.95) == pytest.approx((0.1 - half, 0.1 + half))
    # printed from 10 queries: three times the variance of queries more, and the runs once more
    found_too, printed = found.prediction(0.95, 10), (4 * queries, 2 * runs)
    degrees = sum(printed) ** 2 / (printed[0] ** 2 / 29 + printed[1] ** 2 / 8)
    half = scipy.stats.t.ppf(0.975, degrees) * sqrt(sum(printed))
    assert found_too == pytest.approx((0.1 - half, 0.1 + half))


def test_what_runs_of_one_seed_have_in_common_cancels_by_hand():
    """A variance of (.02 · .6)² and (.02 · .5)², a quarter of it own: .25 · .000244 + .75 · (.02 · .1)²."""
    known = {"RR@10": Spreads(mean=Spread(sd=0.02, df=8.0, common=0.75))}
    runs = Runs(known, frozenset({"rodr", "dr_oq"}))
    ours, theirs = trained(np.full((1, 30), 0.6), runs=runs), trained(np.full((1, 30), 0.5), "dr_oq", runs=runs)
    half = scipy.stats.t.ppf(0.975, 8) * sqrt(0.25 * 0.000244 + 0.75 * 0.002**2)
    assert Ratio(ours - theirs, ONE).interval(0.95) == pytest.approx((0.1 - half, 0.1 + half))
    # three seeds of the one and one of the other are not the same seeds
    more = trained(np.full((3, 30), 0.6), runs=runs)
    half = scipy.stats.t.ppf(0.975, 8) * sqrt((0.02 * 0.6) ** 2 / 3 + (0.02 * 0.5) ** 2)
    assert Ratio(more - theirs, ONE).interval(0.95) == pytest.approx((0.1 - half, 0.1 + half))


def test_the_drop_of_one_system_has_the_variance_of_drops_alone_by_hand():
    """All queries fall from 1 to .7: queries say −30 % for sure; runs leave ±.01 around it, with 12 degrees."""
    base = trained(np.ones((1, 20)))
    drop = drop_ratio(trained(np.full((1, 20), 0.7), query_set="misspell", original=1.0), base)
    low, high = drop.interval(0.95)
    half = scipy.stats.t.ppf(0.975, 12) * 0.01
    assert (low, high) == pytest.approx((-0.3 - half, -0.3 + half), rel=0.01)


def test_a_variation_has_its_own_deviation_of_drops_where_it_was_measured():
    own = Spread(sd=0.05, df=3.0)
    runs = Runs({"RR@10": KNOWN["RR@10"].model_copy(update={"drops": {"misspell": own}})}, frozenset({"rodr"}))
    for name, expected in (("misspell", own), ("swap_words", KNOWN["RR@10"].drop)):
        found = runs.shifts("rodr", "RR@10", "toy", name, 1, 0.5, 0.8)
        assert {at.query_set: at.spread for at in found} == {"": KNOWN["RR@10"].mean, name: expected}


def test_a_collection_has_its_own_deviations_where_they_were_measured():
    own, of_drops, misspell = Spread(sd=0.001, df=9.0), Spread(sd=0.002, df=9.0), Spread(sd=0.003, df=9.0)
    few = Spreads(mean=own, drop=of_drops, drops={"misspell": misspell})
    found = Spreads(mean=Spread(sd=0.02, df=8.0), drops={"typo": misspell}, collections={"few": few, "one": Spreads()})
    assert [found.of("few"), found.of("few", "misspell"), found.of("few", "typo")] == [own, misspell, of_drops]
    for name in ("one", "another"):
        assert [found.of(name), found.of(name, "typo"), found.of(name, "misspell")] == [found.mean, misspell, None]
    runs = Runs({"RR@10": found}, frozenset({"rodr"}))
    assert {at.spread for at in runs.shifts("rodr", "RR@10", "few", "misspell", 1, 0.5, 0.8)} == {own, misspell}


def test_a_mean_over_variations_rather_has_its_own_deviation_and_zero_is_the_last_choice():
    of_mean, of_drops, zero = Spread(sd=0.004, df=20.0), Spread(sd=0.01, df=9.0), Spread(sd=0.0, df=30.0)
    here = Spreads(mean=zero, drop=of_drops, drops={"stem": zero})
    found = Spreads(mean=of_mean, drop=of_mean, drops={"misspell+typo": of_mean}, collections={"toy": here})
    assert [found.of("toy", "misspell+typo"), found.of("toy", "typo"), found.of("toy", "stem")] == [
        of_mean,
        of_drops,
        of_drops,
    ]
    assert found.of("toy") == of_mean and Spreads(mean=zero).of("toy") == zero and Spreads().of("toy") is None


def test_more_runs_divide_the_pooled_variance_until_they_are_more_than_those_behind_it():
    values = np.array([[1.0, 0.5] * 10])
    nothing = Ratio(Estimate(values), ONE)._moments[0][0, 0]
    for number in (1, 2, 5, 9):  # 8 degrees of freedom behind it, and as many of 9 seeds
        shifted = Ratio(trained(np.repeat(values, number, axis=0)), ONE)
        assert shifted._moments[0][0, 0] - nothing == pytest.approx(0.015**2 / number)
    assert Ratio(trained(np.repeat(values, 10, axis=0)), ONE)._moments[0][0, 0] == pytest.approx(nothing)


@pytest.mark.parametrize("of_drops, pooled", [(0.001, True), (0.02, False)])
def test_a_small_deviation_with_few_degrees_hardly_lowers_those_of_the_sum_by_hand(of_drops, pooled):
    """The mean's deviation of .02 has 8 degrees, that of drops 1; runs of one system move mean and drop alike.

    With .001: (.0004 + .000001)² / (.0004² / 8 + .000001²) = 8.04, more than the 4 of five seeds. With .02 for both:
    .0008² / (.0004² / 8 + .0004²) = 3.6.
    """
    known = {"RR@10": Spreads(mean=Spread(sd=0.02, df=8.0), drop=Spread(sd=of_drops, df=1.0))}
    varied = trained(np.ones((5, 20)), query_set="misspell", runs=Runs(known, frozenset({"rodr"})))
    variance = (0.02**2 + of_drops**2) / 5 if pooled else 0.0  # the seeds at hand are all alike
    assert Ratio(varied, ONE)._moments[0][0, 0] == pytest.approx(variance)


def test_of_five_seeds_against_three_three_are_compared_by_hand():
    """.02² · (.6² + .5²) / 3 if nothing is in common; a quarter of it, and the common rest of .1, if they share."""
    for common, variance in ((0.0, 0.02**2 * 0.61), (0.75, 0.25 * 0.02**2 * 0.61 + 0.75 * 0.002**2)):
        runs = Runs({"RR@10": Spreads(mean=Spread(sd=0.02, df=9.0, common=common))}, frozenset({"rodr", "dr_oq"}))
        five, three = trained(np.full((5, 30), 0.6), runs=runs), trained(np.full((3, 30), 0.5), "dr_oq", runs=runs)
        assert Ratio(five - three, ONE)._moments[0][0, 0] == pytest.approx(variance / 3)
        assert {at.runs for at in (five / three).shifts} == {3} and {at.runs for at in Ratio(three, five)._known} == {3}


def test_a_shift_that_cancels_does_not_decide_whose_variance_is_taken():
    """The mean of one system has a deviation of 1 degree, its drop one of 30: a drop of five seeds takes the latter."""
    known = {"RR@10": Spreads(mean=Spread(sd=0.02, df=1.0), drop=Spread(sd=0.01, df=30.0))}
    base, varied = (
        trained(np.full((5, 20), of), query_set=at, runs=Runs(known, frozenset({"rodr"})), original=0.9)
        for of, at in ((0.9, "original"), (0.7, "misspell"))
    )
    assert drop_ratio(varied, base)._moments[0][0, 0] == pytest.approx(((0.9 * 0.01) ** 2 + (0.2 * 0.02) ** 2) / 5)
    none = {"RR@10": Spreads(mean=Spread(sd=0.02, df=1.0), drop=Spread(sd=0.0, df=30.0))}
    base, varied = (
        trained(np.linspace(0.5, 0.9, 5)[:, None] * np.full((5, 20), of), query_set=at, original=0.7 * of, runs=runs)
        for runs in [Runs(none, frozenset({"rodr"}))]
        for of, at in ((1.0, "original"), (1.0, "misspell"))
    )
    assert not drop_ratio(varied, base)._own


def test_where_the_variance_of_runs_is_unknown_only_one_system_can_be_compared_with_itself():
    unknown = Runs(trained=frozenset({"rodr", "dr_oq"}))
    values = np.random.default_rng(0).uniform(size=(1, 20))
    base, varied = (trained(values, query_set=at, runs=unknown) for at in ("original", "misspell"))
    other = trained(values[:, ::-1], "dr_oq", "misspell", unknown)
    bm25 = Estimate(values**2)
    assert not drop_ratio(varied, base).unknown_runs and drop_ratio(varied, base).one_run
    assert Ratio(varied - other, base).unknown_runs and Ratio(base - bm25, bm25).unknown_runs
    drops = [(at - base) / base for at in (varied, other)]
    assert Ratio(drops[0] - drops[1], ONE).unknown_runs
    assert not Ratio(trained(np.repeat(values, 2, axis=0), runs=unknown) - bm25, bm25).unknown_runs
    assert not Ratio(bm25, ONE).one_run


@pytest.mark.parametrize("sd", [0.005, 0.01, 0.02])
def test_intervals_are_right_as_often_as_they_say_for_single_runs(sd):
    """Two systems of equal means whose trainings move them: queries alone would exclude 0 far too often."""
    rng, sure = np.random.default_rng(0), 0
    runs = Runs({"RR@10": Spreads(mean=Spread(sd=sd, df=200.0))}, frozenset({"rodr", "dr_oq"}))
    for _ in range(1000):
        hard = rng.uniform(size=2000)
        ours, theirs = ((hard < 0.6 * (1 + rng.normal(0, sd))) * 1.0 for _ in range(2))
        luck = rng.uniform(size=2000) < 0.05
        ours[luck] = 1 - ours[luck]
        theirs = np.where(rng.uniform(size=2000) < 0.05, 1 - theirs, theirs)
        found = Ratio(trained([ours], runs=runs) - trained([theirs], "dr_oq", runs=runs), ONE)
        sure += found.p < 0.05
    assert sure / 1000 == pytest.approx(0.05, abs=0.02)


def test_the_file_of_the_ledger_is_read(tmp_path):
    path = tmp_path / "runs.json"
    spread = {"mean": {"sd": 0.008, "df": 12.0}, "drop": {"sd": 0.01, "df": 12.0}}
    rates = {"RR@10": {"pairs": 40, "systems": 4, "ignoring": 0.3, "with": 0.05}}
    path.write_text(json.dumps({"RR@10": spread, "R@50": {"mean": {"sd": 0.0, "df": 3}}, "seeds": rates}))
    runs = Runs.read(path, frozenset({"rodr"}))
    assert runs.spreads["RR@10"].drop == Spread(sd=0.01, df=12.0) and runs.spreads["R@50"].drop is None
    assert runs.seeds["RR@10"].aware == 0.05 and not runs.processors
    assert Runs.read(None, frozenset()) == Runs()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "no mapping of measures"),
        ("{", "cut off or damaged"),
        ('{"RR@10": {"mean": {"sd": -1, "df": 2}}}', "RR@10.mean.sd: -1 should be greater than or equal to 0"),
        ('{"RR@10": {"means": {}}}', "RR@10: key: 'means' is unknown"),
    ],
)
def test_another_file_is_refused(tmp_path, text, message):
    path = tmp_path / "runs.json"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        Runs.read(path, frozenset())
