"""Claims as printed: direction, size and marks of the paper's own numbers; and what the five papers say of theirs."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import pytest

from robustdr.audit.audited import Audit, audit
from robustdr.audit.printed_claims import AsPrinted, Claimed, judge, judge_folder, percent
from robustdr.audit.reported import load_paper
from robustdr.claims.claim import Claim
from robustdr.core.errors import UserError

TABLE = {
    "where": {"collection": "passages", "measure": "RR@10"},
    "unit": "percent",
    "marks": {"†": "better than a"},
    "columns": [{"system": "a", "and": "drop"}, {"system": "b", "and": "drop"}],
    "cells": """\
original | 40.0        | 41.0†
typo     | 20.0/-50.0% | 30.0†/-26.8%
swap     | 39.0/-2.50% | 40.0/-2.44%
marks    | 39.0/-2.40% | 41.0/0.00%
near     | 39.0        | 39.1†
""",
}
PROSE = {
    "row": "quantity",
    "columns": [{}],
    "cells": "much | over 45%\nlittle | less than 3%\nexact | 50%\nfall | -50.0%\n",
}
COST = {
    "where": {"collection": "passages"},
    "row": ["system", "quantity"],
    "columns": [{}],
    "cells": """\
a | training_time           | 26 hours
a | training_and_index_time | 50 hours
b | training_time           | 2.0 hours
b | less                    | 20 times
""",
}
VARIATIONS = {"passages": {"variations": ["typo", "swap", "marks"], "means": {"words_mean": ["swap", "marks"]}}}


def claim(test: dict, **about) -> Claim:
    keys = {"claim": "C", "source": "§", "role": "passages", "measure": "RR@10", "level": 0.05}
    return Claim.model_validate({**keys, **about, "test": test})


def on_paper(declared: Claim, audited: Audit, names: Mapping[str, str] = MappingProxyType({})) -> AsPrinted:
    (verdict,) = judge([declared], VARIATIONS, names, audited.reported, audited.findings, "claims.yaml")
    return verdict


@pytest.fixture
def printed(paper):
    """`printed(name="improves", system="ours", …)`: what the paper prints for it; `ours` is `b` and `theirs` is `a`."""
    audited = audit(paper(table1=TABLE, prose=PROSE, cost=COST))

    def make(mark="", tables=("table1",), **test):
        declared = claim(test, reported=list(tables), **({"mark": mark} if mark else {}))
        return on_paper(declared, audited, {"ours": "b", "theirs": "a"})

    return make


def stated_size(quantity):
    return {"table": "prose", "quantity": quantity}


SMALLER = {"name": "smaller_drop", "system": "ours", "than": ["theirs"]}
TYPO = {"name": "improves", "system": "ours", "over": ["theirs"], "query_sets": ["typo"]}


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ({"name": "improves", "system": "ours", "over": ["theirs"], "query_sets": ["typo", "swap"]}, "supported"),
        ({"name": "improves", "system": "theirs", "over": ["ours"], "query_sets": ["typo"]}, "contradicted"),
        (
            {"name": "not_worse", "system": "theirs", "than": "ours", "query_sets": ["swap"], "margin": 0.05},
            "supported",
        ),
        (
            {"name": "not_worse", "system": "theirs", "than": "ours", "query_sets": ["swap"], "margin": 0.01},
            "contradicted",
        ),
        (
            {"name": "equivalence", "system": "theirs", "to": "ours", "query_sets": ["swap"], "margin": 0.05},
            "supported",
        ),
        # 30 and 20 of 40: not similar, for the better, and not for the worse
        (
            {"name": "equivalence", "system": "ours", "to": "theirs", "query_sets": ["typo"], "margin": 0.05},
            "contradicted",
        ),
        (
            {"name": "equivalence", "system": "theirs", "to": "ours", "query_sets": ["typo"], "margin": 0.05},
            "contradicted",
        ),
        ({"name": "loses", "system": "theirs", "query_sets": ["typo", "swap"]}, "supported"),
        ({"name": "loses", "system": "ours", "query_sets": ["marks"]}, "inconclusive"),  # 41.0 and 41.0
        ({"name": "loses", "system": ["ours", "theirs"], "query_sets": ["marks"]}, "supported"),  # 40.5 and 40.0
        ({"name": "rises", "system": ["ours", "theirs"], "query_sets": ["marks"]}, "contradicted"),
        ({"name": "rises", "system": "theirs", "query_sets": ["typo"]}, "contradicted"),
        ({"name": "no_significant_gain", "system": "theirs", "query_sets": ["typo"]}, "inconclusive"),  # names no mark
        ({"name": "loses", "system": "theirs", "query_sets": ["words_mean"]}, "supported"),  # 39.0 of 39.0 and 39.0
        ({"name": "hurts_most", "system": ["ours", "theirs"], "query_sets": ["typo"]}, "supported"),
        (
            {"name": "loses", "system": "theirs", "query_sets": ["typo"], "printed_size": stated_size("much")},
            "supported",
        ),
        (
            {"name": "loses", "system": "ours", "query_sets": ["typo"], "printed_size": stated_size("much")},
            "contradicted",
        ),
        (
            {"name": "loses", "system": "theirs", "query_sets": ["swap"], "printed_size": stated_size("little")},
            "supported",
        ),
        (
            {
                "name": "loses",
                "system": "theirs",
                "query_sets": ["typo"],
                "printed_size": stated_size("fall"),
                "margin": 0.01,
            },
            "supported",
        ),
        (
            {"name": "loses", "system": "theirs", "query_sets": ["typo"], "printed_size": stated_size("exact")},
            "supported",
        ),
        ({"name": "hurts_most", "system": "theirs", "query_sets": ["typo"]}, "supported"),
        ({"name": "hurts_most", "system": "theirs", "query_sets": ["words_mean"]}, "contradicted"),  # 39.0
        # 39.0 both: the printed drops tell them apart
        ({"name": "hurts_least", "system": "theirs", "query_sets": ["marks"]}, "supported"),
        ({"name": "hurts_least", "system": "theirs", "query_sets": ["swap"]}, "contradicted"),
        ({"name": "hurts_least", "system": "theirs", "query_sets": ["swap"], "against": ["typo"]}, "supported"),
        ({"name": "helps_most", "system": "ours", "base": "theirs", "query_sets": ["typo"]}, "supported"),
        ({"name": "helps_least", "system": "ours", "base": "theirs", "query_sets": ["marks"]}, "contradicted"),
        ({"name": "smaller_drop", "system": "ours", "than": ["theirs"], "query_sets": ["typo", "swap"]}, "supported"),
        # 26.8 % is 46 % less than 50.0 %
        ({**SMALLER, "query_sets": ["typo"], "printed_size": stated_size("much"), "margin": 0.02}, "supported"),
        ({**SMALLER, "query_sets": ["typo"], "printed_size": stated_size("exact")}, "contradicted"),
        ({**SMALLER, "query_sets": ["near"]}, "contradicted"),  # 39.0 of 40.0, 39.1 of 41.0
        ({**SMALLER, "query_sets": ["near"], "base": "theirs"}, "inconclusive"),
        # 10.0 of 20.0, and of 40.0
        ({**TYPO, "printed_size": stated_size("exact"), "margin": 0.02, "relative_to": "query_set"}, "supported"),
        ({**TYPO, "printed_size": stated_size("exact"), "margin": 0.02}, "contradicted"),
        ({"name": "improves", "system": "ours", "over": ["else"], "query_sets": ["typo"]}, "not printed"),
    ],
)
def test_what_is_printed(printed, test, expected):
    assert printed(**test).verdict == expected


def test_the_interval_is_what_rounding_leaves_open(printed):
    (effect,) = printed(name="improves", system="ours", over=["theirs"], query_sets=["typo"]).effects
    assert (effect.words, effect.marks) == ("typo, over theirs", "†")
    assert effect.low == pytest.approx((29.95 - 20.1) / 40.1) and effect.high == pytest.approx((30.1 - 19.95) / 39.95)


def test_a_mark_that_a_claim_names_must_be_printed_and_settles_what_rounding_leaves_open(printed):
    test = {"name": "improves", "system": "ours", "over": ["theirs"]}
    assert printed("†", **test, query_sets=["typo"]).verdict == "supported"
    assert printed("†", **test, query_sets=["typo", "swap"]).words == "partly: 1 supported, 1 open, 0 against, of 2"
    assert printed("†", **test, query_sets=["near"]).verdict == "supported"  # 39.0 and 39.1 may be the same number
    assert printed(**test, query_sets=["near"]).verdict == "inconclusive"
    loss = {"name": "loses", "system": "ours", "query_sets": ["swap"]}  # its original queries are marked, swap is not
    assert printed("†", **loss).verdict == "inconclusive" and printed(**loss).verdict == "supported"
    assert printed("†", name="improves", system="theirs", over=["ours"], query_sets=["typo"]).verdict == "contradicted"


def test_no_gain_is_marked(printed):
    """Gains carry the claim's mark; `marks` is above the original queries of neither, `swap` of neither marked."""
    test = {"name": "no_significant_gain", "system": ["ours", "theirs"]}
    assert printed("↑", **test, query_sets=["typo", "swap"]).verdict == "supported"
    verdict = printed("†", **test, query_sets=["typo", "swap"])
    assert [(effect.words, effect.verdict) for effect in verdict.effects] == [
        ("typo, of ours", "contradicted"),
        ("swap, of ours", "supported"),
        ("typo, of theirs", "supported"),
        ("swap, of theirs", "supported"),
    ]


