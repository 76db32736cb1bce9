"""The numbers of the report, worked by hand."""

import numpy as np
import pytest

from robustdr.own.compared import compare, correct


def test_the_smallest_difference_that_a_hundred_queries_show():
    """Half of the queries gain 0.2, half lose it: deviation 0.2 · √(100 / 99); t(0.975) 1.9842, t(0.8) 0.8453."""
    original = np.full((1, 100), 0.5)
    change = compare(original + np.array([0.2, -0.2] * 50), original)
    assert change["detectable"] == pytest.approx((1.9842 + 0.8453) * 0.2 * np.sqrt(100 / 99) / 10, rel=1e-4)


def test_nothing_can_be_said_of_a_single_query():
    assert compare(np.array([[0.5]]), np.array([[0.25]]))["detectable"] is None


def test_a_drop_and_its_size():
    """0.5 becomes 0.4: a difference of −0.1, a fifth of the original; both sides of both intervals lie below 0."""
    original = np.tile([0.4, 0.6], 20)[None, :]
    varied = original - np.tile([0.05, 0.15, 0.05, 0.15], 10)[None, :]
    change = compare(varied, original)
    assert (change["mean"], change["difference"], change["drop"]) == pytest.approx((0.4, -0.1, -0.2))
    assert all(bound < 0 for bound in (*change["difference_interval"], *change["drop_interval"])) and change["p"] < 1e-6


def test_a_rise_is_no_drop():
    original = np.tile([0.4, 0.6], 20)[None, :]
    change = compare(original + np.tile([0.05, 0.15, 0.05, 0.15], 10)[None, :], original)
    assert change["drop"] == pytest.approx(0.2) and change["p"] < 1e-6


def test_a_measure_that_is_nowhere_above_zero_has_no_drop():
    nothing = np.zeros((1, 20))
    change = compare(nothing, nothing)
    assert change["drop"] is None and change["drop_interval"] is None and change["p"] == 1.0


def test_where_no_query_differs_there_is_no_interval_and_nothing_to_correct():
    values = np.array([[0.0, 0.5, 1.0]])
    same = compare(values, values)
    assert (same["differing"], same["drop"], same["difference_interval"], same["drop_interval"]) == (0, 0.0, None, None)
    assert same["detectable"] is None and same["p"] == 1.0
    changed = compare(values - np.array([[0.0, 0.25, 0.5]]), values)
    correct([same, changed])
    assert changed["differing"] == 2 and changed["p_holm"] == changed["p"] and same["p_holm"] == 1.0
