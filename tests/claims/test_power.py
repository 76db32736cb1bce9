"""What decides a claim: how many queries, at which confidence, and how many of them differ; known answers."""

from math import ceil, sqrt

import pytest
import scipy.stats

from claims.judging import judged, verdict
from robustdr.claims.intervals import Interval
from robustdr.claims.measured import detectable

GOOD, FAIR, BETTER = [1, 1, 2, 1] * 10, [2, 2, 2, 4] * 10, [1] * 40
GAINS = [1] * 26 + [2] * 14  # against 10 · 1, 20 · 2, 10 · 1: 16 queries gain .5 and 10 lose it


@pytest.mark.parametrize(
    ("printed", "needed"),
    [(None, 130), (0.15, 130), (0.25, 58)],  # .1 from none and .05 from .15, but .15 from .25
)
def test_the_queries_that_would_decide_clear_the_farther_of_none_and_the_printed_effect(store, printed, needed):
    """A gain of .075 of .75, e = .1: 16 queries gain .5 and 10 lose it, most of the former at a base of .5.

    Gain less .1 of the base has the variance (6.5 / 40 − .075² + .2 · .08125 + .01 · .0625) 40 / 39 = .1782, of .75²
    .3168; times 2.0227², over .1²: 129.6; over .15²: 57.6. To exclude either is to decide.
    """
    values = store({"rodr": {"original": GAINS}, "dr_oq": {"original": [1] * 10 + [2] * 20 + [1] * 10}})
    sizes = {} if printed is None else {"original, over dr_oq": printed}
    arguments = {"system": "rodr", "over": ["dr_oq"], "query_sets": ["original"], "printed": sizes}
    (effect,) = judged(values, "improves", 0.05, **arguments).effects
    assert (effect.size, effect.verdict, effect.needed) == (pytest.approx(0.1), "inconclusive", needed)


def test_what_would_decide_against_a_claim_is_counted_with_the_corrected_confidence(store):
    """20 of 40 queries gain .5 and 13 lose it, or the other way: .0875 of a base that is 1 throughout."""
    up, down = [1] * 20 + [2] * 13 + [1] * 7, [2] * 20 + [1] * 13 + [1] * 7
    values = store({"up": {"a": up, "b": up}, "down": {"original": BETTER, "a": down, "b": down}})
    found = judged(values, "improves", 0.05, system="up", over=["down"], query_sets=["a", "b"])
    variance = (33 * 0.25 / 40 - 0.0875**2) * 40 / 39
    for effect in found.effects:
        needed = variance * (scipy.stats.t.ppf(0.975, 39) / 0.0875) ** 2  # to hold it must clear none, uncorrected
        assert (effect.size, effect.needed) == (pytest.approx(0.0875), ceil(needed))
    values = store({"up": {"original": BETTER, "a": up, "b": up}, "down": {"a": down, "b": down}})
    found = judged(values, "improves", 0.05, system="down", over=["up"], query_sets=["a", "b"])
    for effect in found.effects:
        needed = variance * (scipy.stats.t.ppf(0.9875, 39) / 0.0875) ** 2  # to fail, with half of the level
        assert (effect.size, effect.needed) == (pytest.approx(-0.0875), ceil(needed))


def test_no_number_of_queries_decides_where_the_estimate_lies_on_the_bound(store):
    values = store({"rodr": {"original": [1, 2] * 20}, "dr_oq": {"original": [2, 1] * 20}})
    found = judged(values, "improves", system="rodr", over=["dr_oq"], query_sets=["original"])
    assert (found.verdict, found.effects[0].size, found.effects[0].needed) == ("inconclusive", 0, None)


def test_evidence_against_a_claim_is_corrected_for_the_number_of_its_effects(store):
    """Seven queries lose: of 2^7 ways to sign them 2 are as extreme, p = 1 / 64. One of four effects needs .03 / 4."""
    nearly, worse = [1] * 36 + [2] * 4, [1] * 29 + [2] * 11
    kinds = ["original", "a", "b", "c", "d"]
    values = store({"rodr": dict.fromkeys(kinds, worse), "dr_oq": dict.fromkeys(kinds, nearly)})
    arguments = {"level": 0.03, "system": "rodr", "over": ["dr_oq"]}
    (effect,) = judged(values, "improves", query_sets=["a"], **arguments).effects
    assert (effect.p, effect.test) == (1 / 64, "sign-flip test")
    assert verdict(values, "improves", query_sets=["a"], **arguments) == "fails"
    assert verdict(values, "improves", query_sets=kinds[1:], **arguments) == "inconclusive"


def test_a_margin_that_few_queries_cannot_decide_has_no_power(store):
    """A loss of .5 for 2 of 40 queries is 2.9 % of .875, give or take 3 %: 15 differ of 300."""
    ours = [2, 2, *GOOD[2:]]
    values = store({"rodr": {"original": ours}, "dr_oq": {"original": GOOD}})
    arguments = {"system": "rodr", "than": "dr_oq", "query_sets": ["original"], "level": 0.05}
    found = judged(values, "not_worse", margin=0.02, **arguments)
    assert (found.verdict, found.effects[0].needed) == ("no power", 300)
    assert verdict(values, "not_worse", margin=0.5, **arguments) == "holds"


