"""The ledger: files that only add up, and queries that pair by their ids."""

import numpy as np
import pandas as pd
import pytest

from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evaluation.ledger import SCHEMA

RUN = {"scale": "mini", "system": "rodr", "collection": "toy", "seed": 1, "key": "k1", "code": "c1"}
RUN |= {"hardware": "a processor", "commit": "abc1234", "date": "2026-01-01"}


def frame(*values, qids=("q10", "q2", "q1"), query_set="dev.original", measure="RR@10"):
    return pd.DataFrame({"query_set": query_set, "measure": measure, "qid": qids, "value": values})


def rows(measured, **settings):
    return ledger.rows_of(measured, {"dev.original": "s1", "dev.misspell": "s2"}, **{**RUN, **settings})


def test_values_stand_in_the_order_of_sorted_ids_whatever_the_order_of_the_file(tmp_path):
    first = rows(frame(1.0, 0.5, 0.25))
    second = [{**first[0], "key": "k2", "qids": "q2 q10 q1", "values": np.float32([0.5, 1.0, 0.25])}]
    ledger.write_rows(tmp_path, first)
    ledger.write_rows(tmp_path, second)
    stored = ledger.read_ledger(tmp_path)
    assert list(stored["qids"]) == ["q1 q10 q2"] * 2
    assert [list(values) for values in stored["values"]] == [[0.25, 1.0, 0.5]] * 2


def test_a_run_of_two_files_is_one_and_the_same_row(tmp_path):
    ledger.write_rows(tmp_path, rows(frame(1.0, 0.5, 0.25)))
    ledger.write_rows(tmp_path, rows(frame(1.0, 0.5, 0.25), commit="another that makes the same key"))
    assert len(list(tmp_path.glob("mini/*.parquet"))) == 2 and len(ledger.read_ledger(tmp_path)) == 1


def test_the_same_rows_make_the_same_file(tmp_path):
    paths = [ledger.write_rows(tmp_path, rows(frame(1.0, 0.5, 0.25))) for _ in range(2)]
    assert paths[0] == paths[1] and len(list(tmp_path.glob("mini/*"))) == 1


def test_settings_are_those_of_the_query_set(tmp_path):
    frames = pd.concat([frame(1, 1, 1), frame(0, 1, 1, query_set="dev.misspell")])
    ledger.write_rows(tmp_path, rows(frames))
    stored = ledger.read_ledger(tmp_path).set_index("query_set")
    assert stored.loc["dev.original", "settings"] == "s1" and stored.loc["dev.misspell", "settings"] == "s2"


def test_a_changed_byte_is_refused(tmp_path):
    path = ledger.write_rows(tmp_path, rows(frame(1.0, 0.5, 0.25)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=rf"{path.stem}\.parquet: damaged"):
        ledger.read_ledger(tmp_path)


def test_an_empty_ledger_has_the_same_columns(tmp_path):
    assert list(ledger.read_ledger(tmp_path / "none").columns) == SCHEMA.names


def test_a_query_costs_less_than_a_byte(tmp_path):
    """60 runs of nine query sets and 1,500 queries: a ledger of 20 such scales has room in 25 MB."""
    draw = np.random.default_rng(1)
    qids = [f"q{number}" for number in range(1500)]
    written_rows = []
    for seed in range(60):
        for kind in range(9):
            ranks = draw.integers(1, 16, 1500)
            values = np.where(ranks > 10, 0, 1 / ranks)
            part = frame(*values, qids=qids, query_set=f"dev.kind{kind}")
            written_rows += ledger.rows_of(part, {f"dev.kind{kind}": "s"}, **{**RUN, "seed": seed, "key": f"k{seed}"})
    size = ledger.write_rows(tmp_path, written_rows).stat().st_size
    assert size < 60 * 9 * 1500
