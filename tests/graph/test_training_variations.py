"""The training queries that authors varied, in place of those that are varied here."""

import hashlib
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.core.files import digest_as, digest_kind
from robustdr.graph.tables import table_settings
from robustdr.variations.release import bring
from robustdr.variations.released import paired
from robustdr.variations.settings import Release

TRAINING = "data/msmarco_passage/query/train/train.query.variations.tsv"


def test_rodr_s_own_training_variations_stand_for_all_eight(full, mini):
    for system in ("dr_qv", "dr_oq_qv", "rodr", "rodr_ance", "rodr_document"):
        assert full.demand.training_variations(system) == ["rodr_training"]
        assert len(mini.demand.training_variations(system)) == 8
    data = full.training_data("rodr", 1)
    assert data.inputs["variations"].paths == ["results/variations/msmarco-passage/train/rodr_training.tsv"]
    (release,) = full.query_set(("msmarco-passage", "train"), "rodr_training").inputs["released"].nodes
    assert release.settings.file == TRAINING and release.network


def test_other_trainings_keep_theirs(full):
    assert full.demand.training_variations("dr_oq") == []
    others = {
        system
        for system in full.lineage.complete()
        if full.lineage.is_trained(system) and full.demand.training_variations(system) == ["rodr_training"]
    }
    eight = {*full.lineage.recipe("rodr").variations}
    assert all({*full.lineage.recipe(system).variations} == eight for system in others)


def test_a_table_says_so(full):
    note = "Training queries that their file lacks keep their text."
    assert any(note in words for words in table_settings(full, "rodr", "table2").stand_ins)


def test_a_file_may_lack_queries_where_it_is_said(tmp_path):
    file = tmp_path / "train.tsv"
    file.write_text("1\twhat is a rivre\n")
    queries = {"1": "what is a river", "2": "what is a stone"}
    assert paired(file, queries, lacks=True) == {"1": "what is a rivre", "2": "what is a stone"}
    with pytest.raises(UserError, match="query '2' is missing in the file"):
        paired(file, queries)


def test_git_s_name_of_a_file_is_a_digest(tmp_path):
    file = tmp_path / "train.tsv"
    file.write_bytes(b"what\n")
    blob = hashlib.sha1(b"blob 5\0what\n", usedforsecurity=False).hexdigest()
    assert digest_as(file, blob) == blob and digest_kind(blob) == "git name"
    bring(Release(path=str(file), blob=blob), tmp_path / "brought.tsv")
    assert Path(tmp_path / "brought.tsv").read_bytes() == b"what\n"
    with pytest.raises(UserError, match=r"has the git name .*; the configuration pins 0000"):
        bring(Release(path=str(file), blob="0" * 40), tmp_path / "again.tsv")
    for digests in ({}, {"blob": blob, "sha256": "0" * 64}):
        with pytest.raises(ValueError, match="give either `sha256` or `blob`"):
            Release(path=str(file), **digests)
