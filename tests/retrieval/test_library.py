"""Rankings of sparse encoders and of late interaction are sentence-transformers' own similarities, all of them."""

import json

import numpy as np
import pytest
from sentence_transformers import MultiVectorEncoder, SparseEncoder
from tests.encoding import shapes

from robustdr.core.seeds import generator
from robustdr.retrieval import library
from robustdr.retrieval.settings import LibrarySettings

DEPTH = 5
KINDS = {
    "SPLADE": SparseEncoder,
    "idf alone": SparseEncoder,
    "ColBERT": MultiVectorEncoder,
    "no projection": MultiVectorEncoder,
}


@pytest.fixture(scope="module")
def texts(words):
    rng = generator("passages of library models")
    made = [" ".join(rng.choices(words, k=rng.randint(1, 12))) for _ in range(40)]
    return {f"d{number}": text for number, text in enumerate([*made, made[0], "9"])}  # a copy, and one like no other


@pytest.fixture(scope="module")
def corpus(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    rows = ({"docid": docid, "title": "", "text": text} for docid, text in texts.items())
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.parametrize("name", KINDS)
def test_rankings_are_the_library_s(tiny_transformer, tmp_path, texts, corpus, monkeypatch, name):
    kind = KINDS[name]
    folder = shapes.write(name, tiny_transformer, tmp_path / "model")
    monkeypatch.setattr(library, "BLOCK", {kind.__name__: 16})  # three blocks
    queries = [{"q1": texts["d0"], "q2": "gold king"}, {"q1": "music", "q2": "gold king"}]
    (tmp_path / "qrels.txt").write_text("q1 0 d41 1\nq1 0 d2 0\nq2 0 d30 1\nq2 0 d7 0\n")
    files, told = {"model": [folder]}, LibrarySettings(kind.__name__, 64, 64, DEPTH, "float32", 1)
    found = list(library.rankings(told, corpus, files, queries))
    judged = list(library.rankings(told, corpus, files | {"judged": [tmp_path / "qrels.txt"]}, queries))
    model = kind(str(folder), device="cpu")
    passages = model.encode_document(list(texts.values()))
    for run, listed, asked in zip(found, judged, queries, strict=True):
        scores = model.similarity(model.encode_query(list(asked.values())), passages)
        scores = (scores.to_dense() if scores.is_sparse else scores).tolist()
        for qid, of in zip(asked, scores, strict=True):
            known = dict(zip(texts, of, strict=True))
            best = sorted((pair for pair in known.items() if pair[1]), key=lambda pair: (round(pair[1], 4), pair[0]))
            assert [docid for docid, _ in run[qid]] == [docid for docid, _ in best[::-1][:DEPTH]]
            assert dict(run[qid]) == pytest.approx({docid: known[docid] for docid, _ in run[qid]}, rel=1e-4)
            wanted = {"q1": ("d41", "d2"), "q2": ("d30", "d7")}[qid]
            assert dict(listed[qid]) == pytest.approx({docid: known[docid] for docid in wanted}, rel=1e-4, abs=1e-6)
    if name == "idf alone":
        assert [docid for docid, _ in found[0]["q1"]][:2] == ["d40", "d0"]  # copies tie
        assert judged[1]["q1"] == [("d41", 0.0), ("d2", 0.0)] and "music" not in texts["d2"]


def test_what_has_nothing_in_common_is_not_ranked():
    scored = np.array([[0.0, -1.0, 3.0]])
    block = library.Block(lambda rows, columns: scored[np.ix_(rows, columns)], ["d0", "d1", "d2"])
    scores, rows = block.search(np.array([0]), 3)
    assert rows.tolist() == [[2, 1, -1]] and scores.tolist() == [[3.0, -1.0, float("-inf")]]
