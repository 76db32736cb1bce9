"""Claims on the size of an effect: known answers for every verdict.

Many differences here are .5 for 16 of 160 queries and 0 for the others: mean .05, variance .025 - .0025 = .15²; a mean
that is m from its bound has t = m · √159 / .15.
"""

from math import inf, sqrt

import pytest
import scipy.stats

from claims.judging import judged, size, verdict
from robustdr.claims.intervals import Interval

ALL, FEW_LOST, HALF_LOST = [1] * 160, [1] * 144 + [2] * 16, [1] * 80 + [2] * 80


@pytest.mark.parametrize(
    ("loss", "margin", "expected"),
    [
        # .05, and ±1.654 · √2 · .15 / √159 = .0278 for one printed from as many queries, at 90 % as at level .1
        (0.05, 0.001, "as printed"),
        (0.07, 0.001, "as printed"),
        (0.08, 0.001, "smaller"),
        (0.08, 0.005, "as printed"),
        (0.02, 0.001, "larger"),
    ],
)
def test_a_loss_of_a_stated_size(store, loss, margin, expected):
    """At its own size: Fieller's prediction there is that of a t-test, as the base is 1 for every query."""
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "stated_size": Interval(loss, loss)}
    result = judged(values, "loses", level=0.1, margin=margin, sized=True, **arguments)
    (effect,) = result.effects
    half = scipy.stats.t.ppf(0.95, 159) * sqrt(2) * 0.15 / sqrt(159)
    assert (effect.compared, effect.predicted[0]) == (expected, pytest.approx(0.05 - half))
    assert 0.05 + half < effect.predicted[1] < 0.05 + half + 0.001  # it may have been chosen for its significance
    assert effect.printed == pytest.approx((loss - margin, loss + margin))
    assert (effect.size, effect.confidence, effect.verdict) == (pytest.approx(0.05), 0.9, "supported")


def test_the_fewer_queries_a_paper_has_the_less_its_size_says(store):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "level": 0.1}
    stated_size = Interval(0.08, 0.08)
    assert size(values, "loses", stated_size=stated_size, paper_queries=43, **arguments) == "as printed"
    assert size(values, "loses", stated_size=stated_size, paper_queries=1000, **arguments) == "smaller"


@pytest.mark.parametrize(
    ("stated_size", "expected"),
    [
        ((-inf, 0.08), ("supported", "")),
        ((0.08, inf), ("supported", "smaller")),
        ((-inf, 0.06), ("inconclusive", "")),
        ((0.02, inf), ("supported", "as printed")),
    ],
)
def test_less_and_over_leave_one_side_open(store, stated_size, expected):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"]}
    (effect,) = judged(values, "loses", level=0.1, stated_size=Interval(*stated_size), sized=True, **arguments).effects
    assert (effect.verdict, effect.compared) == expected
    assert verdict(values, "loses", level=0.1, stated_size=Interval(*stated_size), **arguments) == "supported"


def test_a_loss_that_all_queries_share_is_known_exactly(store):
    """Half of 1 and half of .5: the losses differ, their shares do not."""
    values = store({"capot": {"original": [2, 4] * 80}, "base": {"original": [1, 2] * 80}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "margin": 0.001}
    assert size(values, "loses", stated_size=Interval(0.5, 0.5), **arguments) == "as printed"
    assert size(values, "loses", stated_size=Interval(0.51, 0.51), **arguments) == "smaller"


@pytest.mark.parametrize(
    "system, to, margin, expected",
    [
        ("capot", "da", 0.08, "supported"),
        ("capot", "da", 0.06, "inconclusive"),
        ("capot", "da", 0.02, "contradicted"),
        ("da", "capot", 0.08, "supported"),
        ("da", "capot", 0.06, "inconclusive"),
        ("da", "capot", 0.02, "contradicted"),  # not similar, if for the better
    ],
)
def test_equivalence(store, system, to, margin, expected):
    """5 % of the other on the original queries, give or take 2 %."""
    kinds = {"capot": {"original": ALL, "typo": FEW_LOST}, "da": {"original": ALL, "typo": ALL}}
    arguments = {"system": system, "to": to, "query_sets": ["typo"]}
    assert verdict(store(kinds), "equivalence", level=0.05, margin=margin, **arguments) == expected


@pytest.mark.parametrize("margin, expected", [(0.08, "supported"), (0.02, "contradicted")])
def test_not_worse_by_a_margin(store, margin, expected):
    kinds = {"capot": {"original": ALL, "typo": FEW_LOST}, "da": {"original": ALL, "typo": ALL}}
    arguments = {"query_sets": ["typo"], "margin": margin, "level": 0.05}
    assert verdict(store(kinds), "not_worse", system="capot", than="da", **arguments) == expected
    assert verdict(store(kinds), "not_worse", system="da", than="capot", **arguments) == "supported"


def test_a_margin_is_a_share_of_the_other_system(store):
    """Where the other reaches .5, .05 are 10 %."""
    values = store({"capot": {"typo": FEW_LOST}, "da": {"original": [2] * 160, "typo": ALL}})
    (effect,) = judged(values, "equivalence", system="capot", to="da", query_sets=["typo"], margin=0.2).effects
    assert effect.size == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("stated_size", "expected"), [((0.3, 0.3), "as printed"), ((0.5, 0.5), "as printed"), ((0.95, 0.95), "smaller")]
)
def test_share_of_gain(store, stated_size, expected):
    """Half of the queries gain .5; the snapshot helps half of those: a share of .5 ± .1, and at least is claimed."""
    values = store(
        {
            "capot": {"typo": ALL},
            "capot.at10": {"typo": [1] * 120 + [2] * 40},
            "base": {"original": ALL, "typo": HALF_LOST},
        }
    )
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"]}
    result = judged(values, "share_of_gain", stated_size=Interval(*stated_size), sized=True, level=0.05, **arguments)
    whole, part = result.effects
    assert (result.verdict, part.compared) == ("supported", expected)
    assert (whole.size, part.size) == (pytest.approx(0.25), pytest.approx(0.5))
    assert verdict(values, "share_of_gain", stated_size=Interval(*stated_size), level=0.05, **arguments) == "supported"