def test_a_printed_average_drop_is_that_on_the_mean_and_a_loss(paper):
    """It stands beside the original queries without its sign: 2.8 % against 4.1 %, each with its rounding."""
    columns = [{"query_set": "original", "and": "average_drop"}]
    audited = audit(
        paper(table1={**TABLE, "row": "system", "columns": columns, "cells": "a | 40.0/4.1%\nb | 41.0/2.8%\n"})
    )
    test = {"name": "smaller_drop", "system": "b", "than": ["a"], "query_sets": ["variations_mean"]}
    verdict = on_paper(claim(test, reported=["table1"]), audited)
    (effect,) = verdict.effects
    assert (verdict.verdict, effect.low, effect.high) == ("supported", pytest.approx(0.0115), pytest.approx(0.0145))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("§5, Figure 3", "the numbers behind it (§5, Figure 3) are not in the available text"),
        ("hypothesis, stated before its run", "no paper prints it"),
    ],
)
def test_what_is_not_printed_says_why(paper, source, reason):
    declared = claim({"name": "loses", "system": "a", "query_sets": ["typo"]}, source=source)
    verdict = on_paper(declared, audit(paper(table1=TABLE)))
    assert (verdict.verdict, verdict.reason) == ("not printed", reason)


def judged(name: str) -> list[Claimed]:
    paper_audit = audit(load_paper(name))
    return judge_folder(paper_audit.reported, paper_audit.findings)


