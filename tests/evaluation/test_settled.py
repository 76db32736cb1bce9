"""Runs of a ledger: seeds of several evenings add up, and runs that differ in more than their seed never mix."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.priors import Runs
from robustdr.evaluation.settled import lay_out, one_run_a_seed, settled_rows
from robustdr.evaluation.store import Source, Store

ROLES = {"toy": {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell"]}}}
EXPECTED = {("rodr", "toy", f"dev.{name}"): f"s-{name}" for name in ("original", "misspell")}


def row(value, seed, query_set="original", **changed):
    fields = {"scale": "mini", "system": "rodr", "collection": "toy", "seed": seed, "key": f"k{seed}", "code": "c1"}
    fields |= {
        "hardware": "a",
        "commit": "abc",
        "date": "2026-01-01",
        "query_set": f"dev.{query_set}",
        "measure": "RR@10",
    }
    fields |= {"measure": "RR@10", "settings": f"s-{query_set}", "qids": "q1 q2", "values": np.full(2, value)}
    return {**fields, **changed}


@pytest.fixture()
def store(tmp_path):
    def laid(*rows):
        keys = lay_out(one_run_a_seed(settled_rows(pd.DataFrame(rows), "mini", EXPECTED)), tmp_path)
        return Store([Source(Path(path), key) for path, key in keys.items()], ROLES)

    return laid


def values(settled_store, query_set="original"):
    return settled_store.values("rodr", "toy", query_set, "RR@10").tolist()


def test_seeds_of_several_files_are_rows_in_their_order(store):
    settled_store = store(row(0.5, 2), row(0.25, 1), row(0.75, 10))
    assert values(settled_store) == [[0.25, 0.25], [0.5, 0.5], [0.75, 0.75]]
    assert settled_store.queries("rodr", "toy") == ["q1", "q2"]


def test_systems_are_compared_by_the_seeds_that_both_have(tmp_path):
    rows = [row(0.1 * seed, seed) for seed in (1, 2, 3)] + [row(1.0 * seed, seed, system="st") for seed in (1, 3)]
    keys = lay_out(one_run_a_seed(pd.DataFrame(rows)), tmp_path)
    runs = Runs(frozenset({"rodr", "st"}))
    both = Store([Source(Path(path), key) for path, key in keys.items()], ROLES, runs=runs)
    ours, theirs = (both.estimate(system, "toy", "original", "RR@10") for system in ("st", "rodr"))
    assert (ours - theirs).values == pytest.approx(np.array([[0.9, 0.9], [2.7, 2.7]]))


def test_other_settings_and_other_scales_never_mix_in(store):
    settled_store = store(row(0.5, 1), row(0.9, 2, settings="other"), row(0.9, 3, scale="full"))
    assert values(settled_store) == [[0.5, 0.5]]
    assert store(row(0.5, 1, settings="other")).why_not("rodr", "toy", "original") == "not run"


def test_seeds_of_several_codes_add_up_and_the_newest_run_of_a_seed_is_taken(store):
    old = [row(0.1, seed) for seed in (1, 2)]
    new = row(0.2, 1, code="c2", key="a1", date="2026-02-01")
    assert values(store(*old, new)) == values(store(new, *old)) == [[0.2, 0.2], [0.1, 0.1]]


def test_a_seed_counts_once_on_the_hardware_that_has_most_runs(store):
    later = row(0.1, 1, hardware="a", key="a1", date="2026-02-01")
    rows = [later, row(0.2, 1, hardware="b", key="b1"), row(0.3, 2, hardware="b")]
    assert values(store(*rows)) == [[0.2, 0.2], [0.3, 0.3]]


def test_runs_of_one_code_are_not_more_than_one_seed_of_a_machine(store):
    """Three codes ran seed 1 on machine a: one run of a machine, where b has two seeds."""
    again = [row(0.1, 1, key=f"a{code}", code=f"c{code}") for code in range(3)]
    assert values(store(*again, row(0.2, 1, hardware="b", key="b1"), row(0.3, 2, hardware="b"))) == [
        [0.2] * 2,
        [0.3] * 2,
    ]


def test_a_query_set_that_one_seed_lacks_is_left_out(store):
    settled_store = store(row(0.5, 1), row(0.4, 1, "misspell"), row(0.5, 2))
    assert values(settled_store) == [[0.5, 0.5]] * 2
    with pytest.raises(UserError, match=r"no RR@10 for dev\.misspell was measured"):
        values(settled_store, "misspell")


def test_an_empty_ledger_was_not_run(tmp_path):
    rows = ledger.read_ledger(tmp_path)
    assert lay_out(one_run_a_seed(settled_rows(rows, "mini", EXPECTED)), tmp_path) == {}
