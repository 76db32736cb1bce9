"""Shards of passage vectors: bounds, access by docid, damaged files."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.collections.rows import Corpus, rows_of, write_rows
from robustdr.core.errors import UserError
from robustdr.encoding.encoder import Encoder
from robustdr.retrieval import embeddings as module
from robustdr.retrieval.embeddings import PassageVectors, iterate, read_embeddings, shard_bounds, write_embeddings
from robustdr.retrieval.settings import EmbedSettings

PASSAGES = 11


@given(st.integers(0, 10**7), st.integers(1, 300))
def test_shards_partition_the_corpus_evenly(passages, shards):
    bounds = [shard_bounds(passages, shard, shards) for shard in range(shards)]
    assert bounds[0][0] == 0 and bounds[-1][1] == passages
    assert all(before[1] == after[0] for before, after in pairwise(bounds))
    sizes = [last - first for first, last in bounds]
    assert max(sizes) - min(sizes) <= 1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    with open(path, "w") as file:
        for number in range(PASSAGES):
            passage = {
                "docid": f"d{number}",
                "title": "tree" if number % 2 else "",
                "text": " ".join(words[: number + 2]),
            }
            file.write(json.dumps(passage) + "\n")
    return path


@pytest.fixture()
def written(corpus, tiny_model, tmp_path):
    """`written(shards)`: the corpus encoded in so many shards."""

    def write(shards, precision="float32"):
        paths = [tmp_path / f"{shards}-{shard}.npy" for shard in range(shards)]
        for shard, path in enumerate(paths):
            settings = EmbedSettings(12, precision, "bfloat16", threads=1)
            write_embeddings(settings, tiny_model, corpus, PASSAGES, shard, shards, path)
        return paths

    return write


def test_vectors_and_docids_stand_in_corpus_order(written, corpus, tiny_model):
    vectors, ids = read_embeddings(written(1)[0])
    assert ids == [f"d{number}" for number in range(PASSAGES)]
    assert vectors.dtype == np.float32 and isinstance(vectors, np.memmap)
    passages = [json.loads(line) for line in corpus.read_text().splitlines()]
    texts = [f"{p['title']} [SEP] {p['text']}" if p["title"] else p["text"] for p in passages]
    assert np.array_equal(vectors, Encoder(tiny_model, "bfloat16").encode(texts, 12))


@pytest.mark.parametrize("shards", [2, 3, 11, 13])
def test_any_number_of_shards_holds_the_same(written, corpus, shards):
    whole, ids = read_embeddings(written(1)[0])
    parts = list(iterate(written(shards), Corpus(corpus), read_embeddings))
    assert [docid for _, shard in parts for docid in shard] == ids
    # Other batches round differently in half precision.
    assert np.allclose(np.concatenate([vectors for vectors, _ in parts]), whole, atol=0.05)


def test_chunks_do_not_change_the_vectors(written, monkeypatch):
    whole, ids = read_embeddings(written(1)[0])
    monkeypatch.setattr(module, "CHUNK", 4)
    chunked, chunked_ids = read_embeddings(written(1)[0])
    assert chunked_ids == ids
    assert np.allclose(chunked, whole, atol=0.05)


def test_the_same_shard_twice_is_the_same_bytes(written):
    once = [path.read_bytes() for path in written(2)]
    assert [path.read_bytes() for path in written(2)] == once


def test_precision_is_a_setting(written):
    vectors, _ = read_embeddings(written(1, "float16")[0])
    assert vectors.dtype == np.float16


def test_passages_by_row_over_the_shards(written, corpus):
    whole, _ = read_embeddings(written(1)[0])
    found = PassageVectors(written(3), Corpus(corpus))[[9, 0, 9]]
    assert found.shape == (3, 32) and found.dtype == np.float32
    assert np.allclose(found, whole[[9, 0, 9]], atol=0.05)
    empty = PassageVectors(written(13), Corpus(corpus))  # two of them have no passage
    assert np.allclose(empty[list(range(PASSAGES))], whole, atol=0.05)


def test_shards_that_do_not_make_a_corpus(written, corpus):
    first, middle, last = written(3)
    with pytest.raises(UserError, match=r"3-2\.npy: its 4 vectors are not those of .*corpus\.jsonl from row 3 on"):
        PassageVectors([first, last], Corpus(corpus))
    with pytest.raises(UserError, match=r"3-1\.npy: its 4 vectors are not those of .* from row 0 on"):
        PassageVectors([middle, last], Corpus(corpus))
    with pytest.raises(UserError, match=r"corpus\.jsonl: 7 of 11 passages have vectors; the last shards are missing"):
        PassageVectors([first, middle], Corpus(corpus))


def test_a_shard_starts_where_it_starts(written, corpus, tiny_model, tmp_path):
    """What lies before it in the corpus is not read."""
    whole = written(3)[2].read_bytes()
    damaged = tmp_path / "corpus.jsonl"
    damaged.write_bytes(corpus.read_bytes())
    write_rows(damaged, rows_of(damaged))
    with open(damaged, "r+b") as file:
        file.write(b"damaged")
    settings = EmbedSettings(12, "float32", "bfloat16", threads=1)
    write_embeddings(settings, tiny_model, damaged, PASSAGES, 2, 3, tmp_path / "3-2.npy")
    assert (tmp_path / "3-2.npy").read_bytes() == whole


def test_truncated_vectors(written):
    (path,) = written(1)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"1-0\.npy: damaged embeddings .* delete the file and run again"):
        read_embeddings(path)


def test_vectors_that_are_a_pickle_are_refused(tmp_path):
    np.save(tmp_path / "0.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    (tmp_path / "0.ids").write_text("d0\n")
    with pytest.raises(UserError, match="damaged embeddings"):
        read_embeddings(tmp_path / "0.npy")


def test_fewer_docids_than_vectors(written):
    (path,) = written(1)
    path.with_suffix(".ids").write_text("d0\nd1\n")
    with pytest.raises(UserError, match="11 vectors but 2 docids; delete both files and run again"):
        read_embeddings(path)


def test_a_vector_that_is_not_finite(corpus, tiny_model, tmp_path, monkeypatch):
    real = Encoder.encode

    def overflow(self, texts, *arguments, **named):
        vectors = real(self, texts, *arguments, **named)
        vectors[3, 5] = np.inf
        return vectors

    monkeypatch.setattr(Encoder, "encode", overflow)
    with pytest.raises(UserError, match="the vector of passage 'd3' is not finite"):
        settings = EmbedSettings(12, "float32", "bfloat16", threads=1)
        write_embeddings(settings, tiny_model, corpus, PASSAGES, 0, 1, tmp_path / "0.npy")
    assert not list(tmp_path.iterdir())
