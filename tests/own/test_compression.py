"""Smaller vectors: worked by hand, beside sentence-transformers' own search, and from files to the report."""

import json
import shutil

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.util.quantization import quantize_embeddings, semantic_search_faiss
from tests.encoding import shapes

import robustdr
from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.encoding.encoder import Encoder
from robustdr.evaluation.names import MEAN
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.own import compression, models
from robustdr.own.compression import compress, size
from robustdr.own.experiment import NAME, PROJECT
from robustdr.retrieval.nearest import nearest

QUERY = np.array([[0.0, 0.6, 0.8, 0.0]], np.float32)
PASSAGES = np.array([[0.3, 0.4, 0.5, 0.7], [-0.8, 0.6, 0.0, 0.0], [0.0, 0.5, -0.5, 0.7]], np.float32)


def vectors(dimension, precision, unit, blocks=(PASSAGES,)):
    queries, passages = compress(QUERY, blocks, dimension, precision, unit)
    return queries, np.concatenate([*passages])


def test_the_first_two_of_four_dimensions():
    """(0.3, 0.4) has length 0.5, (−0.8, 0.6) length 1, (0, 0.5) length 0.5, and the query's (0, 0.6) length 0.6."""
    queries, passages = vectors(2, "float32", unit=True)
    np.testing.assert_allclose(queries, [[0, 1]], atol=1e-6)
    np.testing.assert_allclose(passages, [[0.6, 0.8], [-0.8, 0.6], [0, 1]], atol=1e-6)
    queries, passages = vectors(2, "float32", unit=False)
    np.testing.assert_array_equal(queries, QUERY[:, :2])
    np.testing.assert_array_equal(passages, PASSAGES[:, :2])


def test_all_dimensions_stay_as_they_are():
    queries, passages = vectors(4, "float32", unit=True)
    assert np.array_equal(queries, QUERY) and np.array_equal(passages, PASSAGES)


def test_bits_say_what_is_above_zero():
    queries, passages = vectors(2, "binary", unit=False)
    assert passages.tolist() == [[1, 1], [0, 1], [0, 1]] and np.array_equal(queries, QUERY[:, :2])


@pytest.mark.parametrize("blocks", [(PASSAGES,), (PASSAGES[:1], PASSAGES[1:])])
def test_a_range_of_all_passages_has_255_steps(blocks):
    """−0.8 to 0.3: 0 is step 185 (0.8 · 255 / 1.1 = 185.5), 57 after 128 is taken away; 0.4 to 0.6: 0.5 is step 127."""
    queries, passages = vectors(2, "int8", unit=False, blocks=blocks)
    assert passages.tolist() == [[127, -128], [-128, 127], [57, -1]]
    np.testing.assert_allclose(queries, [[0, 0.6 * 0.2 / 255]], rtol=1e-5)


def test_a_dimension_that_is_everywhere_the_same_ranks_nothing():
    queries, passages = compress(QUERY, [np.ones((2, 4), np.float32)], 4, "int8", False)
    assert not queries.any() and np.isfinite(np.concatenate([*passages])).all()


def test_bytes_of_a_vector():
    assert [size(100, precision) for precision in ("float32", "int8", "binary")] == [400, 100, 13]


@pytest.mark.parametrize("dimension", [8, 20, 32])
@pytest.mark.parametrize("precision, library_precision", [("int8", "uint8"), ("binary", "ubinary")])
def test_the_ranking_of_sentence_transformers_where_all_passages_are_ranked_again(
    tiny_transformer, words, tmp_path, dimension, precision, library_precision
):
    model = SentenceTransformer(str(shapes.write("MiniLM", tiny_transformer, tmp_path / "model")), device="cpu")
    rng = generator("compression")
    texts = [" ".join(rng.choices(words, k=6)) for _ in range(60)]
    whole = model.encode(texts)
    cut = model.encode(texts, truncate_dim=dimension, normalize_embeddings=True)
    ranges = np.stack([cut[10:].min(axis=0), cut[10:].max(axis=0)])
    coarse = quantize_embeddings(cut[10:], library_precision, ranges)
    results, *_ = semantic_search_faiss(
        cut[:10], coarse, corpus_precision=library_precision, top_k=50, ranges=ranges, rescore_multiplier=1
    )
    queries, passages = compress(whole[:10], [whole[10:40], whole[40:]], dimension, precision, True)
    docids = [[str(number) for number in range(30)], [str(number) for number in range(30, 50)]]
    query_set = {str(number): text for number, text in enumerate(texts[:10])}
    (run,) = nearest([query_set], texts[:10], queries, zip(passages, docids, strict=True), {}, 50)
    for query, result in enumerate(results):
        expected = {str(hit["corpus_id"]): hit["score"] for hit in result}
        scores = [expected[docid] for docid, _ in run[str(query)]]
        assert len(scores) == len(expected) == 50
        assert np.all(np.diff(scores) <= 1e-5)  # the library's order, where its scores are not equal


