"""Estimates and quotients of them: worked by hand, against SciPy, and by how often their intervals are right."""

from math import inf, sqrt

import numpy as np
import pytest
import scipy.stats

from robustdr.evaluation.estimates import Estimate
from robustdr.evaluation.quotients import Ratio, drop_ratio

ONE = Estimate(np.ones((1, 1)))


def estimate(*values):
    return Estimate(np.array([values], dtype=float))


def test_a_mean_has_the_interval_and_the_p_of_the_t_test():
    values = np.random.default_rng(0).normal(0.2, 1, size=(1, 40))
    found = Ratio(Estimate(values), ONE)
    expected = scipy.stats.ttest_1samp(values[0], 0)
    assert found.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert found.interval(0.95) == (pytest.approx(low), pytest.approx(high))
    assert found.p_above(0.1) == pytest.approx(scipy.stats.ttest_1samp(values[0], 0.1, alternative="greater").pvalue)


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
    found = Ratio(Estimate(a), Estimate(b))
    for end in found.interval(0.9):
        assert scipy.stats.ttest_1samp((a - end * b)[0], 0).pvalue == pytest.approx(0.1)


def test_a_quotient_by_what_may_be_nothing_can_be_anything():
    noise = np.random.default_rng(2).normal(0, 1, size=(1, 50))
    assert Ratio(estimate(*range(50)), Estimate(noise)).interval(0.95) == (-inf, inf)


def test_where_few_queries_differ_all_flips_of_their_signs_are_counted():
    """Five queries of a thousand gain .5: the t-test says p = .025; of 32 ways to sign them 2 are as extreme."""
    gain = Ratio(estimate(*([0.5] * 5 + [0.0] * 995)), ONE)
    assert (gain.p, gain.test) == (2 / 32, "sign-flip test")
    assert scipy.stats.ttest_1samp(gain.numerator.values[0], 0).pvalue < 0.03
    low, high = gain.interval(0.95)
    assert low == pytest.approx(0.05 ** (1 / 1000) - 1) and low < 0 < 0.0025 < high  # as if none had been seen
    assert Ratio(estimate(*([0.5] * 6 + [0.0] * 994)), ONE).interval(0.95)[0] > 0  # 2 / 64 < .05
    assert Ratio(estimate(*([-0.5] * 5 + [0.0] * 995)), ONE).interval(0.95) == pytest.approx((-high, -low))


@pytest.mark.parametrize("gains", [[], [0.5], [-0.5] * 3, [0.5] * 8, [0.5, -0.1] * 5])
@pytest.mark.parametrize("bound", [-0.02, -0.004, 0.0, 0.0005, 0.003])
def test_where_few_queries_differ_the_p_of_a_margin_is_that_of_its_interval(gains, bound):
    """An interval of 1 − 2 p ends at the bound: a little narrower and it excludes it, a little wider, not."""
    found = Ratio(estimate(*(gains + [0.0] * (400 - len(gains)))), ONE)
    p = found.p_above(bound)
    if p < 0.499:
        assert found.interval(1 - 2.02 * p)[0] > bound >= found.interval(1 - 1.98 * p)[0]
    p = found.p_below(bound)
    if p < 0.499:
        assert found.interval(1 - 2.02 * p)[1] < bound <= found.interval(1 - 1.98 * p)[1]


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
    assert ((drop + drop) / 2).most == 2


def test_queries_differ_where_the_values_behind_a_difference_of_quotients_do():
    """The first query falls in one and not in the other; the second falls in both, and the third in neither."""
    original = estimate(1.0, 1.0, 0.5)
    one, other = ((estimate(*varied) - original) / original for varied in ((0.5, 0.5, 0.5), (1.0, 0.5, 0.5)))
    assert one.differs.tolist() == [True, True, False]
    assert (one - other).differs.tolist() == [True, False, False] and (one - other).values.all()
    assert (one + other).differs.tolist() == ((one + other) / 2).differs.tolist() == [True, True, False]
    assert (one - 0.0).differs.tolist() == [True, True, False]
    elsewhere = (estimate(0.5, 0.25, 0.5) - estimate(1.0, 0.75, 0.5)) / estimate(1.0, 0.75, 0.5)
    assert (one - elsewhere).differs.tolist() == [False, True, False]  # the same fall from another height


