"""Claims on the size of an effect: known answers for every verdict.

Many differences here are .5 for 16 of 160 queries and 0 for the others: mean .05, variance .025 - .0025 = .15²; a mean
that is m from its bound has t = m · √159 / .15.
"""

from math import inf, sqrt

import pytest
import scipy.stats

from claims.judging import judged, verdict
from robustdr.claims.intervals import Interval

ALL, FEW_LOST, HALF_LOST = [1] * 160, [1] * 144 + [2] * 16, [1] * 80 + [2] * 80


def p_one_sided(distance):
    return scipy.stats.t.sf(distance * sqrt(159) / 0.15, 159)


@pytest.mark.parametrize(
    "loss, margin, expected, nearer",
    [
        (0.05, 0.05, "holds", 0.05),  # t = 4.2 to both bounds
        (0.05, 0.019, "inconclusive", 0.019),  # t = 1.6
        (0.06, 0.029, "inconclusive", 0.019),  # the nearer bound counts
        (0.15, 0.05, "fails", -0.05),  # at least .10 is claimed
        (0.15, 0.09, "inconclusive", -0.01),
    ],
)
def test_a_loss_of_a_stated_size(store, loss, margin, expected, nearer):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "said": Interval(loss, loss)}
    found = judged(values, "loses", level=0.05, margin=margin, **arguments)
    (effect,) = found.effects
    assert (found.verdict, effect.p) == (expected, pytest.approx(p_one_sided(nearer)))
    assert (effect.size, effect.confidence, effect.test) == (pytest.approx(0.05), 0.9, "two one-sided t-tests")


@pytest.mark.parametrize(
    "said, expected",
    [((-inf, 0.08), "holds"), ((0.08, inf), "fails"), ((-inf, 0.06), "inconclusive"), ((0.02, inf), "holds")],
)
def test_less_and_over_leave_one_side_open(store, said, expected):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"]}
    assert verdict(values, "loses", level=0.05, said=Interval(*said), **arguments) == expected


def test_a_loss_that_all_queries_share_is_known_exactly(store):
    """Half of 1 and half of .5: the losses differ, their shares do not."""
    values = store({"capot": {"original": [2, 4] * 80}, "base": {"original": [1, 2] * 80}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "margin": 0.001}
    assert verdict(values, "loses", said=Interval(0.5, 0.5), **arguments) == "holds"
    assert verdict(values, "loses", said=Interval(0.51, 0.51), **arguments) == "fails"


def test_a_size_does_not_compare_at_another_scale_but_is_shown(store):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "incomparable": "a miniature"}
    found = judged(values, "loses", said=Interval(0.05, 0.05), margin=0.05, **arguments)
    assert (found.verdict, found.reason) == ("not comparable here", "a miniature")
    assert found.effects[0].size == pytest.approx(0.05)
    assert verdict(values, "loses", **arguments) == "holds"  # a direction compares


@pytest.mark.parametrize(
    "system, to, margin, expected",
    [
        ("capot", "da", 0.08, "holds"),
        ("capot", "da", 0.06, "inconclusive"),
        ("capot", "da", 0.02, "fails"),
        ("da", "capot", 0.08, "holds"),
        ("da", "capot", 0.06, "inconclusive"),
        ("da", "capot", 0.02, "absent"),  # not similar, but for the better
    ],
)
def test_equivalence(store, system, to, margin, expected):
    """5 % of the other on the original queries, give or take 2 %."""
    kinds = {"capot": {"original": ALL, "typo": FEW_LOST}, "da": {"original": ALL, "typo": ALL}}
    arguments = {"system": system, "to": to, "query_sets": ["typo"]}
    assert verdict(store(kinds), "equivalence", level=0.05, margin=margin, **arguments) == expected


@pytest.mark.parametrize("margin, expected", [(0.08, "holds"), (0.02, "fails")])
def test_not_worse_by_a_margin(store, margin, expected):
    kinds = {"capot": {"original": ALL, "typo": FEW_LOST}, "da": {"original": ALL, "typo": ALL}}
    arguments = {"query_sets": ["typo"], "margin": margin, "level": 0.05}
    assert verdict(store(kinds), "not_worse", system="capot", than="da", **arguments) == expected
    assert verdict(store(kinds), "not_worse", system="da", than="capot", **arguments) == "holds"


