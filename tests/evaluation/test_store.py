"""Measured values: averaged right, refused where their key is not the expected one."""

import numpy as np
import pytest

from robustdr.errors import UserError
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.store import Source, Store

RANKS = {"dev.original": [1, 2, 4], "dev.misspell": [2, 4, 0], "dev.swap_words": [1, 2, 2], "test.original": [1, 1, 1]}
MEANS = {"toy": {MEAN: ["misspell", "swap_words"], "typos_mean": ["misspell"]}}


def values(store, query_set, split="dev", measure="RR@10"):
    return store.values("rodr", "toy", split, query_set, measure).tolist()


def test_values_by_query_set(measured):
    store = Store([Source(measured("rodr", RANKS), "key")], {}, MEANS)
    assert values(store, "original") == [[1.0, 0.5, 0.25]]
    assert values(store, "misspell") == [[0.5, 0.25, 0.0]]
    assert values(store, "original", split="test") == [[1.0, 1.0, 1.0]]
    assert store.query_sets("rodr", "toy", "dev") == ["misspell", "swap_words"]
    assert store.why_not("rodr", "toy", "dev", MEAN) == ""


def test_a_mean_averages_the_variations_that_it_is_given(measured):
    store = Store([Source(measured("rodr", RANKS), "key")], {}, MEANS)
    assert values(store, MEAN) == [[0.75, 0.375, 0.25]]
    assert values(store, "typos_mean") == [[0.5, 0.25, 0.0]]


def test_query_sets_of_other_papers_are_in_no_mean(measured):
    ranks = {**RANKS, "dev.typo": [0, 0, 0]}
    store = Store([Source(measured("rodr", ranks), "key")], {}, MEANS)
    assert store.query_sets("rodr", "toy", "dev") == ["misspell", "swap_words"]
    assert values(store, MEAN) == [[0.75, 0.375, 0.25]] and values(store, "typo") == [[0.0, 0.0, 0.0]]


def test_a_mean_that_lacks_a_variation_is_no_mean(measured):
    ranks = {kind: ranks for kind, ranks in RANKS.items() if kind != "dev.misspell"}
    store = Store([Source(measured("rodr", ranks), "key")], {"misspell": "its list is private"}, MEANS)
    assert store.why_not("rodr", "toy", "dev", MEAN) == "its list is private"
    assert store.query_sets("rodr", "toy", "dev") == ["swap_words"]
    with pytest.raises(UserError, match=r"rodr on toy: no RR@10 for dev\.misspell was measured"):
        values(store, MEAN)


def test_a_collection_that_is_not_to_be_had_says_so_before_a_system_does(measured):
    reasons = {"rodr": "released as a pickle only", "private": "its queries are private"}
    store = Store([Source(measured("dr_oq", RANKS), "key")], reasons, MEANS)
    assert store.why_not("rodr", "private", "dev", "original") == "its queries are private"
    assert store.why_not("rodr", "toy", "dev", "original") == "released as a pickle only"
    assert store.why_not("dr_oq", "private", "dev", "original") == "its queries are private"
    with pytest.raises(UserError, match="dr_oq on private: its queries are private"):
        store.values("dr_oq", "private", "dev", "original", "RR@10")


def test_seeds_are_rows(measured):
    one = measured("rodr", {"dev.original": [1, 2]}, seed=1, key="k1")
    two = measured("rodr", {"dev.original": [4, 0]}, seed=2, key="k2")
    assert values(Store([Source(one, "k1"), Source(two, "k2")]), "original") == [[1.0, 0.5], [0.25, 0.0]]


def test_queries_stand_in_the_order_of_their_ids_so_that_systems_pair(measured, tmp_path):
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings
    from robustdr.retrieval.runs import write_run

    (tmp_path / "qrels").write_text("q10 0 d 1\nq2 0 d 1\nq1 0 d 1\n")
    write_run(tmp_path / "run.gz", {"q2": [("d", 1.0)], "q1": [("x", 2.0), ("d", 1.0)]}, {"tag": "t"})
    output = tmp_path / "measures" / "toy" / "rodr" / "seed1.parquet"
    settings = EvaluateSettings({"dev.original": ["RR@10"]}, relevance_level=1)
    write_measures(settings, "key", {"dev.original": (tmp_path / "run.gz", tmp_path / "qrels")}, output)
    assert values(Store([Source(output, "key")]), "original") == [[0.5, 0.0, 1.0]]  # q1, q10, q2


def test_a_stale_file_is_refused_and_named(measured):
    path = measured("rodr", RANKS, key="old")
    store = Store([Source(path, "new"), Source(measured("dr_oq", RANKS), "key")])
    reason = store.why_not("rodr", "toy", "dev", "original")
    assert reason == (
        f"{path} carries the key old, the configuration and code make new: stale; delete it and run again"
    )
    with pytest.raises(UserError, match=r"^rodr on toy: .*seed1.parquet carries the key old, "):
        values(store, "original")
    assert store.why_not("dr_oq", "toy", "dev", "original") == ""


def test_one_stale_seed_spoils_the_mean_over_seeds(measured):
    fresh, stale = measured("rodr", RANKS, seed=1), measured("rodr", RANKS, seed=2, key="old")
    store = Store([Source(fresh, "key"), Source(stale, "key")])
    assert "seed2.parquet carries the key old" in store.why_not("rodr", "toy", "dev", "original")


def test_a_file_without_a_key_is_refused(measured):
    store = Store([Source(measured("rodr", RANKS, key=""), "key")])
    assert "seed1.parquet carries no key" in store.why_not("rodr", "toy", "dev", "original")


def test_a_system_that_was_not_run_says_why():
    store = Store([], {"ance": "released as a pickle only"})
    assert store.why_not("ance", "toy", "dev", "original") == "released as a pickle only"
    assert store.why_not("rodr", "toy", "dev", "original") == "not run"
    with pytest.raises(UserError, match="ance on toy: released as a pickle only"):
        store.values("ance", "toy", "dev", "original", "RR@10")
    with pytest.raises(UserError, match="ance on toy: released as a pickle only"):
        store.query_sets("ance", "toy", "dev")
    with pytest.raises(UserError, match=r"^rodr on toy: not run$"):
        store.query_sets("rodr", "toy", "dev")


@pytest.mark.parametrize("query_set, measure", [("misspelt", "RR@10"), ("original", "R@1000")])
def test_nothing_measured_there(measured, query_set, measure):
    store = Store([Source(measured("rodr", RANKS), "key")])
    with pytest.raises(UserError, match=rf"rodr on toy: no {measure} for dev\.{query_set} was measured"):
        values(store, query_set, measure=measure)


@pytest.mark.parametrize("means", [{"toy": {MEAN: []}}, {"toy": {}}, {}])
def test_the_mean_over_no_variations(measured, means):
    store = Store([Source(measured("rodr", {"dev.original": [1]}), "key")], {}, means)
    assert store.why_not("rodr", "toy", "dev", MEAN) == "no query set of variations_mean can be made at this scale"
    with pytest.raises(UserError, match="rodr on toy: no query set of variations_mean was measured"):
        values(store, MEAN)


def test_values_are_shares_of_one(measured):
    store = Store([Source(measured("rodr", RANKS), "key")])
    assert np.ptp(values(store, "original")) <= 1