@pytest.mark.parametrize("system, base, expected", [(HALF_LOST, ALL, "contradicted"), (ALL, ALL, "inconclusive")])
def test_nothing_has_a_share_of_no_gain(store, system, base, expected):
    """The snapshot is far above both: without a gain there is still no share of it."""
    kinds = {"capot": {"typo": system}, "capot.at10": {"typo": ALL}, "base": {"original": ALL, "typo": base}}
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"]}
    assert verdict(store(kinds), "share_of_gain", stated_size=Interval(0.95, 0.95), **arguments) == expected


# Of 160 queries 80 stay, 40 fall to rank 2 and 40 are lost: Success@1 falls from 1 to .5, Success@5 to .75.
DEPTHS = ("Success@1", "Success@5")
SUNK = [1] * 80 + [2] * 40 + [0] * 40


@pytest.mark.parametrize(
    ("by", "margin", "expected"), [(0.5, 0.2, "as printed"), (0.9, 0.1, "smaller"), (0.2, 0.05, "larger")]
)
def test_loss_shrinks(store, by, margin, expected):
    """From a half to a quarter: by half, give or take .11, and .16 for one that is printed."""
    values = store({"base": {"original": ALL, "typo": SUNK}}, DEPTHS)
    arguments = {"system": "base", "query_sets": ["typo"], "from_measure": "Success@1", "stated_size": Interval(by, by)}
    arguments |= {"level": 0.05, "measure": "Success@5", "margin": margin}
    result = judged(values, "loss_shrinks", sized=True, **arguments)
    assert result.effects[0].compared == expected and result.effects[0].size == pytest.approx(0.5)
    assert verdict(values, "loss_shrinks", **arguments) == "supported"


@pytest.mark.parametrize(("at_least", "expected"), [(0.3, "supported"), (0.45, "inconclusive"), (0.8, "contradicted")])
def test_recovers(store, at_least, expected):
    """Typos take .25 of the base's 1; half of the lost queries come back: .125, a share of .5 ± .1."""
    values = store({"base": {"original": ALL, "typo": HALF_LOST}, "capot": {"typo": [1] * 120 + [2] * 40}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["typo"], "at_least": at_least}
    result = judged(values, "recovers", level=0.05, **arguments)
    assert (result.verdict, result.effects[0].size) == (expected, pytest.approx(0.5))


@pytest.mark.parametrize(("at_least", "expected"), [(0.2, "supported"), (0.25, "inconclusive"), (0.3, "contradicted")])
def test_loses_at_least_a_share(store, at_least, expected):
    """Half of 160 queries lose .5."""
    values = store({"base": {"original": ALL, "typo": HALF_LOST}})
    arguments = {"system": "base", "query_sets": ["typo"], "level": 0.05, "at_least": at_least}
    assert verdict(values, "loses", **arguments) == expected


def test_gain_shrinks(store):
    """.5 in Success@1 and .25 in Success@5; 1 for 40 of 160: t = .25 · √159 / √.1875 = 7.3."""
    values = store({"base": {"original": ALL, "typo": SUNK}, "capot": {"typo": ALL}}, DEPTHS)
    arguments = {"system": "capot", "base": "base", "query_sets": ["typo"]}
    result = judged(values, "gain_shrinks", measure="Success@5", from_measure="Success@1", **arguments)
    (effect,) = result.effects
    assert (result.verdict, effect.size) == ("supported", pytest.approx(0.25))
    assert effect.p == pytest.approx(2 * scipy.stats.t.sf(0.25 * sqrt(159 / 0.1875), 159))
    backwards = judged(values, "gain_shrinks", measure="Success@1", from_measure="Success@5", **arguments)
    assert backwards.verdict == "contradicted"
    unchanged = judged(values, "gain_shrinks", measure="Success@1", from_measure="Success@1", **arguments)
    assert unchanged.verdict == "inconclusive"
