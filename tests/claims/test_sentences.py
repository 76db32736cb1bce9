"""Sentences of several parts, and tests whose words a paper's sentence needs, on values worked by hand."""

import pytest

from claims.judging import judged
from robustdr.claims.verdicts import sentence_verdicts

GOOD, FAIR, BAD = [1, 1, 2, 1] * 10, [2, 2, 2, 4] * 10, [4, 0, 4, 5] * 10  # means .875, .4375, .175


def test_a_sentence_counts_once_by_those_of_its_parts_that_were_judged():
    parts_here = [
        ("A", "supported"),
        ("B", "not run"),
        ("A", "contradicted"),
        ("B", "supported"),
        ("C", "not testable here"),
    ]
    assert sentence_verdicts(parts_here) == ["partly", "supported", "not testable here"]
    assert sentence_verdicts(
        [("A", "inconclusive"), ("A", "contradicted"), ("B", "partly"), ("B", "contradicted")]
    ) == [
        "contradicted",
        "partly",
    ]
    parts = [("A", "supported"), ("A", "contradicted"), ("B", "not printed"), ("B", "supported")]
    assert sentence_verdicts(parts) == ["partly", "supported"]


def test_no_significant_gain_is_about_each_system_alone(store):
    """The mean of both systems gains nothing: one gains what the other loses."""
    values = store({"rodr": {"original": FAIR, "typo": GOOD}, "dr_oq": {"original": GOOD, "typo": FAIR}})
    result = judged(values, "no_significant_gain", system=["rodr", "dr_oq"], query_sets=["typo"])
    assert [(effect.words, effect.verdict) for effect in result.effects] == [
        ("typo, of rodr", "contradicted"),
        ("typo, of dr_oq", "supported"),
    ]


def test_a_drop_may_be_from_the_original_queries_of_another_system(store):
    """.4375 of its own .4375 is no drop; of the .875 of the other it is a half, as great as the other's."""
    values = store({"rodr": {"original": FAIR, "typo": FAIR}, "dr_oq": {"original": GOOD, "typo": FAIR}})
    arguments = {"system": "rodr", "than": ["dr_oq"], "query_sets": ["typo"]}
    (effect,) = judged(values, "smaller_drop", **arguments).effects
    (based,) = judged(values, "smaller_drop", base="dr_oq", **arguments).effects
    assert (effect.size, based.size) == (pytest.approx(0.5), pytest.approx(0.0))


def test_the_worst_drop_is_that_of_each_system_s_own_variation(store):
    """A fall from .875 to .175 is .8, one to .4375 a half, on different variations."""
    first = {"original": GOOD, "typo": BAD, "swap": GOOD}
    second = {"original": GOOD, "typo": GOOD, "swap": FAIR}
    values = store({"rodr": second, "dr_oq": first})
    (effect,) = judged(values, "smaller_drop", system="rodr", than=["dr_oq"], query_sets=["variations_worst"]).effects
    assert effect.size == pytest.approx(0.8 - 0.5)


def test_a_smaller_drop_may_be_given_as_a_share_of_the_other(store):
    """A half is 3/8 less than .8."""
    values = store({"rodr": {"original": GOOD, "typo": FAIR}, "dr_oq": {"original": GOOD, "typo": BAD}})
    arguments = {"system": "rodr", "than": ["dr_oq"], "query_sets": ["typo"], "printed_size": {"table": "prose"}}
    (effect,) = judged(values, "smaller_drop", **arguments).effects
    assert effect.size == pytest.approx(0.375)


def test_a_gain_may_be_a_share_of_the_other_on_the_same_queries(store):
    """.4375 over .175 is 1.5 times that, and .3 of the .875 on the original queries."""
    values = store({"rodr": {"original": GOOD, "typo": FAIR}, "dr_oq": {"original": GOOD, "typo": BAD}})
    arguments = {"system": "rodr", "over": ["dr_oq"], "query_sets": ["typo"]}
    (of_originals,) = judged(values, "improves", **arguments).effects
    (of_typos,) = judged(values, "improves", relative_to="query_set", **arguments).effects
    assert (of_originals.size, of_typos.size) == (pytest.approx(0.3), pytest.approx(1.5))
