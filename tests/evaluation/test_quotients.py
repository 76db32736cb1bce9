"""Estimates and quotients of them: worked by hand, against SciPy, and by how often their intervals are right."""

from math import inf, log, sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from robustdr.evaluation.estimates import Estimate
from robustdr.evaluation.priors import Prior, Priors, Runs, mean_squares
from robustdr.evaluation.quotients import Ratio, drop_ratio

ONE = Estimate(np.ones((1, 1)))
ALONE = Runs(frozenset({"rodr"}))  # a trained system, of whose family nothing is known


def estimate(*values):
    return Estimate(np.array([values], dtype=float))


def test_a_mean_has_the_interval_and_the_p_of_the_t_test():
    values = np.random.default_rng(0).normal(0.2, 1, size=(1, 40))
    quotient = Ratio(Estimate(values), ONE)
    expected = scipy.stats.ttest_1samp(values[0], 0)
    assert quotient.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert quotient.interval(0.95) == (pytest.approx(low), pytest.approx(high))
    assert quotient.p_above(0.1) == pytest.approx(scipy.stats.ttest_1samp(values[0], 0.1, alternative="greater").pvalue)


def test_what_is_computed_of_means_follows_to_first_order():
    """a / b at means 3 and 2: each value moves it by (a − 3) / 2 − 3 (b − 2) / 4."""
    quotient = estimate(2, 4) / estimate(1, 3)
    assert quotient.mean == pytest.approx(1.5)
    assert quotient.values == pytest.approx(np.array([[1.5 - 0.5 + 0.75, 1.5 + 0.5 - 0.75]]))
    assert (estimate(2, 4) - estimate(1, 3)).values == pytest.approx(np.ones((1, 2)))
    assert (estimate(2, 4) + estimate(1, 3)).values == pytest.approx(np.array([[3, 7]]))


def test_a_number_is_an_estimate_that_is_known():
    assert (estimate(1, 2, 6) + 0.5).values.tolist() == [[1.5, 2.5, 6.5]]
    assert (estimate(1, 2, 6) - 0.5).values.tolist() == [[0.5, 1.5, 5.5]]
    assert (estimate(1, 2, 6) / 2.0).values.tolist() == [[0.5, 1, 3]]


def test_fieller_by_hand():
    """An interval's ends are where a t-test of numerator − r · denominator has just that p."""
    rng = np.random.default_rng(1)
    b = rng.normal(2, 1, size=(1, 30))
    a = 0.5 * b + rng.normal(0, 0.5, size=(1, 30))
    quotient = Ratio(Estimate(a), Estimate(b))
    for end in quotient.interval(0.9):
        assert scipy.stats.ttest_1samp((a - end * b)[0], 0).pvalue == pytest.approx(0.1)


def test_a_quotient_by_what_may_be_nothing_can_be_anything():
    noise = np.random.default_rng(2).normal(0, 1, size=(1, 50))
    assert Ratio(estimate(*range(50)), Estimate(noise)).interval(0.95) == (-inf, inf)


def test_no_p_is_below_that_of_equal_signs_of_the_queries_that_differ():
    """Five queries of a thousand gain .5: the t-test says p = .025; of 32 ways to sign them 2 are as extreme."""
    gain = Ratio(estimate(*([0.5] * 5 + [0.0] * 995)), ONE)
    assert gain.p == 2 / 32
    assert scipy.stats.ttest_1samp(gain.numerator.values[0], 0).pvalue < 0.03
    low, high = gain.interval(0.95)
    assert low == pytest.approx(0.05 ** (1 / 1000) - 1) and low < 0 < 0.0025 < high  # as if none had been seen
    assert Ratio(estimate(*([0.5] * 6 + [0.0] * 994)), ONE).interval(0.95)[0] > 0  # 2 / 64 < .05
    assert Ratio(estimate(*([-0.5] * 5 + [0.0] * 995)), ONE).interval(0.95) == pytest.approx((-high, -low))


