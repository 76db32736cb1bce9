"""The axis of a forest plot, by hand."""

import pytest
from tests.reporting.small_site import CLAIMS, EFFECT

from robustdr.reporting.forest import Axis


def test_the_axis_holds_zero_all_intervals_and_what_is_printed():
    # From the interval's end, -.35, to 0; a margin of 5 % of that on both sides.
    axis = Axis.from_effects(CLAIMS["claims"][0]["effects"])
    assert axis == (pytest.approx(-0.35 - 0.0175), pytest.approx(0.0175))
    assert Axis.from_effects([]) == (-0.05, 0.05)
    assert Axis.from_effects([{**EFFECT, "low": None}]).low == axis.low  # an infinite end has no place


def test_places_are_percents_and_what_lies_outside_is_at_an_end():
    axis = Axis(-0.1, 0.3)
    assert [axis.position(value) for value in (-0.1, 0.0, 0.1, 0.3)] == [0, 25, 50, 100]
    assert axis.position(0.5) == 100 and axis.outside(0.5) and axis.position(-1) == 0 and not axis.outside(0.3)
    assert axis.position(None) == 0 and axis.position(None, 100) == 100 and not axis.outside(None)
    assert axis.ticks == [-0.1, 0.0, 0.1, 0.2, 0.3]


def test_one_far_effect_does_not_press_the_others_together():
    bare = {**EFFECT, "printed": None}
    small_effects = [
        {**bare, "size": percent / 100, "low": percent / 100, "high": percent / 100} for percent in range(50)
    ]
    large_effect = {**bare, "size": 9.0, "low": 9.0, "high": 9.0}
    assert (
        Axis.from_effects([*small_effects, large_effect]).high > 9
        and Axis.from_effects([*small_effects, large_effect], 0.9).high < 0.6
    )