def test_intent_prints_average_and_worst_drops_of_dense_retrievers_on_wikiqa():
    judged_claims = judged("intent")
    drops = {
        claim.part: [(e.low, e.high) for e in verdict.effects]
        for claim, verdict in judged_claims
        if "slightly inf" in claim.claim
    }
    assert drops["avg d., on WikiQA"] == [pytest.approx((0.0035, 0.0065))]  # 4.1 % and 3.6 %
    assert drops["worst d., on WikiQA"] == [pytest.approx((0.0625, 0.0655))]  # 12.3 % and 5.9 %


@pytest.mark.parametrize(("times", "expected"), [(20, "supported"), (40, "contradicted")])
def test_cheaper(paper, times, expected):
    """50 hours with the index, against 2.0."""
    audited = audit(paper(cost={**COST, "cells": COST["cells"].replace("20 times", f"{times} times")}))
    test = {
        "name": "cheaper",
        "system": "b",
        "than": "a",
        "printed_size": {"table": "cost", "system": "b", "quantity": "less"},
    }
    assert on_paper(claim(test, reported=["cost"]), audited).verdict == expected


def test_a_table_that_the_paper_has_not_is_an_error(printed):
    with pytest.raises(UserError, match=r"claims\.yaml: claims\.0: reported: 'table3' is unknown"):
        printed(tables=["table3"], name="loses", system="ours", query_sets=["typo"])


