"""Means over queries that data can give: known answers by hand, and every mean of random data."""

import random
from decimal import Decimal
from fractions import Fraction
from itertools import combinations_with_replacement
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustdr.audit.audited import audit
from robustdr.audit.grains import deviations, grain, mixture, nearest, rated
from robustdr.audit.rounding import rounding_interval
from robustdr.claims.intervals import Interval
from robustdr.core.errors import UserError


def shown(number):
    return f"{number:.2f}"


def around(measure, queries, value, relevant=0):
    low, *high = nearest(grain(measure, relevant), queries, Interval(value, value))
    return (low.low, *(end.low for end in high))


@pytest.mark.parametrize(
    ("deviation", "allowed"),
    [("0.71", True), ("2.12", True), ("3.54", True), ("1.41", False), ("0.00", False), ("0.69", False)],
)
def test_the_deviations_of_two_whole_numbers_with_mean_2_5(paper, deviation, allowed):
    # they are 2 and 3, 1 and 4, 0 and 5, …: 1/√2, 3/√2, 5/√2
    columns = [{"value": "value", "and": "deviation"}]
    relation = {"for": {"value": "deviation"}, "deviation_over": 2}
    findings = audit(paper(t={"columns": columns, "cells": f"a | 2.5 ± {deviation}", "relations": [relation]})).findings
    assert [finding.severity for finding in findings] == [] if allowed else ["impossible"]


@given(st.lists(st.integers(1, 7), min_size=2, max_size=40), st.integers(1, 3))
def test_whole_numbers_have_possible_deviations(sample, decimals):
    mean, spread = (rounding_interval(Decimal(f"{number:.{decimals}f}")) for number in (fmean(sample), stdev(sample)))
    assert any(spread.meets(possible) for possible in deviations(len(sample), mean, spread))


@pytest.mark.parametrize(("size", "highest"), [(3, 5), (5, 4), (6, 3)])
def test_the_deviations_of_ratings_are_those_of_all_samples(size, highest):
    samples = [*combinations_with_replacement(range(1, highest + 1), size)]
    possible = {(shown(fmean(one)), shown(stdev(one))) for one in samples}
    for total in range(size, size * highest + 1):
        mean = shown(total / size)
        for spread in (shown(number / 100) for number in range(0, 100 * highest)):
            interval = rounding_interval(Decimal(spread))
            found = rated(size, 1, highest, rounding_interval(Decimal(mean)), interval)
            fits = any(interval.low - 1e-9 <= one.low < interval.high - 1e-9 for one in found)
            assert fits or (mean, spread) not in possible


def test_ratings_on_a_short_scale_have_fewer_deviations_than_whole_numbers():
    mean, spread = rounding_interval(Decimal("1.20")), rounding_interval(Decimal("2.50"))
    assert [round(one.low, 3) for one in rated(20, 1, 7, mean, spread)] == [0.894]  # one 5 among ones
    assert 2.4 < deviations(20, mean, spread)[0].low < 2.6
    assert rated(2000, 1, 7, mean, spread) == deviations(2000, mean, spread)


def test_success_is_a_whole_number_of_queries():
    assert around("Success@20", 8, 0.3) == (2 / 8, 3 / 8)
    assert around("Success@20", 8, 0.25) == (0.25,)
    assert around("Success@20", 8, 1.2) == (1.0,)
    assert around("Success@20", 6980, 76.4) == (1.0,)  # a percentage that was declared a fraction


def test_precision_is_a_whole_number_of_ranks():
    assert around("P@10", 5, 0.33) == (16 / 50, 17 / 50)
    assert around("Unjudged@10", 60, 3.66) == (219 / 60, 220 / 60)  # a count: 3.65 and 3.67


def test_recall_counts_relevant_passages_down_to_the_cut_off():
    assert around("R@100", 3, 0.5, relevant=4) == (6 / 12,)
    assert around("R@2", 3, 0.9, relevant=4)[0] == 0.5  # no more than two of four are found
    assert grain("R@100") is None and grain("nDCG@10") is None and grain("RR@100") is None


def around_mixture(depth, relevant, value, runs=1):
    ends = nearest(mixture(f"R@{depth}", relevant), sum(relevant.values()) * runs, Interval(value, value))
    return [round(end.low, 9) for end in ends]


def test_recall_of_queries_with_different_numbers_of_relevant_passages():
    # Two queries with one relevant passage, one with three: sums are 0 to 2 and 0, 1/3, 2/3 or 1, of three queries.
    assert around_mixture(10, {1: 2, 3: 1}, 0.4) == pytest.approx([(1 + 0 / 3) / 3, (1 + 1 / 3) / 3])
    assert around_mixture(10, {1: 2, 3: 1}, 1.2) == [1.0]
    # Down to rank 1 only one of three is found: 0, 1 or 2, and with the third query 1/3, 4/3 or 7/3.
    assert around_mixture(1, {1: 2, 3: 1}, 0.2) == pytest.approx([1 / 9, 1 / 3])
    assert around_mixture(1, {1: 2, 3: 1}, 0.9) == pytest.approx([7 / 9])
    # Two runs: twice as many queries, and the mean of 1/9 and 1/3 is possible too.
    assert around_mixture(1, {1: 2, 3: 1}, 0.2, runs=2) == pytest.approx([1 / 6, 2 / 9])