@pytest.mark.parametrize("gains", [[], [0.5], [-0.5] * 3, [0.5] * 8, [0.5, -0.1] * 5])
@pytest.mark.parametrize("bound", [-0.02, -0.004, 0.0, 0.0005, 0.003])
def test_where_few_queries_differ_the_p_of_a_margin_is_that_of_its_interval(gains, bound):
    """An interval of 1 − 2 p ends at the bound: a little narrower and it excludes it, a little wider, not."""
    quotient = Ratio(estimate(*(gains + [0.0] * (400 - len(gains)))), ONE)
    p = quotient.p_above(bound)
    if p < 0.499:
        assert quotient.interval(1 - 2.02 * p)[0] > bound >= quotient.interval(1 - 1.98 * p)[0]
    p = quotient.p_below(bound)
    if p < 0.499:
        assert quotient.interval(1 - 2.02 * p)[1] < bound <= quotient.interval(1 - 1.98 * p)[1]


def test_no_difference_seen_tells_a_margin_as_the_unseen_share_does():
    """(1 − .02)^100 / 2: as many as 2 % differ unseen with that probability, up or down."""
    nothing = Ratio(estimate(*[0.0] * 100), ONE)
    assert nothing.p_above(-0.02) == nothing.p_below(0.02) == pytest.approx(0.98**100 / 2)
    assert nothing.p_above(0.0) == nothing.p_below(0.0) == 0.5


def test_an_unseen_difference_moves_a_drop_by_more_than_itself():
    """Of a mean of .5 a query's 1 is 2; of the base of a quotient of drops, .5 again, 4."""
    original, varied = estimate(*[1.0, 0.0] * 50), estimate(*[0.5, 0.0] * 50)
    drop = (varied - original) / original
    share = 1 - 0.05 ** (1 / 100)
    assert Ratio(drop - drop, ONE).interval(0.95) == pytest.approx((-2 * share, 2 * share))
    assert Ratio(drop - drop, (original - varied) / original).interval(0.95) == pytest.approx((-4 * share, 4 * share))
    assert ((drop + drop) / 2).largest_change == 2


def test_queries_differ_where_the_values_behind_a_difference_of_quotients_do():
    """The first query falls in one and not in the other; the second falls in both, and the third in neither."""
    original = estimate(1.0, 1.0, 0.5)
    first, second = ((estimate(*varied) - original) / original for varied in ((0.5, 0.5, 0.5), (1.0, 0.5, 0.5)))
    assert first.differs.tolist() == [True, True, False]
    assert (first - second).differs.tolist() == [True, False, False] and (first - second).values.all()
    assert (first + second).differs.tolist() == ((first + second) / 2).differs.tolist() == [True, True, False]
    assert (first - 0.0).differs.tolist() == [True, True, False]
    elsewhere = (estimate(0.5, 0.25, 0.5) - estimate(1.0, 0.75, 0.5)) / estimate(1.0, 0.75, 0.5)
    assert (first - elsewhere).differs.tolist() == [False, True, False]  # the same fall from another height


def test_one_query_says_nothing():
    single = Ratio(estimate(0.5), ONE)
    assert (single.p, single.p_above(0.0), single.interval(0.95)) == (1.0, 0.5, (-inf, inf))


def test_no_difference_seen_is_not_none():
    """Of 100 queries none differs: with 95 % confidence fewer than 3 % do, by 1 at most."""
    nothing = Ratio(estimate(*[0.0] * 100), ONE)
    low, high = nothing.interval(0.95)
    assert nothing.p == 1 and (low, high) == (-high, pytest.approx(1 - 0.05 ** (1 / 100)))
    assert high == pytest.approx(0.0295, abs=1e-4)
    assert Ratio(estimate(*[0.0] * 100), estimate(0.5)).interval(0.95) == (-2 * high, 2 * high)


def test_what_all_queries_share_is_known_exactly():
    original = np.array([[1.0, 0.5] * 20])
    assert drop_ratio(Estimate(original / 2), Estimate(original)).interval(0.95) == pytest.approx((-0.5, -0.5))
    gain = Ratio(estimate(*[0.5] * 20), ONE)
    smallest_p = 2.0**-19  # of 20 queries with one sign
    assert (gain.p, gain.p_above(0.25), gain.p_above(0.5), gain.p_above(0.75)) == (
        smallest_p,
        smallest_p / 2,
        0.5,
        1 - 0.25**20 / 2,  # at .75, so few would be seen with a probability of at most this
    )


