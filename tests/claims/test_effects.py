"""Claims on reproduced measures: every test on values chosen for it, and what cannot be tested says so."""

import numpy as np
import pytest
import scipy.stats

from claims.judging import judged, size, verdict
from robustdr.claims.intervals import Interval
from robustdr.evaluation.store import Source, Store

GOOD, SLIGHTLY_BETTER, FAIR, BAD = [1, 1, 2, 1] * 10, [1, 1, 2, 1] * 9 + [1] * 4, [2, 2, 2, 4] * 10, [4, 0, 4, 5] * 10
BETTER = [1] * 40
HALF = Interval(0.45, 0.55)

# What each test needs beside `system` and `query_sets`.
OTHERS = {
    "improves": {"over": ["dr_oq"]},
    "not_worse": {"than": "dr_oq", "margin": 0.1},
    "loses": {},
    "recovers": {"base": "dr_oq", "at_least": 0.1},
    "rises": {},
    "no_significant_gain": {},
    "hurts_most": {},
    "hurts_least": {},
    "helps_most": {"base": "dr_oq"},
    "helps_least": {"base": "dr_oq"},
    "smaller_drop": {"than": ["dr_oq"]},
    "equivalence": {"to": "dr_oq", "margin": 0.1},
    "share_of_gain": {"snapshot": "dr_oq", "base": "dr_oq", "stated_size": HALF},
    "loss_shrinks": {"from_measure": "RR@10", "stated_size": HALF},
    "gain_shrinks": {"base": "dr_oq", "from_measure": "RR@10"},
}


@pytest.mark.parametrize(
    "ours, theirs, expected",
    [
        (GOOD, BAD, "supported"),
        (BAD, GOOD, "contradicted"),
        (GOOD, GOOD, "inconclusive"),
        (SLIGHTLY_BETTER, GOOD, "inconclusive"),
    ],
)
def test_improves(store, ours, theirs, expected):
    values = store({"rodr": {"original": ours}, "dr_oq": {"original": theirs}})
    assert verdict(values, "improves", system="rodr", over=["dr_oq"], query_sets=["original"]) == expected


def test_the_figures_behind_a_verdict(store):
    """.875 against .4375 on the original queries: a gain of .4375 / .4375 = 1; the paper prints .5."""
    values = store({"rodr": {"original": GOOD}, "dr_oq": {"original": FAIR}})
    words = "original, over dr_oq"
    result = judged(
        values, "improves", 0.05, system="rodr", over=["dr_oq"], query_sets=["original"], printed={words: 0.5}
    )
    (effect,) = result.effects
    a, b = np.array([1, 1, 0.5, 1] * 10), np.array([0.5, 0.5, 0.5, 0.25] * 10)
    assert (effect.words, effect.size) == (words, pytest.approx(1.0))
    assert (effect.queries, effect.seeds, effect.printed) == (40, 1, (0.5, 0.5))
    assert effect.confidence == 0.95 and effect.known
    assert effect.p == max(scipy.stats.ttest_rel(a, b).pvalue, 2.0**-29)  # 30 queries differ
    for end in (effect.low, effect.high):
        assert scipy.stats.ttest_1samp(a - b - end * b, 0).pvalue == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("printed", "expected"), [(0.9, "as printed"), (5.0, "smaller"), (0.01, "larger"), (-1.0, ""), (None, "")]
)
def test_an_effect_is_compared_with_the_printed_one_where_sizes_compare(store, printed, expected):
    values = store({"rodr": {"original": GOOD}, "dr_oq": {"original": FAIR}})
    arguments = {"system": "rodr", "over": ["dr_oq"], "query_sets": ["original"]}
    sizes = {} if printed is None else {"original, over dr_oq": printed}
    assert size(values, "improves", printed=sizes, **arguments) == expected
    result = judged(values, "improves", printed=sizes, **arguments)
    assert (result.verdict, result.effects[0].compared) == ("supported", "")  # a miniature tells directions


