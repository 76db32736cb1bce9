"""One comparison in two settings, by hand."""

import math

import pytest
from scipy.stats import norm

from robustdr.claims.measured import difference


def test_equal_intervals_give_the_interval_of_a_difference_of_means():
    compared = difference(0.10, (0.06, 0.14), 0.20, (0.17, 0.23))
    half = math.hypot(0.04, 0.03)  # 0.05
    assert compared[:3] == pytest.approx((0.10, 0.10 - half, 0.10 + half))
    assert compared.p == pytest.approx(2 * norm.sf(1.959964 * 2), rel=1e-5)  # twice as far as an interval reaches


def test_a_lopsided_interval_counts_by_its_end_that_faces_the_other():
    # From 0.2 down to 0 the second interval is long, the first is short upward: sqrt(0.2² + 0.01²).
    compared = difference(0.0, (-0.5, 0.01), 0.2, (0.0, 0.21))
    assert compared.low == pytest.approx(0.2 - math.hypot(0.2, 0.01)) and compared.low < 0 and compared.p > 0.05
    mirrored = difference(0.2, (0.0, 0.21), 0.0, (-0.5, 0.01))
    assert mirrored == pytest.approx((-compared.size, -compared.high, -compared.low, compared.p))


def test_p_is_5_percent_where_the_interval_ends_at_0():
    assert difference(0.0, (-0.03, 0.03), 0.05, (0.01, 0.09)).p == pytest.approx(0.05)


def test_equal_sizes_do_not_differ_and_exact_ones_do():
    assert difference(0.1, (0.1, 0.1), 0.1, (0.1, 0.1)).p == 1
    assert difference(0.1, (0.0, 0.2), 0.1, (0.0, 0.2)).p == 1
    assert difference(0.1, (0.1, 0.1), 0.2, (0.2, 0.2)).p == 0