@pytest.fixture()
def two_way():
    """Rows 1, 2, 6 and 1, 6, 8: 4, effects of seeds ∓1, of queries −3, 0, 3, and what is left ±1, ∓1, 0.

    Means of queries 1, 4, 7: variance 9 / 3 of their mean. Means of seeds 3, 5: 2. Rest: 4 / 2 / 3, a part of that 2.
    """
    return np.array([[1.0, 2.0, 6.0], [1.0, 6.0, 8.0]])


def mean_of(values, runs=ALONE):
    return Ratio(Estimate(values, runs=runs), ONE)


def joined(level, queries, queries_df, runs, runs_df):
    """Half the width of an interval by hand (Cochran and Cox): √(t² · V + t² · V)."""
    t_queries, t_runs = (scipy.stats.t.ppf(1 - level / 2, degrees) for degrees in (queries_df, runs_df))
    return sqrt(t_queries**2 * queries + t_runs**2 * runs)


def test_mean_squares_by_hand(two_way):
    queries, runs, residual = (part[0, 0] for part in mean_squares(np.stack([two_way, two_way])))
    assert (queries, runs, residual) == pytest.approx((3, 2, 2 / 3))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_an_interval_without_a_prior_joins_queries_and_seeds_by_hand(two_way, confidence):
    half = joined(1 - confidence, 3, 2, 2 / 2, 1)
    assert mean_of(two_way).interval(confidence) == pytest.approx((4 - half, 4 + half))


def test_p_is_the_level_at_which_the_interval_ends():
    quotient = mean_of(np.random.default_rng(3).normal(0.2, 1, (3, 40)))
    for bound in (0.0, 0.1, -0.3):
        p = 2 * min(quotient.p_above(bound), quotient.p_below(bound))
        assert min(abs(end - bound) for end in quotient.interval(1 - p)) < 1e-9
    assert quotient.p_above(0.1) + quotient.p_below(0.1) == pytest.approx(1)


def prior(**changes):
    """s0² is twice the trend, with 6 degrees of freedom."""
    keys = {"level": log(2), "slope": 1.0, "degrees": 6.0, "most": 100.0, "least": 1e-9, "deviation": 0.1}
    return Prior(**{**keys, "contrasts": 50, "clusters": 20, **changes})


def known_runs(systems=("rodr", "dr_oq"), **changes):
    of_family = Priors(several=prior(**changes), one=prior(**{"degrees": 2.0, **changes}))
    return Runs(frozenset(systems), {"systems": of_family})


def test_a_moderated_variance_by_hand(two_way):
    """s0² = 2 · 2/3 with d0 = 6, s² = 2 with d = 1: (8 + 2) / 7 = 10 / 7 with 7; of two runs half of it."""
    half = joined(0.05, 3, 2, 10 / 7 / 2, 7)
    assert mean_of(two_way, known_runs()).interval(0.95) == pytest.approx((4 - half, 4 + half))
    capped = joined(0.05, 3, 2, 10 / 7 / 2, 5)
    assert mean_of(two_way, known_runs(most=5.0)).interval(0.95) == pytest.approx((4 - capped, 4 + capped))


def test_one_run_has_the_prior_of_its_queries_by_hand(two_way):
    """1, 2, 6: a variance of 7 over 3 queries; s0² is twice 7/3, with 2 degrees of freedom."""
    quotient, half = mean_of(two_way[:1], known_runs()), joined(0.05, 7 / 3, 2, 14 / 3, 2)
    assert quotient.interval(0.95) == pytest.approx((3 - half, 3 + half)) and quotient.runs_known and quotient.one_run


def test_what_is_unknown_of_one_run_is_said(two_way):
    single_run = mean_of(two_way[:1])
    assert not single_run.runs_known and mean_of(two_way).runs_known  # two runs have a variance of their own
    assert not mean_of(two_way[:1], known_runs(["rodr"])).runs_known  # a drop of one system has a family of its own
    assert mean_of(two_way[:1], Runs()).runs_known  # nothing is trained


