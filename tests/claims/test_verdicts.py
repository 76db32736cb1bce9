"""The verdict on an effect, case by case, and on a claim of several."""

from itertools import product
from math import inf

import pytest

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval
from robustdr.claims.verdicts import VERDICTS, WORST_FIRST, confidence, planned, verdict, worst

PRINTED = Interval(0.19, 0.21)
WITHIN, AT_LEAST, AT_MOST = Interval(-0.02, 0.02), Interval(-0.02, inf), Interval(-inf, 0.02)


@pytest.mark.parametrize(
    ("interval", "region", "printed", "expected"),
    [
        # any effect above none
        ((0.10, 0.30), ABOVE, PRINTED, "holds"),
        ((0.25, 0.30), ABOVE, PRINTED, "holds"),  # more than printed is no less
        ((0.05, 0.19), ABOVE, PRINTED, "holds"),  # .19 can be printed so
        ((0.05, 0.18), ABOVE, PRINTED, "smaller"),
        ((-0.05, 0.18), ABOVE, PRINTED, "absent"),
        ((0.0, 0.18), ABOVE, PRINTED, "absent"),  # none is included
        ((-0.05, 0.20), ABOVE, PRINTED, "inconclusive"),
        ((-0.30, -0.10), ABOVE, PRINTED, "fails"),
        ((0.05, 0.18), ABOVE, None, "holds"),
        ((-0.05, 0.18), ABOVE, None, "inconclusive"),
        ((-0.05, 0.18), ABOVE, Interval(-0.2, -0.1), "inconclusive"),  # the paper itself prints the other direction
        ((0.05, 0.18), ABOVE, Interval(-0.01, 0.3), "holds"),  # what is printed may be none
        ((-inf, inf), ABOVE, PRINTED, "inconclusive"),
        # inside a margin
        ((-0.01, 0.01), WITHIN, None, "holds"),
        ((-0.01, 0.03), WITHIN, None, "inconclusive"),
        ((0.03, 0.04), WITHIN, None, "absent"),  # better is no failure, but not similar
        ((0.01, 0.04), WITHIN, None, "inconclusive"),
        ((0.13, 0.14), Interval(0.08, 0.12), None, "fails"),  # a stated size has no better side
        ((-0.04, -0.03), WITHIN, None, "fails"),
        # not worse
        ((-0.01, 0.30), AT_LEAST, None, "holds"),
        ((0.10, 0.30), AT_LEAST, None, "holds"),  # better is not worse
        ((-0.03, 0.30), AT_LEAST, None, "inconclusive"),
        ((-0.04, -0.03), AT_LEAST, None, "fails"),
        ((-0.04, 0.01), AT_MOST, None, "holds"),
        ((0.03, 0.04), AT_MOST, None, "fails"),
        ((-0.01, 0.01), WITHIN, PRINTED, "holds"),  # what is printed plays no part
    ],
)
def test_the_verdict_on_an_effect(interval, region, printed, expected):
    assert verdict(Interval(*interval), Interval(*interval), region, printed) == expected


def test_an_effect_has_one_verdict_wherever_its_interval_lies():
    """All intervals over a grid: one table row each, by what they exclude."""
    ends = [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3]
    for low, high in ((low, high) for low, high in product(ends, ends) if low <= high):
        found = verdict(Interval(low, high), Interval(low, high), ABOVE, PRINTED)
        excludes_none, excludes_printed = low > 0 or high < 0, high < PRINTED.low
        if high < 0:
            assert found == "fails"
        elif excludes_none:
            assert found == ("smaller" if excludes_printed else "holds")
        else:
            assert found == ("absent" if excludes_printed else "inconclusive")


def test_what_speaks_against_a_claim_is_corrected_and_what_speaks_for_it_need_not_be():
    interval, corrected = Interval(0.05, 0.18), Interval(-0.02, 0.25)
    assert verdict(interval, corrected, ABOVE, PRINTED) == "holds"
    assert verdict(Interval(-0.18, -0.05), Interval(-0.25, 0.02), ABOVE, PRINTED) == "absent"  # it is not there either
    assert verdict(Interval(-0.18, -0.05), Interval(-0.25, 0.02), ABOVE) == "inconclusive"
    assert verdict(Interval(-0.05, 0.18), Interval(-0.10, 0.25), ABOVE, PRINTED) == "inconclusive"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "smaller"], "smaller"),
        (["smaller", "inconclusive"], "inconclusive"),
        (["inconclusive", "absent"], "absent"),
        (["absent", "fails", "holds"], "fails"),
        ([], "inconclusive"),
    ],
)
def test_a_claim_is_as_good_as_its_worst_effect(verdicts, expected):
    assert worst(verdicts) == expected
    assert worst(reversed(verdicts)) == expected


def test_every_verdict_is_explained():
    assert set(WORST_FIRST) < set(VERDICTS)


def test_a_margin_is_two_one_sided_tests():
    assert confidence(ABOVE, 0.05) == 0.95
    assert confidence(WITHIN, 0.05) == confidence(AT_LEAST, 0.05) == 0.9


def test_planned_queries_by_hand():
    """m = .5: differences vary by 2 (1 − .8) .25 = .1; the margin is .01; z of .95 and of .9 (both sides) or .8."""
    assert planned(WITHIN, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 1.2816) / 0.01) ** 2, rel=1e-3)
    assert planned(ABOVE, 0.5, 0.05) is planned(Interval(0.1, 0.2), 0.5, 0.05) is None
    assert planned(AT_LEAST, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 0.8416) / 0.01) ** 2, rel=1e-3)