def test_from_fifteen_queries_that_differ_on_the_t_test_is_trusted():
    few, many = (Ratio(estimate(*([0.5] * count + [0.0] * 50)), ONE) for count in (14, 15))
    assert (few.test, few.p) == ("sign-flip test", 2 / 2**14)
    expected = scipy.stats.ttest_1samp(many.numerator.values[0], 0)
    assert (many.test, many.p) == ("paired t-test", pytest.approx(expected.pvalue))


def test_one_query_says_nothing():
    one = Ratio(estimate(0.5), ONE)
    assert (one.p, one.p_above(0.0), one.interval(0.95)) == (1.0, 1.0, (-inf, inf))


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
    assert (gain.p, gain.p_above(0.25), gain.p_above(0.5), gain.p_above(0.75)) == (0, 0, 0.5, 1)


def test_two_way_variance_by_hand():
    """Rows 0, 2 and 2, 8 and 4, 14: effects of seeds −4, 0, 4 and of queries −3, 3, and what is left ∓2, 0, ±2.

    Means of queries 2 and 8: variance 18 / 2 = 9. Means of seeds 1, 5, 9: 16 / 3. Rest: 16 / 2 / 6 = 4 / 3.
    """
    found = Ratio(Estimate(np.array([[0.0, 2.0], [2.0, 8.0], [4.0, 14.0]])), ONE)
    covariance, degrees = found._moments
    assert covariance[0, 0] == pytest.approx(9 + 16 / 3 - 4 / 3)
    assert degrees == pytest.approx(max(13**2 / (81 / 1 + (16 / 3) ** 2 / 2 + (4 / 3) ** 2 / 2), 2))


@pytest.fixture()
def two_way():
    """Rows 1, 2, 6 and 1, 6, 8: 4, effects of seeds ∓1, of queries −3, 0, 3, and what is left ±1, ∓1, 0.

    Means of queries 1, 4, 7: variance 9 / 3. Means of seeds 3, 5: 2 / 2. Rest: 4 / 2 / 6. All: 3 + 2 / 3 = 11 / 3,
    with (11 / 3)² / (3² / 2 + 1² / 1 + (1 / 3)² / 2) = 2.42 degrees of freedom.
    """
    return Ratio(Estimate(np.array([[1.0, 2.0, 6.0], [1.0, 6.0, 8.0]])), ONE)


def test_tests_and_intervals_over_seeds_and_queries_by_hand(two_way):
    covariance, degrees = two_way._moments
    assert (covariance[0, 0], degrees) == pytest.approx((11 / 3, 2.42))
    # printed from 6 queries and one run: 3 (1 + 3 / 6) and (2 / 3) (1 + 2)
    half = scipy.stats.t.ppf(0.975, max(6.5**2 / (4.5**2 / 2 + 3**2 / 1 + 1**2 / 2), 1)) * sqrt(6.5)
    assert two_way.prediction(0.95, 6) == pytest.approx((4 - half, 4 + half))
    assert two_way.p_above(-1.0) == pytest.approx(scipy.stats.t.sf(5 / sqrt(11 / 3), 2.42))
    t = scipy.stats.t.ppf(0.975, 2.42)
    assert two_way.interval(0.95) == pytest.approx((4 - t * sqrt(11 / 3), 4 + t * sqrt(11 / 3)))


def test_a_quotient_by_nothing_has_no_bounds_whatever_the_seeds(two_way):
    nothing = Estimate(np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]))
    assert Ratio(two_way.numerator, nothing).interval(0.95) == (-inf, inf)


