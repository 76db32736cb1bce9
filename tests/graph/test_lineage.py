"""What the systems of the configuration are made from at a scale, and what a scale lacks."""

from dataclasses import replace

import pytest
from tests.changes import changed
from tests.planned import paths_behind

from robustdr.core.errors import UserError
from robustdr.experiments.checks import check
from robustdr.experiments.models import ORIGINAL, Negatives
from robustdr.graph import tables
from robustdr.graph.graph import graph


def test_a_query_encoder_alone_searches_the_passage_vectors_of_its_first_stage(mini):
    lineage, key = mini.lineage, mini.vectors("regular_nq", 1, "wordnet-nature", 0).key
    for system in ("capot_nq", "capot_nq.at10"):
        assert [vectors.key for vectors in mini.embeddings(system, 1, "wordnet-nature")] == [key]
    assert lineage.encoder_of("capot_orcas_trivia") == "regular_trivia"
    assert lineage.encoder_of("capot") == "dr_oq_mined"
    assert not lineage.reindexes("capot_nq", "regular_nq")
    assert lineage.reindexes("pt_nq", "regular_nq") and lineage.reindexes("da_nq", "regular_nq")
    asked = ("regular_nq", "capot_nq", "pt_nq", "da_nq")
    assert [s for s in asked if mini.demand.keeps_vectors(s, "wordnet-nature")] == ["regular_nq", "capot_nq"]


def test_the_lineage_is_what_a_system_costs(mini):
    lineage = mini.lineage
    assert lineage.lineage("capot_nq") == ["regular_nq", "capot_nq"]
    assert lineage.lineage("pt_nq") == ["aligned", "pt_nq"]
    assert lineage.lineage("rodr") == ["dr_oq", "rodr"]
    assert lineage.lineage("bm25") == []


def test_a_table_knows_whose_queries_and_models_it_shows(mini, full):
    of = tables.table_settings(full, "rodr", "table2")
    eight = full.lineage.config.papers["rodr"].evaluation["msmarco-passage"].variations
    assert of.released == {"msmarco-passage": dict.fromkeys(eight, "cxa-unique/RoDR")} and not of.checkpoints
    assert {"dr_oq", "rodr"} <= {*of.trained}
    assert tables.table_settings(full, "rodr", "table5").checkpoints == ["ance", "tas_b", "adore_star"]
    assert not full.lineage.takes_checkpoint("bm25")  # it has no model
    assert full.lineage.takes_checkpoint("spellchecker_simlm") and not full.lineage.takes_checkpoint(
        "spellchecker_bert"
    )
    here = tables.table_settings(mini, "rodr", "table5")
    assert here.released == {"msmarco-passage": {}, "antique": {}} and not here.checkpoints


def test_a_trained_system_stands_in_for_a_checkpoint_that_the_scale_does_not_have(mini, full):
    assert mini.model("ance", 1) is mini.model("dr_oq_mined", 1) and mini.lineage.is_random("ance")
    assert mini.lineage.lineage("rodr_ance") == ["dr_oq", "dr_oq_mined", "rodr_ance"]
    assert full.lineage.starts_from("ance") == "ance" and full.lineage.lineage("ance") == []
    notes = tables.table_settings(mini, "rodr", "table5").stand_ins
    assert "ance: stand-in: DR_OQ, continued on mined negatives" in notes


@pytest.mark.parametrize(
    ("stand_ins", "message"),
    [
        ({"base": "dr_oq"}, "'base' is in `stand_ins` and in `checkpoints`"),
        ({"ance": "nothing"}, "'nothing' is unknown"),
    ],
)
def test_a_stand_in_is_a_system_and_no_checkpoint(config, stand_ins, message):
    with pytest.raises(UserError, match=message):
        check(changed(config, "scales", "mini", replace(config.scales["mini"], stand_ins=stand_ins)))


def test_what_needs_files_that_are_not_to_be_had_is_not_run_until_they_are_there(config, tmp_path):
    files = {key: str(tmp_path / f"{key}.tsv") for key in ("corpus", "queries", "qrels")}
    entry = {"kind": "local", "corpus": files.pop("corpus"), "splits": {"train": files, "test": files}}
    entry |= {"unavailable": "its queries are private"}
    with_entry = changed(config, "collections", "web-search", entry)
    made = changed(with_entry, "systems", "bert_st", replace(config.systems["bert_st"], collection="web-search"))
    without, at = graph(made, "full"), ("web-search", "test")
    reasons = without.lineage.unavailable_collection("web-search"), without.lineage.unavailable("bert_st")
    assert reasons == ("its queries are private",) * 2
    assert at not in without.demand.evaluations("bm25")
    assert not any("/web-search/" in path for path in paths_behind(without, ["toroder"], "download_queries"))
    settings = tables.table_settings(without, "toroder", "table4")
    assert settings.reasons["web-search"] == "its queries are private" and not settings.keys
    for name in ("corpus", "queries", "qrels"):
        (tmp_path / f"{name}.tsv").write_text("1\t1\n")
    there = graph(made, "full")
    assert not there.lineage.unavailable_collection("web-search") and not there.lineage.unavailable("bert_st")
    assert at in there.demand.evaluations("bm25")