@pytest.mark.parametrize("printed", [0.02, 0.3, None])
def test_an_effect_that_may_be_none_is_inconclusive_whatever_is_printed(store, printed):
    """Of 40 queries one gains .5: 1.4 % of .875, and 7 % at most, more than the 2 % that `absent` allows."""
    values = store({"rodr": {"original": SLIGHTLY_BETTER}, "dr_oq": {"original": GOOD}})
    sizes = {} if printed is None else {"original, over dr_oq": printed}
    arguments = {"level": 0.05, "system": "rodr", "over": ["dr_oq"], "query_sets": ["original"], "printed": sizes}
    assert verdict(values, "improves", **arguments) == "inconclusive" and size(values, "improves", **arguments) == ""


def test_no_effect_within_the_margin_is_absent(store):
    """Of 400 queries one gains .5: .14 % of .875; at most .7 % differ unseen."""
    values = store({"rodr": {"original": SLIGHTLY_BETTER + GOOD * 9}, "dr_oq": {"original": GOOD * 10}})
    arguments = {"level": 0.05, "system": "rodr", "over": ["dr_oq"], "query_sets": ["original"], "sized": True}
    (effect,) = judged(values, "improves", printed={"original, over dr_oq": 0.3}, **arguments).effects
    assert (effect.verdict, effect.compared) == ("inconclusive", "absent")


def test_some_of_several_effects_are_partly_seen(store):
    """Two of three query sets improve; the third is the same. At no query set it is worse."""
    kinds = ["original", "misspell", "swap"]
    values = store({"rodr": dict(zip(kinds, (GOOD, GOOD, BAD), strict=True)), "dr_oq": dict.fromkeys(kinds, BAD)})
    result = judged(values, "improves", system="rodr", over=["dr_oq"], query_sets=kinds)
    assert (result.verdict, result.words) == ("partly", "partly: 2 supported, 1 open, 0 against, of 3")


def test_every_system_and_query_set_counts(store):
    values = store(
        {
            "rodr": {"original": GOOD, "misspell": GOOD},
            "dr_oq": {"original": BAD, "misspell": BAD},
            "dr_qv": {"original": BAD, "misspell": GOOD},
        }
    )
    sets = ["original", "misspell"]
    assert verdict(values, "improves", system="rodr", over=["dr_oq"], query_sets=sets) == "supported"
    result = judged(values, "improves", system="rodr", over=["dr_oq", "dr_qv"], query_sets=sets)
    assert result.words == "partly: 3 supported, 1 open, 0 against, of 4"


@pytest.mark.parametrize(
    "ours, margin, expected",
    [
        (GOOD, 0.1, "supported"),
        (BETTER, 0.1, "supported"),
        (FAIR, 0.2, "contradicted"),
        (SLIGHTLY_BETTER, 0.1, "supported"),
    ],
)
def test_not_worse(store, ours, margin, expected):
    values = store({"rodr": {"original": ours}, "dr_oq": {"original": GOOD}})
    arguments = {"system": "rodr", "than": "dr_oq", "query_sets": ["original"], "margin": margin}
    assert verdict(values, "not_worse", level=0.05, **arguments) == expected


@pytest.mark.parametrize(
    ("name", "size"), [("loses", -0.5), ("hurts_most", -0.25), ("hurts_least", 0.25), ("helps_least", -0.25)]
)
def test_a_loss_is_negative_to_readers_whatever_is_claimed(store, name, size):
    """On a query of `a` the system falls from 1 to .5, on one of `b` to .75; its base has 1, .75 and .75."""
    half, rest = [2] * 40, [1, 2] * 20
    values = store(
        {"rodr": {"original": BETTER, "a": half, "b": rest}, "dr_oq": {"original": BETTER, "a": rest, "b": rest}}
    )
    more_arguments = {"against": ["b"]} if name != "loses" else {}
    arguments = {"query_sets": ["a"], **more_arguments}
    if name == "hurts_least":
        arguments = {"query_sets": ["b"], "against": ["a"]}
    (effect,) = judged(values, name, system="rodr", **arguments, **OTHERS[name]).effects
    assert effect.size == pytest.approx(abs(size)) and effect.reader_view.size == pytest.approx(size)
    assert effect.reader_view.region == ((-np.inf, 0.0) if size < 0 else (0.0, np.inf))


