"""Measured values: averaged right, refused where their key is not the expected one."""

import numpy as np
import pytest

from robustdr.core.errors import UserError
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.store import Source, Store
from robustdr.keys.integrity import record, record_of

RANKS = {"dev.original": [1, 2, 4], "dev.misspell": [2, 4, 0], "dev.swap_words": [1, 2, 2], "test.original": [1, 1, 1]}
TOY = {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell", "swap_words"], "typos_mean": ["misspell"]}}
ROLES = {"toy": TOY, "tested": {**TOY, "split": "test"}, "private": {**TOY, "collection": "private"}}


def values(store, query_set, role="toy", measure="RR@10"):
    return store.values("rodr", role, query_set, measure).tolist()


def test_values_by_query_set(measured):
    store = Store([Source(measured("rodr", RANKS), "key")], ROLES)
    assert values(store, "original") == [[1.0, 0.5, 0.25]]
    assert values(store, "misspell") == [[0.5, 0.25, 0.0]]
    assert values(store, "original", role="tested") == [[1.0, 1.0, 1.0]]
    assert store.query_sets("rodr", "toy") == ["misspell", "swap_words"]
    assert store.why_not("rodr", "toy", MEAN) == ""


def test_a_mean_averages_the_variations_that_it_is_given(measured):
    store = Store([Source(measured("rodr", RANKS), "key")], ROLES)
    assert values(store, MEAN) == [[0.75, 0.375, 0.25]]
    assert values(store, "typos_mean") == [[0.5, 0.25, 0.0]]


def test_roles_of_one_collection_have_their_own_means(measured):
    roles = {"toy": TOY, "typed": {**TOY, "means": {MEAN: ["swap_words"]}}}
    store = Store([Source(measured("rodr", RANKS), "key")], roles)
    assert values(store, MEAN) == [[0.75, 0.375, 0.25]] and values(store, MEAN, "typed") == [[1.0, 0.5, 0.5]]
    assert store.query_sets("rodr", "toy") == ["misspell", "swap_words"]
    assert store.query_sets("rodr", "typed") == ["swap_words"]


def test_query_sets_of_other_papers_are_in_no_mean(measured):
    ranks = {**RANKS, "dev.typo": [0, 0, 0]}
    store = Store([Source(measured("rodr", ranks), "key")], ROLES)
    assert store.query_sets("rodr", "toy") == ["misspell", "swap_words"]
    assert values(store, MEAN) == [[0.75, 0.375, 0.25]] and values(store, "typo") == [[0.0, 0.0, 0.0]]


def test_a_mean_that_lacks_a_variation_is_no_mean(measured):
    ranks = {kind: ranks for kind, ranks in RANKS.items() if kind != "dev.misspell"}
    store = Store([Source(measured("rodr", ranks), "key")], ROLES, {"misspell": "its list is private"})
    assert store.why_not("rodr", "toy", MEAN) == "its list is private"
    assert store.query_sets("rodr", "toy") == ["swap_words"]
    with pytest.raises(UserError, match=r"rodr on toy: no RR@10 for dev\.misspell was measured"):
        values(store, MEAN)


def test_a_collection_that_is_not_to_be_had_says_so_before_a_system_does(measured):
    reasons = {"rodr": "released as a pickle only", "private": "its queries are private"}
    store = Store([Source(measured("dr_oq", RANKS), "key")], ROLES, reasons)
    assert store.why_not("rodr", "private", "original") == "its queries are private"
    assert store.why_not("rodr", "toy", "original") == "released as a pickle only"
    assert store.why_not("dr_oq", "private", "original") == "its queries are private"
    with pytest.raises(UserError, match="dr_oq on private: its queries are private"):
        store.values("dr_oq", "private", "original", "RR@10")


def test_seeds_are_rows(measured):
    source = measured("rodr", {"dev.original": [1, 2]}, seed=1, key="k1")
    two = measured("rodr", {"dev.original": [4, 0]}, seed=2, key="k2")
    assert values(Store([Source(source, "k1"), Source(two, "k2")], ROLES), "original") == [[1.0, 0.5], [0.25, 0.0]]


def test_queries_stand_in_the_order_of_their_ids_so_that_systems_pair(measured, tmp_path):
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings
    from robustdr.retrieval.runs import write_run

    (tmp_path / "qrels").write_text("q10 0 d 1\nq2 0 d 1\nq1 0 d 1\n")
    write_run(tmp_path / "run.gz", {"q2": [("d", 1.0)], "q1": [("x", 2.0), ("d", 1.0)]}, {"tag": "t"})
    output = tmp_path / "measures" / "toy" / "rodr" / "seed1" / "all.parquet"
    settings = EvaluateSettings({"dev.original": ["RR@10"]}, relevance_level=1)
    write_measures(settings, {"dev.original": (tmp_path / "run.gz", tmp_path / "qrels")}, output)
    record(output, key="key")
    assert values(Store([Source(output, "key")], ROLES), "original") == [[0.5, 0.0, 1.0]]  # q1, q10, q2


def test_a_stale_file_is_refused_and_named(measured):
    path = measured("rodr", RANKS, key="old")
    store = Store([Source(path, "new"), Source(measured("dr_oq", RANKS), "key")], ROLES)
    reason = store.why_not("rodr", "toy", "original")
    assert reason == (
        f"{path} carries the key old, the configuration and code make new: stale; delete it and run again"
    )
    with pytest.raises(UserError, match=r"^rodr on toy: .*seed1/all.parquet carries the key old, "):
        values(store, "original")
    assert store.why_not("dr_oq", "toy", "original") == ""


def test_one_stale_seed_spoils_the_mean_over_seeds(measured):
    fresh, stale = measured("rodr", RANKS, seed=1), measured("rodr", RANKS, seed=2, key="old")
    store = Store([Source(fresh, "key"), Source(stale, "key")], ROLES)
    assert "seed2/all.parquet carries the key old" in store.why_not("rodr", "toy", "original")


def test_a_file_without_a_key_is_refused(measured):
    store = Store([Source(measured("rodr", RANKS, key=""), "key")], ROLES)
    assert "seed1/all.parquet carries no key" in store.why_not("rodr", "toy", "original")
    path = measured("rodr", RANKS)
    record_of(path).unlink()
    assert "seed1/all.parquet carries no key" in Store([Source(path, "key")], ROLES).why_not("rodr", "toy", "original")


def test_a_system_that_was_not_run_says_why():
    store = Store([], ROLES, {"ance": "released as a pickle only"})
    assert store.why_not("ance", "toy", "original") == "released as a pickle only"
    assert store.why_not("rodr", "toy", "original") == "not run"
    with pytest.raises(UserError, match="ance on toy: released as a pickle only"):
        store.values("ance", "toy", "original", "RR@10")
    with pytest.raises(UserError, match="ance on toy: released as a pickle only"):
        store.query_sets("ance", "toy")
    with pytest.raises(UserError, match=r"^rodr on toy: not run$"):
        store.query_sets("rodr", "toy")


@pytest.mark.parametrize("query_set, measure", [("misspelt", "RR@10"), ("original", "R@1000")])
def test_nothing_measured_there(measured, query_set, measure):
    store = Store([Source(measured("rodr", RANKS), "key")], ROLES)
    with pytest.raises(UserError, match=rf"rodr on toy: no {measure} for dev\.{query_set} was measured"):
        values(store, query_set, measure=measure)


@pytest.mark.parametrize("means", [{MEAN: []}, {}])
def test_the_mean_over_no_variations(measured, means):
    store = Store([Source(measured("rodr", {"dev.original": [1]}), "key")], {"toy": {**TOY, "means": means}})
    assert store.why_not("rodr", "toy", MEAN) == "no query set of variations_mean can be made at this scale"
    with pytest.raises(UserError, match="rodr on toy: no query set of variations_mean was measured"):
        values(store, MEAN)


def test_values_are_shares_of_one(measured):
    store = Store([Source(measured("rodr", RANKS), "key")], ROLES)
    assert np.ptp(values(store, "original")) <= 1
