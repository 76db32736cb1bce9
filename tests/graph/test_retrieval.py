"""Nodes of retrieval: compressed indexes, the depth of rankings, and indexes of words."""

from dataclasses import replace

from tests.changes import changed

from robustdr.experiments.models import ORIGINAL, Index, Negatives
from robustdr.graph import tables
from robustdr.graph.graph import graph

DEV, TRAIN = ("wordnet-mini", "dev"), ("wordnet-mini", "train")


def ranking(made, system, split, seed=1):
    """The settings that a system ranks the original queries of a split with."""
    return made.run(system, seed, split, ORIGINAL).settings


def with_index(config, factory, nprobe=2):
    return graph(changed(config, "scales", "mini", "retrieval", "index", Index(factory, nprobe)), "mini")


def test_a_compressed_index_is_searched_in_place_of_the_vectors(config, mini):
    made, at = with_index(config, "IVF4,Flat"), ("dr_qv", 1, "wordnet-mini")
    (compressed,), (vectors,) = made.compressed(*at), made.embeddings(*at)
    assert compressed.path == "results/mini/compressed/wordnet-mini/dr_qv/seed1/0.faiss"
    run, before = (each.run("dr_qv", 1, DEV, ORIGINAL) for each in (made, mini))
    assert run.inputs["compressed"].paths == [compressed.path] and "embeddings" not in run.inputs
    assert run.inputs["compressed"].key == [compressed.key] and compressed in run.input_nodes
    assert run.options["vectors"] == [vectors.path] and vectors not in run.input_nodes
    assert "compressed" not in before.inputs and not mini.embeddings(*at)  # encoded while searching
    judged = made.run("regular_nq", 1, ("wordnet-candidates", "test"), ORIGINAL)
    assert (
        judged.inputs["embeddings"].nodes and "compressed" not in judged.inputs
    )  # of single passages, vectors are read


def test_an_index_is_of_one_model_one_collection_and_one_factory(config):
    def key(made, *place):
        (compressed,) = made.compressed(*place)
        return compressed.key

    made, other, visiting = (with_index(config, *how) for how in (("IVF4,Flat",), ("IVF8,Flat",), ("IVF4,Flat", 4)))
    places = [("dr_oq", 1, "wordnet-mini"), ("dr_oq", 2, "wordnet-mini"), ("rodr", 1, "wordnet-mini")]
    assert len({key(made, *place) for place in places}) == 3
    assert key(made, *places[0]) != key(other, *places[0])
    assert key(made, *places[0]) == key(visiting, *places[0])  # more lists, as a search says
    assert made.run("dr_oq", 1, DEV, ORIGINAL).key != visiting.run("dr_oq", 1, DEV, ORIGINAL).key


def test_negatives_decide_how_deep_is_mined_and_runs_how_deep_is_measured(config, full):
    """At another depth of negatives only what is mined for them alone has another key, and another run."""
    made = graph(changed(config, "scales", "full", "negatives", "depth", 40), "full")
    train, dev = ("msmarco-passage", "train"), ("msmarco-passage", "dev")
    assert ranking(made, "bm25", train, 0).depth == ranking(made, "dr_oq", train).depth == 40
    assert ranking(made, "bm25", dev, 0).depth == made.lineage.scale.retrieval.depth == 1000
    for split, moved in ((train, True), (dev, False)):
        keys = {each.run("bm25", 0, split, ORIGINAL).key for each in (full, made)}
        assert (len(keys) == 2) == moved


def test_what_is_measured_or_ranked_anew_on_training_queries_keeps_its_depth(config):
    made = changed(config, "scales", "mini", "negatives", Negatives(7, 3))
    deep = made.scales["mini"].retrieval.depth

    def depths(config):
        return [ranking(graph(config, "mini"), system, TRAIN).depth for system in ("bm25", "dr_oq")]

    assert depths(made) == [7, 7]
    assert depths(changed(made, "papers", "rodr", "evaluation", "msmarco-passage", "split", "train")) == [7, deep]
    candidates = replace(made.systems["mono_bert"].candidates, system="dr_oq", depth=10, queries="own")
    reranked = changed(made, "systems", "mono_bert", "candidates", candidates)
    reranked = changed(reranked, "systems", "rodr", "negatives", "mono_bert")
    assert depths(reranked) == [7, deep]
    of_candidates = ranking(graph(reranked, "mini"), "mono_bert", TRAIN).depth
    assert of_candidates == made.scales["mini"].depths["10"] < 7


