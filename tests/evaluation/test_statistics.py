"""Tests, corrections, intervals and drops, worked by hand and against SciPy."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from robustdr.evaluation.statistics import confidence_interval, drop, holm, paired_t_test

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=40)


def test_paired_t_test_by_hand():
    # Differences 1, 1, 2, 2: mean 3/2, deviation √(1/3), t = 3/2 / (√(1/3) / √4) = 3√3 on three degrees of freedom,
    # where the distribution function is 1/2 + (u / (1 + u²) + arctan u) / π with u = t / √3 = 3.
    comparison = paired_t_test(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.0, 1.0, 2.0]))
    assert comparison.difference == 1.5
    assert comparison.t == pytest.approx(3 * math.sqrt(3))
    assert comparison.p == pytest.approx(1 - 2 / math.pi * (0.3 + math.atan(3)))


@given(VALUES)
def test_paired_t_test_is_the_one_sample_test_of_the_differences(pairs):
    a, b = np.array(pairs).T
    comparison = paired_t_test(a, b)
    if np.ptp(a - b) < 1e-6:
        return
    t, p = scipy.stats.ttest_1samp(a - b, 0)
    assert (comparison.t, comparison.p) == (pytest.approx(t, rel=1e-6), pytest.approx(p, rel=1e-6))
    swapped = paired_t_test(b, a)
    assert (swapped.difference, swapped.p) == (pytest.approx(-comparison.difference), pytest.approx(comparison.p))


def test_equal_values_are_no_difference():
    comparison = paired_t_test(np.array([0.5, 1.0]), np.array([0.5, 1.0]))
    assert (comparison.difference, comparison.t, comparison.p) == (0.0, 0.0, 1.0)


def test_holm_by_hand():
    # In order: .005 · 4 = .02, .01 · 3 = .03, .03 · 2 = .06, and .04 · 1 is raised to the .06 before it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values):
    level = 0.05
    rejected: set[int] = set()
    for step, position in enumerate(np.argsort(p_values, kind="stable").tolist()):
        if p_values[position] * (len(p_values) - step) >= level:
            break
        rejected.add(position)
    corrected = holm(p_values)
    assert {position for position, p in enumerate(corrected) if p < level} == rejected
    assert all(p <= after <= 1 for p, after in zip(p_values, corrected, strict=True))


def test_drop_by_hand():
    assert drop(0.15, 0.3) == pytest.approx(-0.5)
    assert drop(0.33, 0.3) == pytest.approx(0.1)
    assert drop(0.1, 0.0) is None


def test_confidence_interval_by_hand():
    # Deviation √(5/3) over √4, times 3.182446, the 97.5 % point of t on three degrees of freedom.
    assert confidence_interval(np.array([1.0, 2.0, 3.0, 4.0])) == pytest.approx(
        math.sqrt(5 / 3) / 2 * 3.182446, rel=1e-6
    )
    # Deviation √2 over √2, times 12.7062: two values are one degree of freedom.
    assert confidence_interval(np.array([1.0, 3.0])) == pytest.approx(12.706205, rel=1e-6)
    assert confidence_interval(np.array([0.7])) == 0.0
    assert confidence_interval(np.array([0.7, 0.7])) == 0.0


def test_confidence_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(4000, 12))
    covered = [abs(sample.mean()) <= confidence_interval(sample) for sample in samples]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)
