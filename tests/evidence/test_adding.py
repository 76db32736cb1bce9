"""Finished runs join the ledger once; what is damaged, stale or unknown is refused, and then nothing is added."""

import json
import subprocess
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evidence.adding import _commit, add, list_runs
from robustdr.evidence.identity import runs
from robustdr.keys.integrity import record_of

LEDGER = Path("evidence")


def test_a_run_is_added_with_all_that_it_is_known_by(mini, finish):
    finish("rodr")
    added = add({mini.root: mini}, mini.root, LEDGER)
    assert (added.new, added.old) == (1, 0)
    rows = ledger.read_ledger(LEDGER)
    run = next(run for run in runs(mini) if run.system == "rodr")
    query_sets = {query_set for node in run.nodes for query_set in node.settings.measures}
    assert set(rows["query_set"]) == query_sets and set(rows["system"]) == {"rodr"}
    assert set(rows["key"]) == {run.key} and set(rows["hardware"]) == {"a processor"}
    assert rows["settings"].nunique() == len(query_sets) and rows["values"].iloc[0].tolist() == [1.0, 0.0, 0.0]


def test_a_run_that_lacks_query_sets_of_some_paper_waits(mini, finish):
    path = finish("rodr")
    finish("dr_oq")
    for stored_file in (path, record_of(path)):
        stored_file.unlink()
    added = add({mini.root: mini}, mini.root, LEDGER)
    assert (added.new, added.old, added.unfinished) == (1, 0, 1)
    assert set(ledger.read_ledger(LEDGER)["system"]) == {"dr_oq"}


def test_the_same_run_twice_is_added_once(mini, finish):
    finish("rodr")
    add({mini.root: mini}, mini.root, LEDGER)
    before = {path: path.read_bytes() for path in LEDGER.rglob("*") if path.is_file()}
    again = add({mini.root: mini}, mini.root, LEDGER)
    assert (again.new, again.old, again.path) == (0, 1, None)
    assert {path: path.read_bytes() for path in LEDGER.rglob("*") if path.is_file()} == before
    finish("dr_oq")
    later = add({mini.root: mini}, mini.root, LEDGER)
    assert (later.new, later.old) == (1, 1)
    assert set(ledger.read_ledger(LEDGER)["system"]) == {"rodr", "dr_oq"}


def test_a_stale_file_is_refused_and_nothing_is_added(mini, finish):
    finish("rodr")
    path = finish("dr_oq", key="0123456789abcdef")
    with pytest.raises(UserError, match=rf"{path}: stale: its key is 0123456789abcdef, .*; nothing was added"):
        add({mini.root: mini}, mini.root, LEDGER)
    assert not LEDGER.exists()


def test_a_damaged_file_is_refused(mini, finish):
    path = finish("rodr")
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=rf"{path}: damaged: its sha256 is .*; nothing was added"):
        add({mini.root: mini}, mini.root, LEDGER)


def test_a_file_without_a_record_is_refused(mini, finish):
    finish("rodr")
    path = finish("dr_oq")
    record_of(path).unlink()
    with pytest.raises(UserError, match=f"{path}: it has no record"):
        add({mini.root: mini}, mini.root, LEDGER)


def test_a_system_that_the_configuration_lost_is_refused(mini, finish):
    path = finish("rodr")
    unknown_system = path.parents[1].with_name("lost")
    path.parents[1].rename(unknown_system)
    with pytest.raises(UserError, match=r"lost/seed1/\S+\.parquet: stale: the configuration has no such run"):
        add({mini.root: mini}, mini.root, LEDGER)


def test_no_results_is_an_error(mini):
    with pytest.raises(UserError, match="results/mini/measures: no measures; run snakemake first"):
        add({mini.root: mini}, mini.root, LEDGER)


def test_priors_are_written_beside(mini, finish):
    finish("rodr")
    add({mini.root: mini}, mini.root, LEDGER)
    assert json.loads((LEDGER / "priors.json").read_text()) == {"version": 1, "scales": {}}  # one run says nothing


def test_the_list_counts_systems_by_their_seeds(mini, finish):
    finish("rodr")
    finish("dr_oq")
    add({mini.root: mini}, mini.root, LEDGER)
    first, systems, last = list_runs(LEDGER, {"mini": mini})
    assert first.startswith("mini, commit ") and ", a processor: 2 runs, " in first
    assert systems.strip() == "systems by seeds: 2 with 1" and last.startswith(
        "2 trained models (1 seed, 1 kind of machine), 2 measured runs, "
    )


def test_a_change_of_the_ledger_alone_is_no_change_of_the_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _commit(LEDGER) == "unknown"
    LEDGER.mkdir()
    for name in ("evidence/priors.json", "code.py"):
        Path(name).write_text("1")
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], check=True)
    Path("evidence/priors.json").write_text("2")
    commit = _commit(LEDGER)
    assert len(commit) >= 7 and "," not in commit
    Path("code.py").write_text("2")
    assert _commit(LEDGER) == f"{commit}, changed since"
