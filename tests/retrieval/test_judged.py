"""Judged candidates: every kind of system ranks the passages that a query's qrels name, whatever their grade, alone.

Scores are those of a search over all passages; a passage that such a search would not return is ranked too.
"""

import json
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels
from robustdr.core.settings import as_json
from robustdr.encoding.encoder import Encoder
from robustdr.evaluation.measures import evaluate
from robustdr.rankers.ranker import load
from robustdr.retrieval.bm25_index import write_index
from robustdr.retrieval.embeddings import write_embeddings
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.settings import (
    BM25Settings,
    EmbedSettings,
    Index,
    RerankSettings,
    RewriteSettings,
    RM3Settings,
    SearchSettings,
)

TEXTS = {
    "d1": "river and stone",
    "d2": "stone house of gold",
    "d3": "music",
    "d4": "the king of the river",
    "d5": "light",
    "d6": "river of gold",
}
QUERIES = {"q1": "river stone", "q2": "what is gold", "q3": "quark"}
VARIED = {"q1": "rivr stone", "q2": "what is gold", "q3": "quark"}
JUDGED = {"q1": {"d3": 0, "d1": 1, "d4": 0}, "q2": {"d5": 0, "d2": 2, "d6": 1}, "q3": {"d3": 0, "d5": 1}}
BM25 = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=2)  # less than there are candidates
RM3 = RM3Settings(BM25, "terrier", terms=10, documents=3, original_weight=0.6)
DENSE = SearchSettings(16, 16, depth=2, index=Index("Flat", 1), shards=0, precision="float32", threads=1)
BERT = RerankSettings({"name": "mono_bert"}, 16, 24, depth=1, precision="float32", threads=1)
SPELLED = RewriteSettings("symspell", 2, "robustdr.retrieval.bm25", {**vars(BM25)})
MODULES = {"bm25": BM25, "rm3": RM3, "search": DENSE, "rerank": BERT, "rewrite": SPELLED}


@pytest.fixture(scope="module")
def place(tmp_path_factory, tiny_model):
    folder = tmp_path_factory.mktemp("judged")
    lines = [json.dumps({"docid": docid, "title": "", "text": text}) + "\n" for docid, text in TEXTS.items()]
    (folder / "corpus.jsonl").write_text("".join(lines))
    for name, queries in (("original", QUERIES), ("varied", VARIED)):
        (folder / f"{name}.tsv").write_text("".join(f"{qid}\t{text}\n" for qid, text in queries.items()))
    qrels = [f"{qid} 0 {docid} {grade}\n" for qid, of in JUDGED.items() for docid, grade in of.items()]
    (folder / "qrels.txt").write_text("".join(qrels))
    write_index(BM25.index, folder / "corpus.jsonl", folder / "index")
    load("mono_bert", tiny_model, seed=4).save(folder / "ranker")
    embedding = EmbedSettings(passage_length=16, stored="float32", precision="float32", threads=1)
    for shard in range(2):
        write_embeddings(embedding, tiny_model, folder / "corpus.jsonl", 6, shard, 2, folder / f"{shard}.npy")
    return folder


@pytest.fixture()
def ranked(place, tiny_model, tmp_path):
    """`ranked(module)`: the runs of both query sets; further files, or `judged=[]` for a search over all passages."""

    def run(name, settings=None, **files):
        models = {"search": [tiny_model], "rerank": [place / "ranker"]}
        runs = [tmp_path / "original.trec.gz", tmp_path / "varied.trec.gz"]
        read = {"model": models.get(name, []), "embeddings": [], "index": [place / "index"]}
        read |= {"judged": [place / "qrels.txt"], **files}
        queries = [place / "original.tsv", place / "varied.tsv"]
        settings = as_json(settings or MODULES[name])
        module = name if "." in name else f"robustdr.retrieval.{name}"
        write_runs(module, settings, "tag", "toy", place / "corpus.jsonl", read, queries, runs)
        return [read_run(path) for path in runs]

    return run


@pytest.mark.parametrize("name", MODULES)
def test_every_kind_ranks_exactly_the_candidates(ranked, name):
    for run in ranked(name):
        assert {qid: {docid for docid, _ in of} for qid, of in run.items()} == {q: {*of} for q, of in JUDGED.items()}


@pytest.mark.parametrize("name", ["bm25", "rm3"])
def test_words_score_as_in_a_search_over_all_passages(ranked, name):
    deep = replace(BM25, depth=6)
    everything = ranked(name, deep if name == "bm25" else replace(RM3, bm25=deep, original_weight=1.0), judged=[])
    judged = ranked(name, None if name == "bm25" else replace(RM3, original_weight=1.0))
    for own, others in zip(judged, everything, strict=True):
        for qid, of in own.items():
            known = dict(others.get(qid, []))
            assert dict(of) == pytest.approx({docid: known.get(docid, 0.0) for docid in JUDGED[qid]})
    assert [docid for docid, _ in judged[0]["q3"]] == ["d5", "d3"]  # no word is known: the tie rule


