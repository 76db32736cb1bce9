"""Claims on the size of an effect: known answers for every verdict.

Many differences here are .5 for 4 of 40 queries and 0 for the others: mean .05, variance .025 - .0025 = .15²; a mean
that is m above its bound has t = m · √39 / .15.
"""

from math import sqrt

import pytest
import scipy.stats

from audit.judging import verdict

ALL, FEW_LOST, HALF_LOST = [1] * 40, [1] * 36 + [2] * 4, [1] * 20 + [2] * 20


def p_one_sided(distance):
    return scipy.stats.t.sf(distance * sqrt(39) / 0.15, 39)


@pytest.mark.parametrize(
    "loss, margin, expected, p",
    [
        (0.05, 0.05, "holds", p_one_sided(0.05)),  # t = 2.08 to both bounds
        (0.05, 0.04, "inconclusive", p_one_sided(0.04)),  # t = 1.67
        (0.06, 0.05, "inconclusive", p_one_sided(0.04)),  # the nearer bound counts
        (0.15, 0.05, "fails", 2 * p_one_sided(0.05)),  # at least .10 is claimed: t = -2.08
        (0.15, 0.06, "inconclusive", 2 * p_one_sided(0.04)),
    ],
)
def test_relative_loss(store, loss, margin, expected, p):
    values = store({"capot": {"original": FEW_LOST}, "base": {"original": ALL}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "loss": loss, "margin": margin}
    found, evidence = verdict(values, "relative_loss", level=0.05, **arguments)
    assert (found, evidence) == (expected, f"original: -5.0% against base on the original queries (p = {p:.2g})")


def test_a_relative_loss_that_all_queries_share_is_known_exactly(store):
    """Half of 1 and half of .5: the losses differ, their shares do not."""
    values = store({"capot": {"original": [2, 4] * 20}, "base": {"original": [1, 2] * 20}})
    arguments = {"system": "capot", "base": "base", "query_sets": ["original"], "margin": 0.001}
    assert verdict(values, "relative_loss", loss=0.5, **arguments)[0] == "holds"
    assert verdict(values, "relative_loss", loss=0.51, **arguments)[0] == "fails"


@pytest.mark.parametrize(
    "margin, expected, p",
    [
        (0.10, "holds", p_one_sided(0.05)),
        (0.09, "inconclusive", p_one_sided(0.04)),
        (0.01, "inconclusive", 2 * p_one_sided(0.04)),
    ],
)
@pytest.mark.parametrize("system, to", [("capot", "da"), ("da", "capot")])
def test_equivalence(store, system, to, margin, expected, p):
    drops = {"capot": "-5.0%", "da": "+0.0%"}
    values = store({"capot": {"typo": FEW_LOST}, "da": {"typo": ALL}, "base": {"original": ALL}})
    arguments = {"system": system, "to": to, "base": "base", "query_sets": ["typo"], "margin": margin}
    found, evidence = verdict(values, "equivalence", level=0.05, **arguments)
    assert (found, evidence) == (expected, f"typo: {drops[system]} against {drops[to]} of {to} (p = {p:.2g})")


def test_equivalence_fails_outside_the_margin(store):
    """Half of the queries lose .5: -25%."""
    values = store({"capot": {"typo": HALF_LOST}, "da": {"typo": ALL}, "base": {"original": ALL}})
    arguments = {"system": "capot", "to": "da", "base": "base", "query_sets": ["typo"]}
    assert verdict(values, "equivalence", margin=0.1, **arguments)[0] == "fails"


def test_the_margin_of_equivalence_is_a_share_of_the_base(store):
    """Where the base reaches .5, .05 are 10%: as far from a margin of 20% as 5% are from 10% where it reaches 1."""
    values = store({"capot": {"typo": FEW_LOST}, "da": {"typo": ALL}, "base": {"original": [2] * 40}})
    arguments = {"system": "capot", "to": "da", "base": "base", "query_sets": ["typo"]}
    found, evidence = verdict(values, "equivalence", level=0.05, margin=0.2, **arguments)
    assert (found, evidence) == ("holds", f"typo: +90.0% against +100.0% of da (p = {p_one_sided(0.05):.2g})")
    assert verdict(values, "equivalence", level=0.05, margin=0.18, **arguments)[0] == "inconclusive"


@pytest.mark.parametrize(
    "snapshot, share, expected",
    [
        ([1] * 30 + [2] * 10, 0.4, "inconclusive"),  # .3 for 10 queries, -.2 for 10: mean .025
        ([1] * 30 + [2] * 10, 0.1, "holds"),  # .45 for 10, -.05 for 10: mean .1
        ([1] * 30 + [2] * 10, 0.95, "fails"),  # .025 for 10, -.475 for 10: mean -.1125
    ],
)
def test_share_of_gain(store, snapshot, share, expected):
    """All queries gain .5 or nothing; the snapshot helps half of those that gain."""
    values = store({"capot": {"typo": ALL}, "capot.at10": {"typo": snapshot}, "base": {"typo": HALF_LOST}})
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"], "share": share}
    found, evidence = verdict(values, "share_of_gain", **arguments)
    assert found == expected
    whole, part = evidence.split("; ")
    assert whole.startswith("typo: +25.0 points over base (p = ")
    assert part.startswith("capot.at10: +12.5 points (p = ")


@pytest.mark.parametrize("system, base, expected", [(HALF_LOST, ALL, "fails"), (ALL, ALL, "inconclusive")])
def test_nothing_has_a_share_of_no_gain(store, system, base, expected):
    """The snapshot is far above both: without a gain there is still no share of it."""
    values = store({"capot": {"typo": system}, "capot.at10": {"typo": ALL}, "base": {"typo": base}})
    arguments = {"system": "capot", "snapshot": "capot.at10", "base": "base", "query_sets": ["typo"], "share": 0.95}
    assert verdict(values, "share_of_gain", **arguments)[0] == expected


# Of 40 queries 20 stay, 10 fall to rank 2 and 10 are lost: Success@1 falls from 1 to .5, Success@5 to .75.
DEPTHS = ("Success@1", "Success@5")
SUNK = [1] * 20 + [2] * 10 + [0] * 10


@pytest.mark.parametrize(
    "by, margin, expected",
    [
        (0.5, 0.25, "holds"),  # .75 for 10, -.25 for 10: mean .125, deviation .375, t = √39 / 3 = 2.08
        (0.5, 0.10, "inconclusive"),  # .6 and -.4: mean .05, t = .69
        (0.9, 0.05, "fails"),  # .15 and -.85: mean -.175, t = -2.77
    ],
)
def test_loss_shrinks(store, by, margin, expected):
    values = store({"base": {"original": ALL, "typo": SUNK}}, DEPTHS)
    arguments = {"system": "base", "query_sets": ["typo"], "from_measure": "Success@1", "by": by, "margin": margin}
    found, evidence = verdict(values, "loss_shrinks", level=0.05, measure="Success@5", **arguments)
    assert found == expected
    assert evidence.startswith("typo: -50.0% in Success@1, -25.0% in Success@5 (p = ")


def test_gain_shrinks(store):
    """.5 in Success@1 and .25 in Success@5; 1 for 10 of 40: t = .25 · √39 / √.1875 = 3.6."""
    values = store({"base": {"original": ALL, "typo": SUNK}, "capot": {"typo": ALL}}, DEPTHS)
    arguments = {"system": "capot", "base": "base", "query_sets": ["typo"]}
    found, evidence = verdict(values, "gain_shrinks", measure="Success@5", from_measure="Success@1", **arguments)
    p = 2 * scipy.stats.t.sf(0.25 * sqrt(39 / 0.1875), 39)
    assert (found, evidence) == ("holds", f"typo: +50.0% in Success@1, +25.0% in Success@5 (p = {p:.2g})")
    backwards = verdict(values, "gain_shrinks", measure="Success@1", from_measure="Success@5", **arguments)
    assert backwards[0] == "fails"
    same = verdict(values, "gain_shrinks", measure="Success@1", from_measure="Success@1", **arguments)
    assert same[0] == "inconclusive"
