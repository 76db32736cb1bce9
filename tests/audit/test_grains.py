"""Means over queries that data can give: known answers by hand, and every mean of random data."""

import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustdr.audit.findings import audit
from robustdr.audit.grains import grain, nearest
from robustdr.audit.intervals import Interval, of_printed
from robustdr.errors import UserError


def around(measure, queries, value, relevant=0):
    low, *high = nearest(grain(measure, relevant), queries, Interval(value, value))
    return (low.low, *(end.low for end in high))


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


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(VALUES)), st.integers(1, 300), st.integers(0, 2**32), st.integers(1, 4), st.floats(0, 1))
def test_what_data_give_is_never_impossible(measure, queries, seed, decimals, skew):
    rng = random.Random(seed)
    values = VALUES[measure]
    data = [values[-1] if rng.random() < skew else rng.choice(values) for _ in range(queries)]
    mean = Fraction(sum(data), queries)
    printed = of_printed(Decimal(f"{float(mean):.{decimals}f}"))
    assert any(one.meets(printed) for one in nearest(grain(measure, 3), queries, printed))


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
