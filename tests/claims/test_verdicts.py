"""The verdict on an effect, case by case, and on a claim of several."""

from itertools import product
from math import inf

import pytest

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval
from robustdr.claims.verdicts import (
    NEGLIGIBLE,
    OPPOSITE,
    SHOWN,
    VERDICTS,
    WORST_FIRST,
    confidence,
    outside,
    overall,
    planned,
    verdict,
    worst,
)

PRINTED = Interval(0.19, 0.21)
WITHIN, AT_LEAST, AT_MOST = Interval(-0.02, 0.02), Interval(-0.02, inf), Interval(-inf, 0.02)
ANYWHERE = Interval(-inf, inf)


@pytest.mark.parametrize(
    ("interval", "printed", "predicted", "direction", "size"),
    [
        ((0.10, 0.30), PRINTED, (0.05, 0.35), "seen", "as printed"),
        ((0.05, 0.15), PRINTED, (0.02, 0.19), "seen", "as printed"),  # .19 can be printed so
        ((0.05, 0.15), PRINTED, (0.02, 0.18), "seen", "smaller"),
        ((0.25, 0.35), PRINTED, (0.22, 0.38), "seen", "larger"),
        ((0.25, 0.35), PRINTED, (0.21, 0.38), "seen", "as printed"),
        ((0.05, 0.15), None, None, "seen", "seen"),
        ((-0.05, 0.15), PRINTED, (-0.1, 0.18), "not seen", "undecided"),
        ((0.0, 0.15), PRINTED, (-0.1, 0.18), "not seen", "undecided"),  # none is included
        ((-0.05, 0.15), PRINTED, (-0.1, 0.2), "undecided", "undecided"),
        ((-0.01, 0.019), PRINTED, (-0.1, 0.18), "not seen", "absent"),
        ((-0.01, 0.019), PRINTED, (-0.1, 0.2), "undecided", "undecided"),  # as printed may be as here
        ((-0.01, 0.021), PRINTED, (-0.1, 0.18), "not seen", "undecided"),
        ((-0.05, 0.15), None, None, "undecided", "undecided"),
        ((-0.05, 0.15), Interval(-0.2, -0.1), (-0.1, 0.18), "undecided", "undecided"),  # the paper contradicts itself
        ((0.05, 0.15), Interval(-0.01, 0.3), (0.4, 0.5), "seen", "seen"),  # what is printed may be none
        ((-0.15, -0.05), PRINTED, (-0.2, 0.0), "opposite", "opposite"),
        ((-inf, inf), PRINTED, (-inf, inf), "undecided", "undecided"),
    ],
)
def test_the_verdict_on_a_direction_and_on_a_size(interval, printed, predicted, direction, size):
    predicted = Interval(*predicted) if predicted else None
    assert verdict(Interval(*interval), ABOVE, printed, predicted) == direction
    assert verdict(Interval(*interval), ABOVE, printed, predicted, sized=True) == size


@pytest.mark.parametrize(
    ("interval", "region", "expected"),
    [
        ((-0.01, 0.01), WITHIN, "seen"),
        ((-0.01, 0.03), WITHIN, "undecided"),
        ((0.03, 0.04), WITHIN, "not seen"),  # better is no opposite, but not similar
        ((0.01, 0.04), WITHIN, "undecided"),
        ((-0.04, -0.03), WITHIN, "opposite"),
        ((-0.01, 0.30), AT_LEAST, "seen"),
        ((0.10, 0.30), AT_LEAST, "seen"),  # better is not worse
        ((-0.03, 0.30), AT_LEAST, "undecided"),
        ((-0.04, -0.03), AT_LEAST, "opposite"),
        ((-0.04, 0.01), AT_MOST, "seen"),
        ((0.03, 0.04), AT_MOST, "opposite"),
    ],
)
@pytest.mark.parametrize("sized", [True, False])
def test_a_margin_is_the_claims_own_and_what_is_printed_plays_no_part(interval, region, expected, sized):
    assert verdict(Interval(*interval), Interval(*region), PRINTED, ANYWHERE, sized) == expected


def test_an_effect_has_one_verdict_wherever_its_intervals_lie():
    """All intervals over a grid: what is seen or opposite excludes none, and nothing else does."""
    ends = [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    intervals = [Interval(low, high) for low, high in product(ends, ends) if low <= high]
    for interval, predicted, sized in product(intervals, intervals, (True, False)):
        found = verdict(interval, ABOVE, PRINTED, predicted, sized)
        assert (found in SHOWN) == (interval.low > 0) and (found == OPPOSITE) == (interval.high < 0)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["seen", "seen"], "seen"),
        (["as printed", "smaller"], "smaller"),
        (["as printed", "larger", "smaller"], "smaller"),
        (["as printed", "larger"], "larger"),
        (["seen", "undecided"], "partly"),
        (["seen", "opposite"], "partly"),
        (["undecided", "not seen"], "not seen"),
        (["absent", "undecided"], "absent"),
        (["not seen", "opposite"], "opposite"),
        ([], "undecided"),
    ],
)
def test_a_claim_is_as_good_as_its_worst_effect_but_for_those_that_are_there(verdicts, expected):
    assert overall(verdicts) == overall(list(reversed(verdicts))) == expected


def test_one_opposite_effect_refutes_a_superlative():
    assert overall(["seen", "opposite"], superlative=True) == "opposite"
    assert overall(["seen", "undecided"], superlative=True) == "partly"


def test_every_verdict_is_explained():
    assert set(WORST_FIRST) < set(VERDICTS) and f"{NEGLIGIBLE:.0%}" in VERDICTS["absent"]


@pytest.mark.parametrize(
    ("interval", "region", "expected"),
    [((0.1, 0.2), ABOVE, ""), ((-0.2, -0.1), ABOVE, "fails"), ((0.03, 0.04), WITHIN, "absent")],
)
def test_as_printed_what_has_no_value_in_its_region_fails(interval, region, expected):
    assert outside(Interval(*interval), region) == expected


def test_a_claim_as_printed_is_as_good_as_its_worst_effect():
    assert worst(["holds", "inconclusive"]) == "inconclusive" and worst(["fails", "holds", "absent"]) == "fails"
    assert worst([]) == "inconclusive"


def test_a_margin_is_two_one_sided_tests():
    assert confidence(ABOVE, 0.05) == 0.95
    assert confidence(WITHIN, 0.05) == confidence(AT_LEAST, 0.05) == 0.9


def test_planned_queries_by_hand():
    """m = .5: differences vary by 2 (1 − .8) .25 = .1; the margin is .01; z of .95 and of .9 (both sides) or .8."""
    assert planned(WITHIN, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 1.2816) / 0.01) ** 2, rel=1e-3)
    assert planned(ABOVE, 0.5, 0.05) is planned(Interval(0.1, 0.2), 0.5, 0.05) is None
    assert planned(AT_LEAST, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 0.8416) / 0.01) ** 2, rel=1e-3)