def test_one_run_of_one_of_two_systems_is_one_run_of_their_comparison(two_way):
    other_system = Estimate(two_way[:1], runs=Runs(frozenset({"dr_oq"})))
    assert Ratio(Estimate(two_way, runs=ALONE) - other_system, ONE).one_run
    assert not Ratio(Estimate(two_way, runs=ALONE) - Estimate(two_way[:1]), ONE).one_run  # BM25 stands for every seed


def test_an_outlier_keeps_what_its_own_runs_show():
    """Runs of 0, 10, 20 whose queries agree: s² = 100 against s0² = .02; d0 is next to nothing, and d = 2."""
    queries = np.array([-1.0, 0.0, 1.0, 0.5, -0.5])
    values = np.stack([queries, 10 + queries, 20 + queries + np.array([0.5, -0.5, 0.0, 0.0, 0.0])])
    quotient = mean_of(values, known_runs(clusters=1))
    (_, runs, residual), variance = mean_squares(np.stack([values, values])), quotient._variance
    assert variance.runs[0, 0] * 3 == pytest.approx(runs[0, 0], rel=0.01) and variance.runs_df == pytest.approx(
        2, rel=0.01
    )
    usual = (6 * 2 * residual[0, 0] + 2 * runs[0, 0]) / 8
    assert usual < 0.3 * runs[0, 0]  # what a prior would make of it that does not notice


