"""A paper's claims as a family: Holm's correction over its headline claims, and what chance would show."""

from dataclasses import replace

import pytest

from claims.judging import claim
from robustdr.claims.family import by_chance, corrected
from robustdr.claims.intervals import Interval
from robustdr.claims.measured import Judged, Verdict
from robustdr.claims.verdicts import verdict

INFINITE = float("inf")
ONE = Judged(
    words="typo", size=0.1, low=0.01, high=0.2, interval=(0.01, 0.2), confidence=0.95, p=0.01,
    against=1.0, test="paired t-test", queries=100,
    seeds=1, region=(0.0, INFINITE), printed=None, predicted=None, corrected=None, known=True, one_run=False,
    verdict="seen",
)  # fmt: skip


def seen(p, word="seen", **changes):
    return Verdict(word, [replace(ONE, p=p, **changes)])


def headline(level=0.05, source="§4", **about):
    keys = {"headline": True, "source": source, **about}
    return claim("improves", level, about=keys, system="a", over=["b"], query_sets=["typo"])


def words(claims, verdicts):
    return [found.verdict for found in corrected(claims, verdicts)]


def test_headline_claims_are_corrected_together_by_hand():
    """p = .012, .02 and .04 of three: times 3, 2 and 1 they are .036, .04 and .04."""
    claims, verdicts = [headline() for _ in range(3)], [seen(0.02), seen(0.012), seen(0.04)]
    assert words(claims, verdicts) == ["seen"] * 3
    verdicts[1] = seen(0.02)  # .02 · 3 = .06 is above .05, and then so is all that follows
    found = corrected(claims, verdicts)
    assert [one.verdict for one in found] == ["undecided"] * 3
    assert found[0].reason == "seen alone (p = 0.02), but corrected for 3 headline claims p = 0.06"


def test_other_claims_hypotheses_and_what_was_not_tested_are_no_part_of_the_family():
    others = [
        headline(headline=False),
        headline(source="hypothesis, stated before"),
        headline(),
        headline(),
    ]
    verdicts = [seen(0.04), seen(0.04), seen(0.04, "not testable here"), seen(0.04, known=False)]
    verdicts[3] = replace(verdicts[3], verdict="undecided")
    assert words([headline(), *others], [seen(0.04), *verdicts]) == [
        "seen",
        "seen",
        "seen",
        "not testable here",
        "undecided",
    ]


def test_an_opposite_effect_is_corrected_too():
    opposite = Verdict("opposite", [replace(ONE, size=-0.1, p=0.03, against=0.03, verdict="opposite")])
    assert words([headline(), headline()], [opposite, seen(0.2, "undecided")]) == ["undecided", "undecided"]
    assert words([headline()], [opposite]) == ["opposite"]


def test_the_p_of_a_claim_is_that_of_its_worst_effect_or_of_its_opposite():
    two = [replace(ONE, p=0.01), replace(ONE, p=0.2)]
    assert Verdict("partly", two).p == 0.2
    assert Verdict("partly", [two[0], replace(ONE, size=-0.1, p=0.02, against=0.02)]).p == 0.04  # two effects
    assert Verdict("not run").p == 1.0
    assert verdict(Interval(ONE.low, ONE.high)) == "seen"


def test_a_world_without_effects_by_hand():
    """.05 / 2 and .01 / 2 of two directions, .05 of a margin; what was not tested adds nothing."""
    margin = seen(0.01, region=(-0.02, INFINITE))
    pairs = [(headline(), seen(0.5)), (headline(0.01), Verdict("partly", [ONE, ONE])), (headline(), margin)]
    pairs += [(headline(), Verdict("not run")), (headline(), seen(0.1, "not testable here"))]
    assert by_chance(pairs) == pytest.approx(0.025 + 0.005 + 0.05)