def test_a_margin_is_a_share_of_the_other_system(store):
    """Where the other reaches .5, .05 are 10 %."""
    values = store({"capot": {"typo": FEW_LOST}, "da": {"original": [2] * 160, "typo": ALL}})
    (effect,) = judged(values, "equivalence", system="capot", to="da", query_sets=["typo"], margin=0.2).effects
    assert effect.size == pytest.approx(-0.1)


@pytest.mark.parametrize(
    "said, expected", [((0.3, 0.3), "holds"), ((0.5, 0.5), "inconclusive"), ((0.95, 0.95), "fails")]
)
def test_share_of_gain(store, said, expected):
    """Half of the queries gain .5; the snapshot helps half of those: a share of .5 ± .1."""
    values = store(
        {
            "capot": {"typo": ALL},
            "capot.at10": {"typo": [1] * 120 + [2] * 40},
            "base": {"original": ALL, "typo": HALF_LOST},
        }
    )
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"]}
    found = judged(values, "share_of_gain", said=Interval(*said), **arguments)
    whole, part = found.effects
    assert found.verdict == expected
    assert (whole.size, part.size) == (pytest.approx(0.25), pytest.approx(0.5))
    assert verdict(values, "share_of_gain", said=Interval(0.5, 0.5), margin=0.15, **arguments) == "holds"


@pytest.mark.parametrize("system, base, expected", [(HALF_LOST, ALL, "fails"), (ALL, ALL, "inconclusive")])
def test_nothing_has_a_share_of_no_gain(store, system, base, expected):
    """The snapshot is far above both: without a gain there is still no share of it."""
    kinds = {"capot": {"typo": system}, "capot.at10": {"typo": ALL}, "base": {"original": ALL, "typo": base}}
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"]}
    assert verdict(store(kinds), "share_of_gain", said=Interval(0.95, 0.95), **arguments) == expected


# Of 160 queries 80 stay, 40 fall to rank 2 and 40 are lost: Success@1 falls from 1 to .5, Success@5 to .75.
DEPTHS = ("Success@1", "Success@5")
SUNK = [1] * 80 + [2] * 40 + [0] * 40


@pytest.mark.parametrize(
    "by, margin, expected", [(0.5, 0.2, "holds"), (0.5, 0.05, "inconclusive"), (0.9, 0.1, "fails")]
)
def test_loss_shrinks(store, by, margin, expected):
    """From a half to a quarter: by half, give or take .11."""
    values = store({"base": {"original": ALL, "typo": SUNK}}, DEPTHS)
    arguments = {"system": "base", "query_sets": ["typo"], "from_measure": "Success@1", "said": Interval(by, by)}
    found = judged(values, "loss_shrinks", level=0.05, measure="Success@5", margin=margin, **arguments)
    assert found.verdict == expected and found.effects[0].size == pytest.approx(0.5)


def test_gain_shrinks(store):
    """.5 in Success@1 and .25 in Success@5; 1 for 40 of 160: t = .25 · √159 / √.1875 = 7.3."""
    values = store({"base": {"original": ALL, "typo": SUNK}, "capot": {"typo": ALL}}, DEPTHS)
    arguments = {"system": "capot", "base": "base", "query_sets": ["typo"]}
    found = judged(values, "gain_shrinks", measure="Success@5", from_measure="Success@1", **arguments)
    (effect,) = found.effects
    assert (found.verdict, effect.size) == ("holds", pytest.approx(0.25))
    assert effect.p == pytest.approx(2 * scipy.stats.t.sf(0.25 * sqrt(159 / 0.1875), 159))
    backwards = judged(values, "gain_shrinks", measure="Success@1", from_measure="Success@5", **arguments)
    assert backwards.verdict == "fails"
    same = judged(values, "gain_shrinks", measure="Success@1", from_measure="Success@1", **arguments)
    assert same.verdict == "inconclusive"
