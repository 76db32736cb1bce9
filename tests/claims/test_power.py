"""What decides a claim: at which confidence, and how many queries differ; known answers."""

import pytest

from claims.judging import judged, verdict
from robustdr.claims.measured import detectable

GOOD, FAIR, BETTER = [1, 1, 2, 1] * 10, [2, 2, 2, 4] * 10, [1] * 40


def test_evidence_against_a_claim_is_corrected_for_the_number_of_its_effects(store):
    """Seven queries lose: of 2^7 ways to sign them 2 are as extreme, p = 1 / 64. One of four effects needs .03 / 4."""
    nearly, worse = [1] * 36 + [2] * 4, [1] * 29 + [2] * 11
    kinds = ["original", "a", "b", "c", "d"]
    values = store({"rodr": dict.fromkeys(kinds, worse), "dr_oq": dict.fromkeys(kinds, nearly)})
    arguments = {"level": 0.03, "system": "rodr", "over": ["dr_oq"]}
    (effect,) = judged(values, "improves", query_sets=["a"], **arguments).effects
    assert (effect.p, effect.test) == (1 / 64, "sign-flip test")
    assert verdict(values, "improves", query_sets=["a"], **arguments) == "opposite"
    assert verdict(values, "improves", query_sets=kinds[1:], **arguments) == "undecided"


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
    assert (effect.p, effect.test, effect.verdict) == (2 / 32, "sign-flip test", "undecided")
    (effect,) = judged(values, "smaller_drop", 0.05, system="rodr", than=["rodr"], query_sets=["misspell"]).effects
    assert (effect.p, effect.size) == (1, 0) and effect.low < 0 < effect.high


def test_the_smallest_effect_that_could_have_been_shown():
    """At confidence .95 and power .8 it is 1.960 + .842 standard errors; half the interval is 1.960 of them."""
    assert detectable(1.959964 * 0.05) == pytest.approx((1.959964 + 0.841621) * 0.05, rel=1e-5)
    assert detectable(1.9842 * 0.02, degrees=99) == pytest.approx((1.9842 + 0.8453) * 0.02, rel=1e-4)