@given(st.integers(0, 10_000), st.floats(1.0, 20.0), st.sampled_from([0.05, 0.01]))
def test_wider_data_never_narrow_an_interval(seed, factor, level):
    """Values spread out around their means: of queries, of runs, or of all; whatever the prior."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 1, (3, 12)) + rng.normal(0, 0.3, (3, 1))
    runs = known_runs(degrees=float(rng.uniform(0.5, 15)), clusters=int(rng.integers(2, 100)))
    before = mean_of(values, runs).interval(1 - level)
    by_run = values.mean(axis=1, keepdims=True) - values.mean()
    by_query = values.mean(axis=0) - values.mean()
    for wider in (values + (factor - 1) * by_run, values + (factor - 1) * by_query):
        after = mean_of(wider, runs).interval(1 - level)
        assert after[0] <= before[0] + 1e-9 and after[1] >= before[1] - 1e-9


def test_a_share_of_a_loss_varies_as_the_loss_does_by_hand():
    """The prior is of shares of the mean on original queries: with `unit` 2, trends are a quarter, and s0² four times.

    slope 0: s0² = 2 whatever the trend, in shares of the unit; in units of the measure it is 2 · 2² = 8.
    """
    values = np.array([[1.0, 2.0, 6.0], [1.0, 6.0, 8.0]])
    quotient = Ratio(Estimate(values, runs=known_runs(slope=0.0)), ONE, unit=Estimate(np.full((1, 1), 2.0)))
    half = joined(0.05, 3, 2, (6 * 8 + 2) / 7 / 2, 7)
    assert quotient.interval(0.95) == pytest.approx((4 - half, 4 + half))


def test_a_printed_effect_has_its_own_queries_and_one_run_of_each_system(two_way):
    """Printed from 6 queries: 3 (1 + 3 / 6), and s² / 2 of ours and s² of theirs: 1 + 2."""
    half = joined(0.05, 4.5, 2, 3, 1)
    assert mean_of(two_way).prediction(0.95, 6) == pytest.approx((4 - half, 4 + half))


def test_a_quotient_by_nothing_has_no_bounds_whatever_the_seeds(two_way):
    nothing = Estimate(np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]), runs=ALONE)
    assert Ratio(Estimate(two_way, runs=ALONE), nothing).interval(0.95) == (-inf, inf)


def test_power_is_half_where_the_effect_is_as_large_as_what_is_needed(two_way):
    quotient = mean_of(two_way)
    half = joined(0.05, 3, 2, 1, 1)
    assert quotient.power(half, 0.0, 0.05) == pytest.approx(0.5)
    assert quotient.power(half + 2, 0.0, 0.05) == pytest.approx(scipy.stats.norm.cdf(2 / sqrt(3 + 1)))


def test_a_system_without_randomness_is_compared_with_every_seed():
    ours, bm25 = Estimate(np.array([[1.0, 0.0], [0.0, 0.0]]), runs=ALONE), estimate(0.5, 0.0)
    assert (ours - bm25).values.tolist() == [[0.5, 0.0], [-0.5, 0.0]]
    assert Ratio(bm25, ours).seeds == 2


@pytest.mark.parametrize("seeds, others", [(2, 5), (5, 2)])
def test_seeds_that_only_one_of_two_systems_has_are_left_out(seeds, others):
    first, second = (np.arange(4.0 * count).reshape(count, 4) for count in (seeds, others))
    assert (Estimate(first) - Estimate(2 * second)).values.tolist() == [[0, -1, -2, -3], [-4, -5, -6, -7]]


def test_runs_are_paired_by_the_name_of_their_seed():
    one, other = Estimate(np.array([[1.0], [3.0]]), seeds=["1", "3"]), Estimate(np.array([[0.1], [0.2], [0.3]]))
    for difference, expected in ((one - other, [[0.9], [2.7]]), (other - one, [[-0.9], [-2.7]])):
        assert difference.values == pytest.approx(np.array(expected)) and difference.seeds == ("1", "3")
    assert ((one + other) / other).seeds == (other - other + one).seeds == ("1", "3")
    assert (one - Estimate(np.array([[5.0], [6.0]]), seeds=["7", "8"])).values.tolist() == [[-4.0], [-3.0]]


@pytest.mark.parametrize("seeds, spread", [(1, 0.0), (3, 0.0), (3, 0.005), (3, 0.02), (5, 0.02)])
def test_an_interval_of_drops_is_right_at_least_as_often_as_it_says(seeds, spread):
    """Queries and seeds vary, alone and together. (A bootstrap covers .89 with three seeds at a spread of .02.)

    Without a prior it is right more often: it counts the run × query residual twice, and t of 2 degrees is large.
    """
    rng, covered, runs, queries = np.random.default_rng(0), 0, 500, 300
    truth = -0.05 / (0.5 / 1.3)
    for _ in range(runs):
        base = rng.beta(0.5, 0.8, size=queries)
        original = base + rng.normal(0, spread, size=(seeds, 1)) + rng.normal(0, 0.2, size=(seeds, queries))
        varied = base - 0.05 + rng.normal(0, spread, size=(seeds, 1)) + rng.normal(0, 0.2, size=(seeds, queries))
        estimates = (Estimate(values, runs=ALONE if seeds > 1 else Runs()) for values in (varied, original))
        low, high = drop_ratio(*estimates).interval(0.95)
        covered += low <= truth <= high
    assert covered / runs >= 0.94


def test_drop_by_hand():
    quotient = drop_ratio(estimate(0.5, 0.0), estimate(1.0, 0.5))
    assert quotient.value == pytest.approx(-2 / 3) and sqrt(quotient.queries) == sqrt(2)


def test_a_print_chosen_for_its_significance_is_expected_higher_by_hand():
    """No effect in 400 queries, ±1: a print from as many is above its cut, 1.96 standard errors, in 8.3 % of cases."""
    quotient = Ratio(estimate(*([1.0, -1.0] * 200)), ONE)
    error = sqrt(400 / 399 / 400)
    share = scipy.stats.norm.sf(1.96 / sqrt(2))
    low, high = quotient.prediction(0.95, 400)
    assert high == pytest.approx(scipy.stats.t.ppf(0.975, 399) * sqrt(2) * error)
    chosen = scipy.stats.t.ppf(1 - 0.025 * share, 399) * sqrt(2) * error
    assert quotient.prediction(0.95, 400, selected=True) == pytest.approx((low, chosen))
    certain = Ratio(estimate(*([2.0, 0.0] * 200)), ONE)  # an effect of 20 standard errors is always significant
    assert certain.prediction(0.95, 400, selected=True) == pytest.approx(certain.prediction(0.95, 400))
