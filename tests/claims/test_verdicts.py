"""The words of verdicts: on an effect's size, and on a claim of several effects."""

from math import inf

import pytest

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval
from robustdr.claims.verdicts import (
    NEGLIGIBLE,
    SAID,
    SIZES,
    VERDICTS,
    WORST_FIRST,
    confidence,
    overall,
    planned,
    size_of,
    tally,
)

PRINTED = Interval(0.19, 0.21)
WITHIN, AT_LEAST = Interval(-0.02, 0.02), Interval(-0.02, inf)


@pytest.mark.parametrize(
    ("interval", "predicted", "size"),
    [
        ((0.10, 0.30), (0.05, 0.35), "as printed"),
        ((0.05, 0.15), (0.02, 0.19), "as printed"),  # .19 can be printed so
        ((0.05, 0.15), (0.02, 0.18), "smaller"),
        ((0.25, 0.35), (0.22, 0.38), "larger"),
        ((0.25, 0.35), (0.21, 0.38), "as printed"),
        ((0.0, 0.15), (-0.1, 0.18), ""),  # none is included
        ((-0.01, 0.019), (-0.1, 0.18), "absent"),
        ((-0.01, 0.019), (-0.1, 0.2), ""),  # as printed may be as here
        ((-0.01, 0.021), (-0.1, 0.18), ""),
        ((-0.15, -0.05), (-0.2, 0.0), ""),  # the other way
    ],
)
def test_how_a_size_compares_with_the_printed_one(interval, predicted, size):
    assert size_of(Interval(*interval), PRINTED, Interval(*predicted)) == size


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "inconclusive"], "partly"),
        (["supported", "contradicted"], "partly"),
        (["contradicted", "inconclusive"], "contradicted"),
        (["inconclusive", "inconclusive"], "inconclusive"),
        (["partly", "contradicted"], "partly"),
        ([], "inconclusive"),
    ],
)
def test_a_claim_is_supported_if_all_effects_are_and_partly_if_some_are(verdicts, expected):
    assert overall(verdicts) == overall(list(reversed(verdicts))) == expected


def test_one_opposite_effect_contradicts_a_superlative():
    assert overall(["supported", "contradicted"], superlative=True) == "contradicted"
    assert overall(["supported", "inconclusive"], superlative=True) == "partly"


def test_effects_are_counted_by_verdict():
    of = ["supported"] * 6 + ["contradicted", "inconclusive"]
    assert tally(of) == "6 supported, 1 open, 1 against, of 8"


def test_every_verdict_is_explained():
    assert set(WORST_FIRST) < set(VERDICTS) and set(WORST_FIRST) < set(SAID)
    assert f"{NEGLIGIBLE:.0%}" in SIZES["absent"]


def test_a_margin_is_two_one_sided_tests():
    assert confidence(ABOVE, 0.05) == 0.95
    assert confidence(WITHIN, 0.05) == confidence(AT_LEAST, 0.05) == 0.9


def test_planned_queries_by_hand():
    """m = .5: differences vary by 2 (1 − .8) .25 = .1; the margin is .01; z of .95 and of .9 (both sides) or .8."""
    assert planned(WITHIN, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 1.2816) / 0.01) ** 2, rel=1e-3)
    assert planned(ABOVE, 0.5, 0.05) is planned(Interval(0.1, 0.2), 0.5, 0.05) is None
    assert planned(AT_LEAST, 0.5, 0.05) == pytest.approx(0.1 * ((1.6449 + 0.8416) / 0.01) ** 2, rel=1e-3)