def test_seeds_that_differ_less_than_their_rest_explains_have_no_variance():
    """Means of seeds 0 and 0: their variance, 0, less what is left, (1 + 1 + 1 + 1) / 4, would be negative."""
    covariance, _ = Ratio(Estimate(np.array([[1.0, -1.0], [-1.0, 1.0]])), ONE)._moments
    assert covariance[0, 0] == 0


def test_a_share_that_every_seed_and_query_has_keeps_the_degrees_of_the_queries():
    whole = np.array([[1.0, 2.0, 6.0], [3.0, 6.0, 2.0]])
    assert Ratio(Estimate(whole / 2), Estimate(whole))._moments[1] == 2


def test_a_system_without_randomness_is_compared_with_every_seed():
    ours, bm25 = Estimate(np.array([[1.0, 0.0], [0.0, 0.0]])), estimate(0.5, 0.0)
    assert (ours - bm25).values.tolist() == [[0.5, 0.0], [-0.5, 0.0]]
    assert Ratio(bm25, ours).seeds == 2


@pytest.mark.parametrize("seeds, others", [(2, 5), (5, 2)])
def test_seeds_that_only_one_of_two_systems_has_are_left_out(seeds, others):
    one, other = (np.arange(4.0 * count).reshape(count, 4) for count in (seeds, others))
    assert (Estimate(one) - Estimate(2 * other)).values.tolist() == [[0, -1, -2, -3], [-4, -5, -6, -7]]


@pytest.mark.parametrize(
    "seeds, spread, tolerance", [(1, 0.0, 0.02), (3, 0.0, 0.04), (3, 0.005, 0.04), (3, 0.02, 0.03), (5, 0.02, 0.03)]
)
def test_an_interval_of_drops_is_right_as_often_as_it_says(seeds, spread, tolerance):
    """Queries and seeds vary, alone and together. (A bootstrap covers .89 with three seeds at a spread of .02.)"""
    rng, right, runs, queries = np.random.default_rng(0), 0, 500, 300
    truth = -0.05 / (0.5 / 1.3)
    for _ in range(runs):
        base = rng.beta(0.5, 0.8, size=queries)
        original = base + rng.normal(0, spread, size=(seeds, 1)) + rng.normal(0, 0.2, size=(seeds, queries))
        varied = base - 0.05 + rng.normal(0, spread, size=(seeds, 1)) + rng.normal(0, 0.2, size=(seeds, queries))
        low, high = drop_ratio(Estimate(varied), Estimate(original)).interval(0.95)
        right += low <= truth <= high
    assert right / runs == pytest.approx(0.95, abs=tolerance)


def test_drop_by_hand():
    found = drop_ratio(estimate(0.5, 0.0), estimate(1.0, 0.5))
    assert found.value == pytest.approx(-2 / 3) and sqrt(found.queries) == sqrt(2)


def test_a_print_chosen_for_its_significance_is_expected_higher_by_hand():
    """No effect in 400 queries, ±1: a print from as many is above its cut, 1.96 standard errors, in 8.3 % of cases."""
    found = Ratio(estimate(*([1.0, -1.0] * 200)), ONE)
    error = sqrt(400 / 399 / 400)
    share = scipy.stats.t.sf(1.96 / sqrt(2), 399)
    low, high = found.prediction(0.95, 400)
    assert high == pytest.approx(scipy.stats.t.ppf(0.975, 399) * sqrt(2) * error)
    chosen = scipy.stats.t.ppf(1 - 0.025 * share, 399) * sqrt(2) * error
    assert found.prediction(0.95, 400, selected=True) == pytest.approx((low, chosen))
    certain = Ratio(estimate(*([2.0, 0.0] * 200)), ONE)  # an effect of 20 standard errors is always significant
    assert certain.prediction(0.95, 400, selected=True) == pytest.approx(certain.prediction(0.95, 400))