# Parts of sentences that some of their own paper's numbers contradict: findings about the papers, each read again in
# the text.
CONTRADICTED = {
    "rodr": [
        # Table 3: swapped words cost 3.43 %, extra punctuation 3.60 %.
        (
            "DR_OQ suffers from misspellings (MISSPELL) the most",
            "extra punctuation and verb tense the least, on documents",
        ),
        # Table 3: swapped words cost DR_OQ→QV 3.48 % and DR_OQ 3.43 %.
        ("DR models including DR_QV and DR_OQ→QV are much more tolerant", "DR_OQ→QV, on documents"),
        ("RoDR w/ DR_OQ still reaches smaller average drop rate", "by R@1000"),  # Table 4: 3.72 % and 3.68 % of DR_QV
        ("When RoDR is applied to these three DR models", "drop of ANCE, on ANTIQUE"),  # Table 5: 7.09 % and 6.70 %
    ],
    "capot": [
        # Table 6: -18.40 % and -14.02 %, a quarter less (and 80.63 % stands where Table 17 has 80.67 %).
        ("Across tasks and datasets, increasing the recall set from 20 to 200", "on MSMARCO"),
        (
            "Using CAPOT can improve performance on queries with noise",
            "improves, on MSMARCO",
        ),  # Table 25: -22.76 and -20.92 %
        # Table 20: 86.16 % and 81.84 % are 4.9 % of 88.25 %.
        ("On the NQ the gap between CAPOT and the baseline", "3% at 200"),
        # Tables 21 and 25: CAPOT is better than data augmentation by more than two points of a hundred.
        ("CAPOT has a similar impact as data augmentation", "on TriviaQA"),
        ("CAPOT has a similar impact as data augmentation", "on MSMARCO"),
        ("CAPOT, like DA, sees the highest impact", "DA, on TriviaQA"),
        ("CAPOT, like DA, sees the highest impact", "CAPOT, on MSMARCO"),
        ("CAPOT, like DA, sees the highest impact", "DA, on MSMARCO"),
        # Table 3: PT -7.99 % and -6.57 %, unaltered -8.33 % and -7.27 %; Table 2: -28.69 % and -30.46 %.
        ("The use of pre-training alignment is never optimal", "on NQ at 100"),
        ("The use of pre-training alignment is never optimal", "on NQ at 200"),
        ("The use of pre-training alignment is never optimal", "on MSMARCO at 200"),
    ],
    "qvg": [],
    "intent": [  # Table 5: .558 and .578, .310 and .317
        ("In comparison to the original Dense Retriever (DR) and Reranker", "dense retrieval, on ANTIQUE by nDCG@10"),
        ("In comparison to the original Dense Retriever (DR) and Reranker", "dense retrieval, on ANTIQUE by P@10"),
    ],
    "toroder": [],
}
# How many parts are supported, and how many are neither that nor contradicted in a cell: of ToRoDer for want of marks,
# else numbers.
OTHERS = {"rodr": (36, 0), "capot": (41, 1), "qvg": (8, 17), "intent": (27, 31), "toroder": (67, 37)}


@pytest.mark.parametrize("name", CONTRADICTED)
def test_what_the_papers_numbers_say_of_their_claims(name):
    judged_claims = [(claim, verdict) for claim, verdict in judged(name) if not claim.hypothesis]
    against = [claim for claim, verdict in judged_claims if verdict.against]
    assert [claim.part for claim in against] == [part for _, part in CONTRADICTED[name]]
    assert all(claim.claim.startswith(words) for claim, (words, _) in zip(against, CONTRADICTED[name], strict=True))
    holds = sum(verdict.verdict == "supported" for _, verdict in judged_claims)
    assert (holds, len(judged_claims) - holds - len(against)) == OTHERS[name]


@pytest.mark.parametrize("name", CONTRADICTED)
def test_a_paper_has_three_to_six_headline_sentences(name):
    assert 3 <= len({claim.claim for claim, _ in judged(name) if claim.headline}) <= 6


def test_an_interval_in_words():
    assert percent(0.515, 0.527) == "+51.5% to +52.7%" and percent(0.5081, 0.5082) == "+50.8%"
    assert percent(-inf, -0.5) == "at most -50.0%" and percent(0.5, inf) == "at least +50.0%"