def test_a_scale_says_how_many_of_a_paper_s_seeds_are_run(mini, full):
    assert full.lineage.seeds("rodr") == [1, 2, 3] and full.lineage.scale.seeds == 3
    assert full.lineage.seeds("capot_nq") == [1, 2, 3, 4, 5]  # the scale has a number of its own for this paper
    assert mini.lineage.seeds("capot_nq") == [1]


def test_what_cannot_be_run_says_why_and_is_not_asked_for(config):
    lost = replace(config.scales["full"].checkpoints["ance"], unavailable="ANCE is lost")
    full = graph(changed(config, "scales", "full", "checkpoints", "ance", lost), "full")
    lineage, reason = full.lineage, "ANCE is lost"
    assert lineage.unavailable("ance") == lineage.unavailable("rodr_ance") == reason
    assert lineage.unavailable("rodr") == lineage.unavailable("bm25") == ""
    settings = tables.table_settings(full, "rodr", "table5")
    assert settings.reasons["rodr_ance"] == reason
    assert not any("/ance/" in path or "/rodr_ance/" in path for path in settings.keys)
    assert not any("/rodr_ance/" in path for path in paths_behind(full, config.papers, "train"))


def test_released_negatives_take_the_place_of_mined_ones(config, full):
    assert full.lineage.miner_of("regular_nq") is None and full.lineage.miner_of("regular_msmarco") == "bm25"
    assert not {("natural-questions", "train"), ("trivia-qa", "train")} & full.demand.searches().keys()
    mined = graph(changed(config, "scales", "full", "negatives", Negatives(1000, 64)), "full")
    assert mined.lineage.miner_of("regular_nq") == "bm25"
    assert mined.demand.searches()["natural-questions", "train"] == {(ORIGINAL,): ["bm25"]}
    for system, moved in (("regular_nq", True), ("capot_nq", False), ("regular_msmarco", False)):
        keys = {made.training_data(system, 1).key for made in (full, mined)}
        assert (len(keys) == 2) == moved


def test_collections_with_the_same_passages_share_what_is_made_of_them(config, full):
    shared = {"dl-typo": "msmarco-passage", "trec-dl-2019": "msmarco-passage", "trivia-qa": "natural-questions"}
    for name, owner in shared.items():
        assert full.corpus(name) is full.corpus(owner) and full.corpus(name).path.endswith(f"{owner}/corpus.jsonl")
        assert full.embeddings("dr_oq", 1, name)[0] is full.embeddings("dr_oq", 1, owner)[0]
        (index, *_) = full.indexes().values()
        assert full.index(name, index) is full.index(owner, index)
    for other in ("msmarco-document", "antique", "wikiqa"):
        assert full.lineage.passages_of(other) == other
    # Its check and its queries are its own.
    assert full.card("dl-typo").path != full.card("msmarco-passage").path
    assert full.corpus("dl-typo") in full.card("dl-typo").input_nodes


@pytest.mark.parametrize("key, value", [("corpus", "cord19"), ("quoted", True), ("kind", "beir")])
def test_passages_that_are_read_in_another_way_are_others(config, key, value):
    source = {**config.collections["dl-typo"], key: value}
    if key == "kind":
        source["folder"] = "data/beir"
    made = graph(changed(config, "collections", "dl-typo", source), "full")
    assert made.lineage.passages_of("dl-typo") == "dl-typo"


def test_vectors_of_passages_that_two_collections_share_are_kept_for_both(config):
    """One of a scale's systems searches them for MS MARCO's queries and for DL-Typo's."""
    public = {key: value for key, value in config.collections["dl-typo"].items() if key != "unavailable"}
    config = changed(config, "collections", "dl-typo", public)
    one = graph(changed(config, "scales", "full", "embeddings", "keep", False), "full")
    searched = {name: {split[0] for split in one.demand.evaluations(name)} for name in one.demand.evaluated()}
    both = [name for name, places in searched.items() if {"msmarco-passage", "dl-typo"} <= places]
    dense = [name for name in both if one.lineage.kind(name).name == "dense" and one.lineage.is_trained(name)]
    assert dense and all(one.demand.keeps_vectors(name, "dl-typo") for name in dense)
    alone = changed(config, "collections", "dl-typo", "corpus", "cord19")
    alone = graph(changed(alone, "scales", "full", "embeddings", "keep", False), "full")
    assert not all(alone.demand.keeps_vectors(name, "dl-typo") for name in dense)