@pytest.mark.parametrize("shape", ["SPLADE", "ColBERT"])
def test_a_model_without_one_vector_for_each_text_is_refused(tiny_transformer, tmp_path, shape):
    model = models.find(str(shapes.write(shape, tiny_transformer, tmp_path / "model")))
    kind = {"SPLADE": "sparse", "ColBERT": "late_interaction"}[shape]
    with pytest.raises(UserError, match=f"^--truncate-dim: model: {kind}; allowed: a model of a folder or of the hub"):
        models.check_compressed([model], [8], [])
    models.check_compressed([model], [], [])


@pytest.fixture
def collection(words, tmp_path):
    """60 passages; the first 20 have a query of their id and first words, for which five others are relevant."""
    rng = generator("smaller")
    texts = [" ".join(rng.choices(words, k=9)) for _ in range(60)]
    rows = [json.dumps({"docid": f"d{number}", "text": text}) for number, text in enumerate(texts)]
    queries = [f"d{number}\t{' '.join(text.split()[:4])}" for number, text in enumerate(texts[:20])]
    qrels = [f"d{number} 0 d{20 + number + other} 1" for number in range(20) for other in range(5)]
    files = {"corpus": ("corpus.jsonl", rows), "queries": ("queries.tsv", queries), "qrels": ("qrels.txt", qrels)}
    for name, lines in files.values():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return {option: tmp_path / name for option, (name, _) in files.items()}


def test_the_report_has_every_size_and_the_whole_vectors_are_those_that_were_ranked(
    tiny_model, collection, tmp_path, monkeypatch
):
    options = {**collection, "ignore_identical_ids": True, "variations": ["swap_words", "typo"], "draws": 2}
    second_model = shutil.copytree(tiny_model, tmp_path / "second")
    evaluation = robustdr.evaluate(
        [tiny_model, second_model], tmp_path / "out", truncate_dim=[8, 16], precision=["binary"], **options
    )
    rows = evaluation.report["compressed"]
    sizes = [(row["dimensions"], row["precision"], row["bytes"]) for row in rows]
    one_model = [(32, "float32", 128), (32, "binary", 4), (16, "float32", 64), (16, "binary", 2)]
    assert sizes == [*one_model, (8, "float32", 32), (8, "binary", 1)] * 2
    system = evaluation.report["systems"]["own"]
    assert rows[0]["original"] == system["original"] > 0
    assert rows[0]["variations"] == {key: value for key, value in system["query_sets"][MEAN].items() if key != "p_holm"}
    assert len({row["original"] for row in rows}) > 2

    def refuse(*_, **__):
        raise AssertionError("a text is encoded again")

    monkeypatch.setattr(Encoder, "encode", refuse)
    job_graph = graph(load(PROJECT, tmp_path / "out/config"), NAME)
    model = tmp_path / "out" / job_graph.model(NAME, 0).path
    assert compression.rows(job_graph, tmp_path / "out", NAME, model, [8, 16], ["binary"]) == rows[:6]
    monkeypatch.undo()
    with pytest.raises(UserError, match=r"--truncate-dim: 33: .* has vectors of 32 dimensions; allowed: 1 to 32"):
        robustdr.evaluate(tiny_model, tmp_path / "wide", truncate_dim=[33], **options)
    assert not (tmp_path / "wide/results/own/runs").exists()