def test_feedback_is_taken_from_passages_that_no_depth_of_negatives_cuts_off(config):
    made = changed(config, "scales", "mini", "negatives", Negatives(2, 1))
    made = changed(made, "systems", "dr_qv", replace(config.systems["dr_qv"], negatives="rm3"))
    settings = ranking(graph(made, "mini"), "rm3", TRAIN, 0)
    assert settings.bm25.depth == settings.documents == 3


def test_systems_that_make_terms_and_weigh_them_alike_share_an_index(mini):
    systems = ("bm25_terrier", "rm3", "bm25")
    runs = [mini.run(system, 0, ("wordnet-mini", "test"), ORIGINAL) for system in systems]
    (of_bm25,), (of_rm3,), (other,) = (run.inputs["index"].paths for run in runs)
    assert of_bm25 == of_rm3 == "results/mini/indexes/wordnet-mini/k1-1.2_b-0.75_stopwords-terrier_stemmer-porter"
    assert other.endswith("/k1-0.9_b-0.4_stopwords-none_stemmer-english")
    studied = {
        path.rpartition("/")[2]
        for system in ("bm25_tuned", "bm25_english")
        for path in mini.run(system, 0, ("wordnet-mini", "test"), ORIGINAL).inputs["index"].paths
    }
    assert {*mini.indexes()} == {path.rpartition("/")[2] for path in (of_bm25, other)} | studied
    settings = mini.indexes()[other.rpartition("/")[2]]
    assert mini.index("wordnet-mini", settings).key != mini.index("wordnet-long", settings).key


def test_a_table_reads_how_much_of_an_exact_search_compressed_indexes_find(config, mini, full):
    compact = graph(config, "compact")
    node = tables.table(compact, "rodr", "table2")
    recalls = node.inputs["recalls"].nodes
    assert recalls and {recall.rule for recall in recalls} == {"recall"}
    searched = {run for recall in recalls for run in recall.inputs["run"].nodes}
    assert all("compressed" in run.inputs for run in searched) and len(searched) == len(recalls)
    vectors = recalls[0].inputs["vectors"].nodes
    assert [vector.rule for vector in vectors] == ["embed"] * 2
    assert not tables.table(mini, "rodr", "table2").inputs["recalls"].paths
    assert not tables.table(full, "rodr", "table2").inputs["recalls"].paths


def test_a_collection_has_its_own_number_of_shards_and_shares_those_of_its_passages(full):
    found = {
        collection: [node.path for node in full.embeddings(system, 1, collection)]
        for system, collection in (
            ("tas_b", "antique"),
            ("dr_oq", "msmarco-passage"),
            ("regular_trivia", "natural-questions"),
            ("regular_trivia", "trivia-qa"),
        )
    }
    assert [len(paths) for paths in found.values()] == [1, 2, 4, 4]
    assert found["trivia-qa"] == found["natural-questions"]


def test_where_a_query_is_a_passage_too_one_more_is_ranked_and_that_one_left_out(config, mini):
    made = graph(changed(config, "collections", "wordnet-mini", "ignore_identical_ids", True), "mini")
    for system in ("bm25", "dr_qv"):
        seed = mini.lineage.seeds(system)[0]
        ranked, before = (each.run(system, seed, DEV, ORIGINAL) for each in (made, mini))
        assert ranked.options["ignore"] == "identical-ids" and "ignore" not in before.options
        assert ranked.settings.depth == before.settings.depth + 1 and ranked.key != before.key
    assert made.corpus("wordnet-mini").key == mini.corpus("wordnet-mini").key