def test_feedback_comes_from_candidates_with_a_word_of_the_query(tmp_path):
    """Of c1 alone: `moss` is added, and `fern` is not, which c3 and a passage that is no candidate have."""
    texts = {"c1": "stone moss", "c2": "moss", "c3": "fern", "x": "stone fern"} | {
        f"f{n}": f"filler{n}" for n in range(40)
    }
    lines = [json.dumps({"docid": docid, "title": "", "text": text}) + "\n" for docid, text in texts.items()]
    (tmp_path / "corpus.jsonl").write_text("".join(lines))
    (tmp_path / "queries.tsv").write_text("q\tstone\n")
    (tmp_path / "qrels.txt").write_text("q 0 c1 1\nq 0 c2 0\nq 0 c3 0\n")
    write_index(BM25.index, tmp_path / "corpus.jsonl", tmp_path / "index")
    found = []
    for judged in ([], [tmp_path / "qrels.txt"]):
        read = tmp_path / "corpus.jsonl", {"judged": judged, "index": [tmp_path / "index"]}
        files = *read, [tmp_path / "queries.tsv"], [tmp_path / "run.trec"]
        settings = as_json(replace(RM3, bm25=replace(BM25, depth=10)))
        write_runs("robustdr.retrieval.rm3", settings, "rm3", "toy", *files)
        found.append(dict(read_run(tmp_path / "run.trec")["q"]))
    everything, judged = found
    assert everything["c3"] > 0 and everything.keys() == {"c1", "c2", "c3", "x"}
    assert judged["c1"] > judged["c2"] > judged["c3"] == 0 and judged.keys() == {"c1", "c2", "c3"}


def test_a_dense_retriever_takes_dot_products_with_kept_or_new_vectors(ranked, place, tiny_model):
    encoder = Encoder(tiny_model, "float32")
    passages = dict(zip(TEXTS, encoder.encode(list(TEXTS.values()), 16), strict=True))
    expected = {
        qid: {docid: float(encoder.encode([text], 16)[0] @ passages[docid]) for docid in JUDGED[qid]}
        for qid, text in QUERIES.items()
    }
    for vectors in ([], [place / "0.npy", place / "1.npy"]):
        run = ranked("search", embeddings=vectors)[0]
        for qid, of in run.items():
            assert dict(of) == pytest.approx(expected[qid], rel=1e-4, abs=1e-5)
            assert [docid for docid, _ in of] == sorted(expected[qid], key=expected[qid].get, reverse=True)


def test_a_ranker_reads_each_candidate_with_its_query(ranked, place):
    texts, ranker = dict(read_corpus(place / "corpus.jsonl")), load("mono_bert", place / "ranker")
    for run, queries in zip(ranked("rerank"), (QUERIES, VARIED), strict=True):
        for qid, of in run.items():
            pairs = [(queries[qid], texts[docid]) for docid, _ in of]
            assert [score for _, score in of] == pytest.approx(ranker.predict(pairs, 16, 24, pairs).tolist(), abs=1e-5)


def test_a_rewriter_in_front_ranks_the_candidates_for_the_rewritten_query(ranked):
    original, varied = ranked("rewrite")
    assert varied == original == ranked("bm25")[0]  # rivr becomes river


def test_the_papers_measures_of_a_ranking_of_candidates(place, ranked):
    """By hand: BM25 puts q1's d1 first; q2's d6, graded 1, before d2, graded 2; q3's two tie, d5 before d3."""
    run = ranked("bm25")[0]
    assert [[docid for docid, _ in run[qid]] for qid in QUERIES] == [
        ["d1", "d4", "d3"],
        ["d6", "d2", "d5"],
        ["d5", "d3"],
    ]
    found = evaluate(read_qrels(place / "qrels.txt"), run, ["AP", "RR", "nDCG@10", "P@10"])
    gain = (1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3))
    assert found["AP"] == found["RR"] == {"q1": 1.0, "q2": 1.0, "q3": 1.0}
    assert found["nDCG@10"] == pytest.approx({"q1": 1.0, "q2": gain, "q3": 1.0})
    assert found["P@10"] == pytest.approx({"q1": 0.1, "q2": 0.2, "q3": 0.1})


DEAF = """
from dataclasses import dataclass
@dataclass
class Settings: pass
def rankings(settings, corpus, files, query_sets):
    for queries in query_sets:
        yield {qid: [("d1", 1.0)] for qid in queries}
"""


def test_a_module_that_ranks_anything_else_is_refused(ranked, tmp_path, monkeypatch):
    (tmp_path / "deaf").mkdir()
    (tmp_path / "deaf/__init__.py").touch()
    (tmp_path / "deaf/kind.py").write_text(DEAF)
    monkeypatch.syspath_prepend(tmp_path)
    settings = import_module("deaf.kind").Settings()
    with pytest.raises(
        UserError, match=r"deaf\.kind: its ranking for query 'q1' of \S+original\.tsv must have exactly the judg"
    ):
        ranked("deaf.kind", settings)