def test_hurts_most_and_least(store):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD}})
    for name, kind, expected in (
        ("hurts_most", "misspell", "supported"),
        ("hurts_most", "swap", "contradicted"),
        ("hurts_least", "marks", "supported"),
        ("hurts_least", "swap", "contradicted"),
    ):
        assert verdict(values, name, system="dr_oq", query_sets=[kind]) == expected
    result = judged(values, "hurts_least", system="dr_oq", query_sets=["marks", "swap"])
    # Means: .875; (.25 + 0 + .25 + .2) / 4 = .175; (3 · .5 + .25) / 4 = .4375. Drops: 0, -80 %, -50 %.
    assert [(effect.words, effect.size) for effect in result.effects] == [
        ("marks, against misspell", pytest.approx(0.8)),
        ("swap, against misspell", pytest.approx(0.3)),
    ]
    assert result.verdict == "supported"


def test_only_the_variations_that_a_sentence_names_are_compared(store):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD}})
    result = judged(values, "hurts_most", system="dr_oq", query_sets=["swap"], against=["marks"])
    assert result.verdict == "supported" and [effect.words for effect in result.effects] == ["swap, against marks"]


def test_a_mean_is_not_compared_with_its_own_variations(store):
    """`misspell` alone costs more than the mean of which it is a part."""
    values = store(
        {"dr_oq": {"original": GOOD, "misspell": BAD, "keys": FAIR, "marks": GOOD}}, typos_mean=["misspell", "keys"]
    )
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["typos_mean"]) == "supported"


def test_smaller_drop(store):
    """A system that is worse everywhere may still lose less."""
    values = store({"rodr": {"original": FAIR, "misspell": FAIR}, "dr_oq": {"original": GOOD, "misspell": FAIR}})
    result = judged(values, "smaller_drop", system="rodr", than=["dr_oq"], query_sets=["misspell"])
    assert result.verdict == "supported" and result.effects[0].size == pytest.approx(0.5)
    assert verdict(values, "smaller_drop", system="dr_oq", than=["rodr"], query_sets=["misspell"]) == "contradicted"


@pytest.mark.parametrize(
    "ours, expected, loss", [(FAIR, "supported", 0.5), (GOOD, "inconclusive", 0), (BETTER, "contradicted", -1 / 7)]
)
def test_loses(store, ours, expected, loss):
    """.875 on the original queries; .4375, .875 and 1 on the misspelled ones."""
    values = store({"dr_oq": {"original": GOOD, "misspell": ours}})
    result = judged(values, "loses", system="dr_oq", query_sets=["misspell"])
    assert result.verdict == expected and result.effects[0].size == pytest.approx(loss)


@pytest.mark.parametrize(
    ("name", "ours", "expected"),
    [
        ("rises", GOOD, "supported"),  # .875 against .4375
        ("rises", BAD, "contradicted"),
        ("rises", FAIR, "inconclusive"),
        ("no_significant_gain", BAD, "supported"),
        ("no_significant_gain", FAIR, "inconclusive"),  # of 40 queries none differs: 2 % may differ unseen
        ("no_significant_gain", GOOD, "contradicted"),
    ],
)
def test_better_than_on_the_original_queries(store, name, ours, expected):
    values = store({"rodr": {"original": FAIR, "misspell": ours}})
    assert verdict(values, name, system="rodr", query_sets=["misspell"], **OTHERS[name]) == expected


