"""Intervals and their arithmetic, worked by hand."""

from robustdr.claims.intervals import Interval


def test_magnitude():
    assert Interval(-3, -2).magnitude() == (2, 3)
    assert Interval(-1, 2).magnitude() == (0, 2)
    assert Interval(-1, 2).scaled(-2) == (-4, 2)
