"""What decides a claim: how many queries differ, and with which power; known answers."""

from math import inf, sqrt

import numpy as np
import pytest
import scipy.stats

from claims.judging import judged, verdict
from robustdr.claims.measured import detectable

GOOD, FAIR = [1, 1, 2, 1] * 10, [2, 2, 2, 4] * 10
ALL, FEW_LOST = [1] * 160, [1] * 144 + [2] * 16


def test_evidence_against_a_claim_is_corrected_for_the_number_of_its_effects(store):
    """Seven queries lose: of 2^7 ways to sign them 2 are as extreme, p = 1 / 64. One of four effects needs .03 / 4."""
    nearly, worse = [1] * 36 + [2] * 4, [1] * 29 + [2] * 11
    kinds = ["original", "a", "b", "c", "d"]
    values = store({"rodr": dict.fromkeys(kinds, worse), "dr_oq": dict.fromkeys(kinds, nearly)})
    arguments = {"level": 0.03, "system": "rodr", "over": ["dr_oq"]}
    (effect,) = judged(values, "improves", query_sets=["a"], **arguments).effects
    assert (effect.p, effect.against, effect.there) == (1 / 64, 1 / 64, 1.0)
    assert verdict(values, "improves", query_sets=["a"], **arguments) == "contradicted"
    assert verdict(values, "improves", query_sets=kinds[1:], **arguments) == "inconclusive"


def test_few_queries_that_differ_are_few_for_drops_too(store):
    """Five of 40 queries lose less: of 2⁵ ways to sign them 2 are as extreme. A t-test over all would say p = .03."""
    values = store(
        {
            "rodr": {"original": GOOD, "misspell": [1] * 5 + FAIR[5:]},
            "dr_oq": {"original": GOOD, "misspell": FAIR},
        }
    )
    (effect,) = judged(values, "smaller_drop", 0.05, system="rodr", than=["dr_oq"], query_sets=["misspell"]).effects
    assert (effect.p, effect.verdict) == (2 / 32, "inconclusive")
    (effect,) = judged(values, "smaller_drop", 0.05, system="rodr", than=["rodr"], query_sets=["misspell"]).effects
    assert (effect.p, effect.size) == (1, 0) and effect.low < 0 < effect.high


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (-0.04, scipy.stats.norm.cdf(0.04 * sqrt(159) / 0.15 - scipy.stats.t.ppf(0.975, 159))),
        (-1.0, 1.0),
        (0.04, None),  # a printed effect that is none has no power
        (None, None),
    ],
)
def test_the_power_at_the_printed_size_by_hand(store, printed, expected):
    """.5 of 16 of 160 queries: a standard error of .15 / √159; the test needs t times that."""
    values = store({"base": {"original": ALL, "typo": FEW_LOST}})
    sizes = {} if printed is None else {"typo": printed}
    (effect,) = judged(values, "loses", 0.05, system="base", query_sets=["typo"], printed=sizes).effects
    assert effect.power == (None if expected is None else pytest.approx(expected, abs=2e-3))


def test_the_power_of_a_margin_is_that_of_both_its_sides(store):
    """Differences of 0 ± the error of the above: both bounds are missed with the same probability."""
    ranks = [2] * 16 + [1] * 144
    values = store({"rodr": {"original": FEW_LOST}, "dr_oq": {"original": ranks}})
    arguments = {"system": "rodr", "to": "dr_oq", "query_sets": ["original"], "margin": 0.06}
    (effect,) = judged(values, "equivalence", 0.05, printed={"original, over dr_oq": 0.0}, **arguments).effects
    error = np.std(np.repeat([0.5, -0.5, 0], [16, 16, 128]), ddof=1) / sqrt(160) / 0.95
    one_side = scipy.stats.norm.cdf(0.06 / error - scipy.stats.t.ppf(0.95, 159))
    assert effect.power == pytest.approx(2 * one_side - 1, abs=1e-3) and effect.region == (-0.06, 0.06) != (0.0, inf)


def test_the_smallest_effect_that_could_have_been_shown():
    """At confidence .95 and power .8 it is 1.960 + .842 standard errors; half the interval is 1.960 of them."""
    assert detectable(1.959964 * 0.05) == pytest.approx((1.959964 + 0.841621) * 0.05, rel=1e-5)
    assert detectable(1.9842 * 0.02, degrees=99) == pytest.approx((1.9842 + 0.8453) * 0.02, rel=1e-4)