def test_recall_of_many_queries_excludes_nothing_at_two_decimals_of_a_percentage():
    counts = {1: 6590, 2: 331, 3: 51, 4: 8}
    for printed in ("95.07", "0.01", "99.99", "48.13"):
        interval = rounding_interval(Decimal(printed), scale=0.01)
        assert any(possible.meets(interval) for possible in nearest(mixture("R@1000", counts), 6980, interval))


def test_recall_of_steps_that_are_too_fine_is_no_mixture():
    assert mixture("R@100", {7: 20, 11: 10, 13: 10}) and mixture("R@100", {97: 20, 89: 10, 83: 10, 79: 3}) is None
    assert mixture("P@10", {1: 2}) is None


def test_reciprocal_ranks_leave_gaps_near_0_and_1():
    # Of 43 queries the best that is not perfect has one relevant passage at rank 2: 42.5 / 43 = 0.98837.
    assert around("RR@10", 43, 0.995) == pytest.approx((42.5 / 43, 1.0))
    assert around("RR@10", 43, 0.001) == pytest.approx((0, 0.1 / 43))
    assert around("RR@10", 2, 0.6) == (0.6,)  # (1 + 1/5) / 2
    assert around("RR@2", 2, 0.6) == (0.5, 0.75)


VALUES = {
    "Success@5": [0, 1],
    "P@5": [Fraction(i, 5) for i in range(6)],
    "RR@10": [0, *(Fraction(1, i) for i in range(1, 11))],
    "R@5": [Fraction(i, 3) for i in range(4)],
}


@settings(max_examples=200)
@given(st.sampled_from(sorted(VALUES)), st.integers(1, 300), st.integers(0, 2**32), st.integers(1, 4), st.floats(0, 1))
def test_what_data_give_is_never_impossible(measure, queries, seed, decimals, skew):
    rng = random.Random(seed)
    values = VALUES[measure]
    data = [values[-1] if rng.random() < skew else rng.choice(values) for _ in range(queries)]
    mean = Fraction(sum(data), queries)
    printed = rounding_interval(Decimal(f"{float(mean):.{decimals}f}"))
    assert any(possible.meets(printed) for possible in nearest(grain(measure, 3), queries, printed))


@settings(max_examples=200)
@given(
    st.dictionaries(st.integers(1, 6), st.integers(1, 30), min_size=1, max_size=3),
    st.integers(1, 8),
    st.integers(0, 2**32),
    st.integers(1, 4),
)
def test_recall_that_data_give_is_never_impossible(relevant, depth, seed, decimals):
    rng = random.Random(seed)
    queries = [number for number, count in relevant.items() for _ in range(count)]
    mean = sum(Fraction(rng.randint(0, min(depth, number)), number) for number in queries) / len(queries)
    printed = rounding_interval(Decimal(f"{float(mean):.{decimals}f}"))
    assert any(possible.meets(printed) for possible in nearest(mixture(f"R@{depth}", relevant), len(queries), printed))


def test_a_value_that_no_data_give_is_impossible(paper):
    def table(cells, **options):
        relation = {"for": {"query_set": "*"}, "mean_over": 43, **options}
        return {"columns": [{"measure": "Success@20"}], "cells": cells, "unit": "fraction", "relations": [relation]}

    done = audit(paper(t=table("a | 0.884\nb | 0.893")))  # 38/43 = 0.8837, 39/43 = 0.9070
    [finding] = done.findings
    assert (finding.id, finding.severity) == ("t/mean_over/b · Success@20", "impossible")
    assert finding.flaws[0].consistent == "0.8837 or 0.9070"
    assert not audit(paper(t=table("b | 0.893", runs=5))).findings  # 192/215 = 0.8930
    assert not audit(paper(t=table("b | over 0.893"))).findings


def test_a_measure_without_a_grain_is_refused(paper):
    relation = {"for": {"query_set": "*"}, "mean_over": 43}
    table = {"columns": [{"measure": "nDCG@10"}], "cells": "a | 0.884", "relations": [relation]}
    with pytest.raises(UserError, match=r"mean_over of nDCG@10 at t .*; allowed: Success@k, P@k"):
        audit(paper(t=table))


def test_recall_of_declared_numbers_of_relevant_passages(paper):
    # Of 60 queries ten have two relevant passages: steps of 1/120, and 40.3 % lies between 48/120 and 49/120.
    def done(cells, relevant=None, queries=60):
        relation = {"for": {"query_set": "*"}, "mean_over": queries, "relevant": relevant or {1: 50, 2: 10}}
        table = {"columns": [{"measure": "R@100"}], "cells": cells, "unit": "percent", "relations": [relation]}
        return audit(paper(t=table))

    [finding] = done("a | 40.0\nb | 40.3\nc | 40.8").findings
    assert (finding.id, finding.severity) == ("t/mean_over/b · R@100", "impossible")
    assert finding.flaws[0].consistent == "40.00 or 40.83"
    with pytest.raises(UserError, match=r"relevant counts 60 queries; mean_over is 61"):
        done("a | 40.0", queries=61)
    with pytest.raises(UserError, match=r"mean_over of R@100 .*; allowed: R@k of up to 10,000,000 possible means"):
        done("a | 40.0", {97: 20, 89: 20, 83: 10, 79: 10})
    with pytest.raises(UserError, match=r"reported.yaml:\d+: .*relevant"):
        done("a | 40.0", {0: 60})