def test_power_is_that_of_the_measured_variance(store):
    """10 of 40 queries gain .5 and 10 lose it: a variance of 20 · .25 / 39 of a base of .75, and an effect of 0.

    Two equal systems come inside 10 % with probability .8 where √(variance / n) / .75 · (1.6849 + .8416) is .1.
    """
    values = store({"rodr": {"original": [1, 2] * 10 + [2, 1] * 10}, "dr_oq": {"original": [1, 2] * 20}})
    arguments = {"system": "rodr", "than": "dr_oq", "query_sets": ["original"], "level": 0.05}
    (effect,) = judged(values, "not_worse", margin=0.1, **arguments).effects
    expected = 20 * 0.25 / 39 / 0.75**2 * ((scipy.stats.t.ppf(0.95, 39) + 0.8416) / 0.1) ** 2
    assert (effect.size, effect.verdict, effect.needed) == (0, "no power", ceil(expected))
    assert verdict(values, "not_worse", margin=0.25, **arguments) == "holds"


def test_the_power_of_a_stated_size_is_that_to_find_it(store):
    """As above, claimed to rise by 5 % give or take 10 %: the middle of −5 % to 15 % is .1 from both ends."""
    values = store({"rodr": {"original": [1, 2] * 20, "misspell": [1, 2] * 10 + [2, 1] * 10}})
    arguments = {"system": "rodr", "query_sets": ["misspell"], "level": 0.05, "margin": 0.1}
    (effect,) = judged(values, "rises", said=Interval(0.05, 0.05), **arguments).effects
    expected = 20 * 0.25 / 39 / 0.75**2 * ((scipy.stats.t.ppf(0.95, 39) + 1.2816) / 0.1) ** 2
    assert (effect.verdict, effect.needed) == ("no power", ceil(expected))


def test_what_had_power_and_is_undecided_is_inconclusive(store):
    """20 of 40 queries lose .5, a quarter: just inside a margin that two equal systems would come inside of."""
    values = store({"rodr": {"original": [2] * 20 + [1] * 20}, "dr_oq": {"original": [1] * 40}})
    arguments = {"system": "rodr", "than": "dr_oq", "query_sets": ["original"], "level": 0.05}
    (effect,) = judged(values, "not_worse", margin=0.26, **arguments).effects
    assert effect.verdict == "inconclusive" and effect.needed > 40
    # .01 from the margin, with a deviation of .25 · √(40 / 39)
    assert effect.needed == ceil((0.25 * sqrt(40 / 39) * scipy.stats.t.ppf(0.95, 39) / 0.01) ** 2)


def test_the_corrected_interval_is_kept_where_several_effects_are_tested(store):
    values = store(
        {"rodr": {"original": GOOD, "a": GOOD, "b": GOOD}, "dr_oq": {"original": FAIR, "a": FAIR, "b": FAIR}}
    )
    arguments = {"level": 0.06, "system": "rodr", "over": ["dr_oq"]}
    effects = judged(values, "improves", query_sets=["original", "a", "b"], **arguments).effects
    (alone,) = judged(values, "improves", query_sets=["a"], **{**arguments, "level": 0.02}).effects
    assert [effect.corrected for effect in effects] == [pytest.approx((alone.low, alone.high))] * 3
    assert alone.corrected is None and effects[0].corrected[0] < effects[0].low


def test_few_queries_that_differ_are_few_for_drops_too(store):
    """Five of 40 queries lose less: of 2⁵ ways to sign them 2 are as extreme. A t-test over all would say p = .03."""
    values = store(
        {
            "rodr": {"original": GOOD, "misspell": [1] * 5 + FAIR[5:]},
            "dr_oq": {"original": GOOD, "misspell": FAIR},
        }
    )
    (effect,) = judged(values, "smaller_drop", 0.05, system="rodr", than=["dr_oq"], query_sets=["misspell"]).effects
    assert (effect.p, effect.test, effect.verdict) == (2 / 32, "sign-flip test", "inconclusive")
    (effect,) = judged(values, "smaller_drop", 0.05, system="rodr", than=["rodr"], query_sets=["misspell"]).effects
    assert (effect.p, effect.size) == (1, 0) and effect.low < 0 < effect.high


def test_the_smallest_effect_that_could_have_been_shown():
    """At confidence .95 and power .8 it is 1.960 + .842 standard errors; half the interval is 1.960 of them."""
    assert detectable(1.959964 * 0.05) == pytest.approx((1.959964 + 0.841621) * 0.05, rel=1e-5)
    assert detectable(1.9842 * 0.02, degrees=99) == pytest.approx((1.9842 + 0.8453) * 0.02, rel=1e-4)
