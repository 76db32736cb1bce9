"""Rounding intervals, worked by hand."""

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.audit.rounding import change, deviation, mean, median, rounding_interval
from robustdr.claims.intervals import Interval


@pytest.mark.parametrize(
    ("number", "low", "high"),
    [
        ("26.1", 26.05, 26.2),  # half a unit below (rounding), a unit above (truncation)
        ("-19.4", -19.5, -19.35),  # truncation moves towards zero
        ("0.0", -0.1, 0.1),
        ("9.77E-04", 0.0009765, 0.000978),
        ("6980", 6979.5, 6981),
    ],
)
def test_a_printed_number_stands_for_what_rounding_or_truncation_prints_so(number, low, high):
    assert rounding_interval(Decimal(number)) == pytest.approx((low, high))


def test_a_percentage_is_a_hundredth_and_a_count_is_exact():
    assert rounding_interval(Decimal("26.1"), scale=0.01) == pytest.approx((0.2605, 0.262))
    assert rounding_interval(Decimal("6980"), exact=True) == (6980, 6980)


@given(
    st.decimals(-1000, 1000, places=5),
    st.integers(0, 4),
    st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN]),
)
def test_the_interval_holds_every_value_under_every_convention(value, places, rounding):
    low, high = rounding_interval(value.quantize(Decimal(1).scaleb(-places), rounding))
    assert low - 1e-9 <= float(value) <= high + 1e-9


def test_mean_median_and_change():
    parts = [Interval(1, 2), Interval(2, 3), Interval(6, 7)]
    assert mean(parts) == (3, 4)
    assert median(parts) == (2, 3)
    assert median([*parts, Interval(10, 10)]) == (4, 5)  # between the middle two
    # 26.1 against 32.4, each from half a unit below to a unit above: 26.05 / 32.5 - 1 to 26.2 / 32.35 - 1
    assert change(Interval(26.05, 26.2), Interval(32.35, 32.5)) == pytest.approx((-0.198462, -0.190108), abs=1e-6)
    assert change(Interval(1, 2), Interval(-0.1, 0.1)) is None


def test_the_deviation_of_points_is_theirs_and_widths_widen_it():
    points = [Interval(x, x) for x in (2.0, 4.0, 6.0)]
    assert deviation(points) == pytest.approx((2, 2))
    assert deviation(points, population=True) == pytest.approx(((8 / 3) ** 0.5, (8 / 3) ** 0.5))
    # three half-widths of 0.5: √(3 · 0.25 / 2) = 0.612 around 2
    wide = [Interval(x - 0.5, x + 0.5) for x in (2.0, 4.0, 6.0)]
    assert deviation(wide) == pytest.approx((2 - 0.6123724, 2 + 0.6123724))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.1), st.floats(0, 1)), min_size=2, max_size=6))
def test_no_choice_of_values_leaves_the_deviation(parts):
    reachable = deviation([Interval(low, low + width) for low, width, _ in parts])
    chosen = stdev([low + share * width for low, width, share in parts])
    assert reachable.low - 1e-9 <= chosen <= reachable.high + 1e-9
