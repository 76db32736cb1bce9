"""Dense retrieval end to end: queries encoded, searched and written, one run for every query set."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.core.settings import as_json
from robustdr.encoding.encoder import Encoder
from robustdr.retrieval.compressed import write_index
from robustdr.retrieval.embeddings import write_embeddings
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.runs import read_metadata, read_run
from robustdr.retrieval.search import rankings
from robustdr.retrieval.settings import EmbedSettings, Index, SearchSettings

SETTINGS = SearchSettings(
    query_length=16, passage_length=16, depth=7, index=Index("Flat", 1), shards=3, precision="bfloat16", threads=1
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory, tiny_model, words):
    """40 passages in three shards, and two query sets that share a text."""
    folder = tmp_path_factory.mktemp("collection")
    rng = generator("collection")
    texts = {f"d{number}": " ".join(rng.choices(words, k=9)) for number in range(40)}
    with open(folder / "corpus.jsonl", "w") as file:
        for docid, text in texts.items():
            file.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
    for shard in range(3):
        settings = EmbedSettings(passage_length=16, stored="float32", precision="bfloat16", threads=1)
        write_embeddings(settings, tiny_model, folder / "corpus.jsonl", 40, shard, 3, folder / f"{shard}.npy")
    (folder / "original.tsv").write_text("q2\twhat is music\nq1\tgold plant\n")
    (folder / "varied.tsv").write_text("q2\twhat is musci\nq1\tgold plant\n")
    return folder, texts


@pytest.fixture(scope="module")
def indexes(collection):
    """Of the three shards, two lists each."""
    folder = collection[0]
    for shard in range(3):
        write_index("IVF2,Flat", folder / f"{shard}.npy", folder / f"{shard}.faiss")
    return folder


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "searched, suffix, settings",
    [("embeddings", "npy", SETTINGS), ("compressed", "faiss", replace(SETTINGS, index=Index("IVF2,Flat", 2)))],
)
def test_a_search_without_one_of_the_shards(indexes, tiny_model, tmp_path, searched, suffix, settings):
    shards = [indexes / f"{shard}.{suffix}" for shard in (0, 2)]
    vectors = [path.with_suffix(".npy") for path in shards]
    files = {"model": [tiny_model], "embeddings": [], "vectors": vectors, searched: shards}
    (tmp_path / "queries.tsv").write_text("q1\tgold\n")
    at = (indexes / "corpus.jsonl", files, [tmp_path / "queries.tsv"], [tmp_path / "run.trec"])
    with pytest.raises(UserError, match=rf"2\.{suffix}: its 14 vectors are not those of .* from row 13 on"):
        write_runs("robustdr.retrieval.search", as_json(settings), "tiny", "toy", *at)
    assert not (tmp_path / "run.trec").exists()


def run(folder, model, output, searched="embeddings", suffix="npy", settings=SETTINGS):
    names = ["original", "varied"]
    runs = [output / f"{name}.arrow" for name in names]
    queries = [folder / f"{name}.tsv" for name in names]
    shards, vectors = ([folder / f"{shard}.{kind}" for shard in range(3)] for kind in (suffix, "npy"))
    files = {"model": [model], "embeddings": [], "vectors": vectors, searched: shards}
    at = ("tiny-seed1", "toy", folder / "corpus.jsonl", files, queries, runs)
    write_runs("robustdr.retrieval.search", as_json(settings), *at)
    return runs


def test_runs_hold_the_best_passages_by_dot_product(collection, tiny_model, tmp_path):
    folder, texts = collection
    encoder = Encoder(tiny_model, "bfloat16")
    passages = np.concatenate([np.load(folder / f"{shard}.npy") for shard in range(3)])
    original, varied = (read_run(path) for path in run(folder, tiny_model, tmp_path))
    assert list(original) == ["q2", "q1"]
    for found, query in (
        (original["q2"], "what is music"),
        (varied["q2"], "what is musci"),
        (varied["q1"], "gold plant"),
    ):
        scores = passages @ encoder.encode([query], 16)[0]
        best = [list(texts)[i] for i in np.argsort(-scores)[:7]]
        assert [docid for docid, _ in found] == best
        assert [score for _, score in found] == pytest.approx(sorted(scores, reverse=True)[:7], rel=1e-5)
    assert varied["q1"] == original["q1"]


def test_passages_may_be_encoded_while_searching(collection, tiny_model, tmp_path):
    kept = [read_run(path) for path in run(collection[0], tiny_model, tmp_path / "kept")]
    made = [read_run(path) for path in run(collection[0], tiny_model, tmp_path / "made", searched="nothing")]
    for one, other in zip(kept, made, strict=True):
        for qid, ranking in one.items():
            scores = [score for _, score in ranking]
            assert [score for _, score in other[qid]] == pytest.approx(
                scores, rel=0.02
            )  # other batches, half precision
            assert len({docid for docid, _ in ranking} & {docid for docid, _ in other[qid]}) >= 6


@pytest.mark.filterwarnings("ignore")
def test_an_index_of_which_all_lists_are_visited_ranks_as_the_vectors_do(indexes, tiny_model, tmp_path):
    settings = replace(SETTINGS, index=Index("IVF2,Flat", 2))
    exact = [read_run(path) for path in run(indexes, tiny_model, tmp_path / "exact")]
    searched = run(indexes, tiny_model, tmp_path / "indexed", "compressed", "faiss", settings)
    for one, other in zip(exact, map(read_run, searched), strict=True):
        for qid, ranking in one.items():
            assert [docid for docid, _ in other[qid]] == [docid for docid, _ in ranking]
            assert [score for _, score in other[qid]] == pytest.approx([score for _, score in ranking], rel=1e-5)


def test_a_run_says_what_made_it(collection, tiny_model, tmp_path):
    headers = [read_metadata(path) for path in run(collection[0], tiny_model, tmp_path)]
    assert [header["data"]["test_data"]["topics"] for header in headers] == ["original.tsv", "varied.tsv"]
    assert headers[0]["tag"] == "tiny-seed1"
    assert headers[0]["method"]["settings"] == asdict(SETTINGS)


def test_the_same_search_twice_is_the_same_bytes(collection, tiny_model, tmp_path):
    once = [path.read_bytes() for path in run(collection[0], tiny_model, tmp_path / "one")]
    assert [path.read_bytes() for path in run(collection[0], tiny_model, tmp_path / "two")] == once


def test_a_query_whose_vector_is_not_finite(collection, tiny_model, tmp_path, monkeypatch):
    real = Encoder.encode

    def overflow(self, texts, *arguments, **named):
        vectors = real(self, texts, *arguments, **named)
        vectors[list(texts).index("what is music")] = np.nan
        return vectors

    monkeypatch.setattr(Encoder, "encode", overflow)
    with pytest.raises(UserError, match="the vector of query 'what is music' is not finite"):
        run(collection[0], tiny_model, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_vectors_of_queries_are_kept_in_the_order_of_their_texts(collection, tiny_model, tmp_path):
    folder, _ = collection
    queries = [{"q2": "what is music", "q1": "gold plant"}, {"q2": "what is musci", "q1": "gold plant"}]
    kept = tmp_path / "queries.npy"
    files = {"model": [tiny_model], "embeddings": [folder / f"{shard}.npy" for shard in range(3)]}
    list(rankings(SETTINGS, folder / "corpus.jsonl", {**files, "query_vectors": [kept]}, queries))
    texts = ["gold plant", "what is musci", "what is music"]
    np.testing.assert_array_equal(np.load(kept), Encoder(tiny_model, "bfloat16").encode(texts, 16))