def test_several_systems_stand_for_their_mean(store):
    """.875 and .4375 fall to .4375 and .175 (1/4, 0, 1/4, 1/5): (1.3125 − .6125) / 1.3125."""
    systems = {"rodr": {"original": GOOD, "misspell": FAIR, "swap_words": GOOD}}
    systems["dr_oq"] = {"original": FAIR, "misspell": BAD, "swap_words": GOOD}
    values = store(systems)
    arguments = {"system": ["rodr", "dr_oq"], "query_sets": ["misspell"]}
    (effect,) = judged(values, "loses", **arguments).effects
    assert effect.size == pytest.approx((1.3125 - 0.6125) / 1.3125)
    (effect,) = judged(values, "hurts_most", **arguments).effects
    assert effect.words == "misspell, against swap_words"
    assert effect.size == pytest.approx((1.75 - 0.6125) / 1.3125)


def test_helps_most_and_least(store):
    """Gains of .7, .4375 and 0 over a base whose mean on the original queries is .875."""
    sets = {"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD}
    values = store({"dr_oq": sets, "rodr": dict.fromkeys(sets, GOOD)})
    arguments = {"system": "rodr", "base": "dr_oq"}
    result = judged(values, "helps_most", query_sets=["misspell"], **arguments)
    assert result.verdict == "supported"
    assert [effect.size for effect in result.effects] == pytest.approx([0.3, 0.8])
    assert verdict(values, "helps_most", query_sets=["swap"], **arguments) == "contradicted"
    assert verdict(values, "helps_least", query_sets=["marks"], **arguments) == "supported"
    assert verdict(values, "helps_least", query_sets=["swap"], **arguments) == "contradicted"
    assert verdict(values, "helps_least", query_sets=["swap"], against=["misspell"], **arguments) == "supported"


@pytest.mark.parametrize("name", ["hurts_most", "hurts_least", "helps_most", "helps_least"])
def test_nothing_to_compare_with_proves_nothing(store, name):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD}})
    assert verdict(values, name, system="dr_oq", query_sets=["misspell"], **OTHERS[name]) == "inconclusive"


@pytest.mark.parametrize("name, others", OTHERS.items())
def test_what_was_not_run_says_why(store, name, others):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD}})
    result = judged(values, name, system="rodr", query_sets=["misspell"], **others)
    assert (result.verdict, result.reason) == ("not run", "rodr on toy: not run")
    result = judged(values, name, system="dr_oq", query_sets=["swap"], **others)
    assert (result.verdict, result.reason) == ("not run", "dr_oq on toy: no RR@10 for dev.swap was measured")


def test_costs_are_not_judged_by_queries(store):
    result = judged(store({}), "cheaper", system="capot", than="da", stated_size=HALF)
    assert result.verdict == "not run" and "the table of all methods" in result.reason


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_queries_does_not_matter(store, seed):
    random = np.random.default_rng(seed)
    ranks = random.integers(0, 6, size=(2, 3, 40))
    ranks[1, 0] = random.integers(1, 3, size=40)  # dr_oq, original queries: differences large enough for all verdicts

    def judge_all(ranks):
        sets = [dict(zip(["original", "misspell", "swap"], of_system.tolist(), strict=True)) for of_system in ranks]
        values = store({"rodr": sets[0], "dr_oq": sets[1]})
        return [
            judged(values, name, 0.3, system="rodr", query_sets=["misspell"], **more_arguments)
            for name, more_arguments in OTHERS.items()
        ]

    once, again = judge_all(ranks), judge_all(ranks[:, :, random.permutation(40)])
    assert [claim.verdict for claim in again] == [claim.verdict for claim in once]
    for first, second in zip(once, again, strict=True):
        assert [effect.low for effect in second.effects] == pytest.approx([effect.low for effect in first.effects])
    assert len({claim.verdict for claim in once}) > 1


def test_a_stale_file_is_not_tested_and_named(measured):
    path = measured("rodr", {"dev.original": GOOD}, key="old")
    values = Store([Source(path, "new")], {"toy": {"collection": "toy", "split": "dev", "means": {}}})
    result = judged(values, "improves", system="rodr", over=["rodr"], query_sets=["original"])
    assert result.verdict == "not run" and f"{path} carries the key old" in result.reason
