"""The numbers of the report, worked by hand."""

import numpy as np
import pytest

from robustdr.own.compared import compare


def test_the_smallest_difference_that_a_hundred_queries_show():
    """Half of the queries gain 0.2, half lose it: deviation 0.2 · √(100 / 99); t(0.975) 1.9842, t(0.8) 0.8453."""
    original = np.full((1, 100), 0.5)
    found = compare(original + np.array([0.2, -0.2] * 50), original)
    assert found["detectable"] == pytest.approx((1.9842 + 0.8453) * 0.2 * np.sqrt(100 / 99) / 10, rel=1e-4)


def test_nothing_can_be_said_of_a_single_query():
    assert compare(np.array([[0.5]]), np.array([[0.25]]))["detectable"] is None


def test_a_drop_and_its_size():
    """0.5 becomes 0.4: a difference of −0.1, a fifth of the original; both sides of both intervals lie below 0."""
    original = np.tile([0.4, 0.6], 20)[None, :]
    varied = original - np.tile([0.05, 0.15, 0.05, 0.15], 10)[None, :]
    found = compare(varied, original)
    assert (found["mean"], found["difference"], found["drop"]) == pytest.approx((0.4, -0.1, -0.2))
    assert all(bound < 0 for bound in (*found["difference_interval"], *found["drop_interval"])) and found["p"] < 1e-6


def test_a_rise_is_no_drop():
    original = np.tile([0.4, 0.6], 20)[None, :]
    found = compare(original + np.tile([0.05, 0.15, 0.05, 0.15], 10)[None, :], original)
    assert found["drop"] == pytest.approx(0.2) and found["p"] < 1e-6


def test_a_measure_that_is_nowhere_above_zero_has_no_drop():
    nothing = np.zeros((1, 20))
    found = compare(nothing, nothing)
    assert found["drop"] is None and found["drop_interval"] is None and found["p"] == 1.0
