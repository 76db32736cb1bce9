"""The parts of a sentence together: "all", "k of n", and what weaker data do to either."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.judging import claim
from robustdr.claims.family import decide_claims, effect_verdicts, supported_by_chance
from robustdr.claims.measured import Judged, Verdict, weakest_first
from robustdr.claims.verdicts import WORST_FIRST, overall

INFINITE = float("inf")
ONE = Judged(
    words="typo", size=0.1, low=0.01, high=0.2, interval=(0.01, 0.2), confidence=0.95, there=0.01, against=1.0,
    queries=100, seeds=1, region=(0.0, INFINITE), printed=None, predicted=None, power=None, known=True, one_run=False,
)  # fmt: skip


def undecided(*ps, **changes):
    """A claim with effects of these p of being there; below 0: p of the opposite."""
    effects = [replace(ONE, there=p if p > 0 else 1.0, against=-p if p < 0 else 1.0, **changes) for p in ps]
    return Verdict("inconclusive", effects)


def part(sentence="All are", level=0.05, part=None, **about):
    about = {"claim": sentence, **({"part": part} if part else {}), **about}
    return claim("improves", level, about=about, system="a", over=["b"], query_sets=["typo"])


def words(*pairs):
    return [
        verdict.words for verdict in decide_claims([claim for claim, _ in pairs], [verdict for _, verdict in pairs])
    ]


def test_all_are_there_if_each_is_at_its_own_level():
    """An intersection-union test needs no correction: .049 of each of eight is enough, and .05 of one is not."""
    assert words((part(), undecided(*[0.049] * 8))) == ["supported"]
    assert words((part(), undecided(*[0.001] * 7, 0.05))) == ["partly: 7 supported, 1 open, 0 against, of 8"]


def test_k_of_n_by_hand():
    """Of four, .012 · 4 = .048 and then .016 · 3 = .048 are below .05; .03 · 2 is not, and so nothing after it."""
    assert words((part(), undecided(0.016, 0.012, 0.03, 0.2))) == ["partly: 2 supported, 2 open, 0 against, of 4"]
    assert words((part(), undecided(0.013, 0.013, 0.03, 0.2))) == ["inconclusive"]  # .013 · 4 = .052
    assert words((part(), undecided(0.001, -0.001, 0.2))) == ["partly: 1 supported, 1 open, 1 against, of 3"]
    assert words((part(), undecided(0.2, -0.001))) == ["contradicted"]


def test_parts_of_a_sentence_are_one_family_and_sentences_are_not():
    """.02 alone is below .05; beside a part that is open, .02 · 2 is too, and beside two, .02 · 3 is not."""
    first = (part(part="on NQ"), undecided(0.02))
    second, third = (part(part="on TriviaQA"), undecided(0.3)), (part(part="on MS MARCO"), undecided(0.4))
    assert words(first) == ["supported"] and words(first, second) == ["supported", "inconclusive"]
    assert words(first, second, third) == ["inconclusive"] * 3
    assert words(first, (part("Another"), undecided(0.3))) == ["supported", "inconclusive"]


def test_what_was_not_judged_takes_no_part():
    untested = (part(part="on NQ"), replace(undecided(0.3, 0.4), verdict="not testable here"))
    assert words((part(part="on MS MARCO"), undecided(0.02)), untested) == ["supported", "not testable here"]


def test_each_claim_of_a_sentence_has_its_own_level():
    strict, lax = (part(part="a", level=0.01), undecided(0.008)), (part(part="b"), undecided(0.04))
    assert words(strict, lax) == ["supported", "supported"]
    assert words((part(part="a", level=0.005), undecided(0.008)), lax) == ["inconclusive", "inconclusive"]


def test_one_insignificant_effect_of_eight_gives_the_weaker_verdict():
    """Once, eight of eight were demoted beside other headline claims, and seven of eight were not."""
    insignificant = [(part(f"Claim {number}", headline=True), undecided(0.04)) for number in range(10)]
    ps = [*[1e-6] * 7, 0.007]
    everything = words((part(level=0.01, headline=True), undecided(*ps)), *insignificant)[0]
    less = words((part(level=0.01, headline=True), undecided(*ps[:7], 0.5)), *insignificant)[0]
    assert (everything, less) == ("supported", "partly: 7 supported, 1 open, 0 against, of 8")


p_of_one_side = st.floats(1e-6, 1.0)
effects = st.lists(st.tuples(p_of_one_side, st.booleans()), min_size=1, max_size=9)


@given(effects, st.data(), st.booleans(), st.sampled_from([0.05, 0.01]))
def test_a_weaker_effect_never_improves_a_verdict(ps, data, superlative, level):
    """Weaker: its p of being there grows, or it turns round, or its p of the opposite falls."""
    before = [(p, 1.0) if is_present else (1.0, p) for p, is_present in ps]
    position = data.draw(st.integers(0, len(ps) - 1))
    present, against = before[position]
    weaker = (data.draw(st.floats(present, 1.0)), data.draw(st.floats(1e-6, against)))
    after = [*before[:position], weaker, *before[position + 1 :]]
    once, again = (
        effect_verdicts(*map(list, zip(*effects, strict=True)), [level] * len(ps)) for effects in (before, after)
    )
    rank = [WORST_FIRST.index(overall(verdicts, superlative)) for verdicts in (once, again)]
    assert rank[1] <= rank[0]
    assert again.count("supported") <= once.count("supported")
    assert again.count("contradicted") >= once.count("contradicted")


def test_the_weakest_effect_stands_first():
    """Largest p of being there; of those that go the other way the one most against."""
    (verdict,) = decide_claims([part()], [undecided(0.01, -0.2, 0.3, -0.001)])
    assert [(effect.there, effect.against) for effect in weakest_first(verdict.effects)] == [
        (1.0, 0.001),
        (1.0, 0.2),
        (0.3, 1.0),
        (0.01, 1.0),
    ]


def test_a_world_without_effects_by_hand():
    """.05 / 2 and .01 / 2 of two directions, .05 of a margin; parts of one sentence count once, untested ones never."""
    margin = undecided(0.5, region=(-0.02, INFINITE))
    pairs = [(part("A"), undecided(0.5)), (part("B", 0.01), undecided(0.1, 0.2)), (part("C"), margin)]
    pairs += [(part("A", part="again"), undecided(0.5))]
    pairs += [(part("D"), Verdict("not run")), (part("E"), replace(undecided(0.1), verdict="not testable here"))]
    assert supported_by_chance(pairs) == pytest.approx(0.025 + 0.005 + 0.05)
