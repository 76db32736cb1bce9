"""Exact search equals brute force, ties included, however the corpus is cut into shards."""

import tracemalloc
from functools import partial

import faiss
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robustdr.retrieval import index
from robustdr.retrieval.embeddings import shard_bounds
from robustdr.retrieval.index import CACHED, QUERIES, exact, search
from robustdr.retrieval.runs import Run, rank


def brute_force(vectors, docids, queries, depth):
    scores = queries.astype(np.float64) @ vectors.astype(np.float64).T
    return [rank(zip(docids, row.tolist(), strict=True), depth) for row in scores]


def rankings(shards, queries, depth):
    lines = {str(line): line for line in range(len(queries))}
    return list(Run(lines, *search(shards, queries, depth)).values())


def cut(vectors, docids, shards):
    bounds = [shard_bounds(len(docids), shard, shards) for shard in range(shards)]
    return [(vectors[first:last], docids[first:last]) for first, last in bounds]


def small_integers(seed, passages, queries, dimension, largest):
    """Vectors of small integers: scores are exact, and many of them are equal."""
    rng = np.random.default_rng(seed)
    docids = [f"d{number}" for number in rng.permutation(passages)]

    def vectors(rows):
        return rng.integers(-largest, largest, size=(rows, dimension), endpoint=True).astype(np.float32)

    return vectors(passages), docids, vectors(queries)


@given(
    data=st.builds(
        small_integers,
        st.integers(0, 10**6),
        st.integers(1, 150),
        st.integers(1, 6),
        st.integers(1, 5),
        st.integers(0, 3),
    ),
    depth=st.integers(1, 60),
    shards=st.integers(1, 5),
)
def test_search_equals_brute_force(data, depth, shards):
    vectors, docids, queries = data
    shards = min(shards, len(docids))
    assert rankings(cut(vectors, docids, shards), queries, depth) == brute_force(vectors, docids, queries, depth)


def test_ties_beyond_any_margin_are_broken_by_docid():
    """A thousand copies of one passage, of which the ten with the highest docids are asked for."""
    vectors, queries = np.ones((1000, 4), dtype=np.float32), np.ones((1, 4), dtype=np.float32)
    docids = [f"d{number:04}" for number in np.random.default_rng(0).permutation(1000)]
    (found,) = rankings([(vectors, docids)], queries, 10)
    assert found == [(f"d{number:04}", 4.0) for number in range(999, 989, -1)]


def test_search_on_vectors_as_models_make_them():
    rng = np.random.default_rng(1)
    vectors, queries = (rng.normal(size=(rows, 64)).astype(np.float32) for rows in (2000, 30))
    docids = [f"d{number}" for number in range(2000)]
    expected = brute_force(vectors, docids, queries, 100)
    for shards in (1, 3):
        found = rankings(cut(vectors, docids, shards), queries, 100)
        assert [[d for d, _ in ranking] for ranking in found] == [[d for d, _ in ranking] for ranking in expected]
        scores = np.array([[score for _, score in ranking] for ranking in found])
        assert np.allclose(scores, [[score for _, score in ranking] for ranking in expected], atol=1e-4)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 12), st.integers(1, 30), st.booleans())
def test_blocks_of_any_size_find_the_same(monkeypatch, seed, passages, block, depth, as_on_a_gpu):
    """Half precision, memory-mapped or not, ties across blocks and with fewer queries at once than there are."""
    vectors, docids, queries = small_integers(seed, passages, 5, 2, 2)
    with monkeypatch.context() as patched:
        for name in ("BLOCK", "CACHED"):
            patched.setattr(index, name, block)
        if as_on_a_gpu:
            patched.setattr(index, "_collected", partial(index._collected_on_gpu, gpu=torch.device("cpu")))
        patched.setattr("robustdr.retrieval.best.QUERIES", 2)
        found = rankings(cut(vectors.astype(np.float16), docids, 1), queries, depth)
    assert found == brute_force(vectors, docids, queries, depth)


def test_scores_and_their_order_are_those_of_faiss():
    """But for rounding, and so for the order of neighbours that it makes; more queries than are scored at once."""
    rng = np.random.default_rng(4)
    vectors, queries = (rng.normal(size=(rows, 48)).astype(np.float32) for rows in (3 * CACHED // 2, QUERIES + 25))
    flat = faiss.IndexFlatIP(48)
    flat.add(vectors)
    (scores, rows), (expected, expected_rows) = exact(vectors, queries, 200), flat.search(queries, 200)
    assert np.allclose(scores, expected, atol=1e-4)
    assert np.mean(rows == expected_rows) > 0.999


@pytest.mark.parametrize("queries", [1, 40, QUERIES + 1])
def test_copies_of_a_passage_tie_wherever_they_lie(queries):
    """Forty copies in one shard and one in the next, of which some queries are asked for again."""
    rng = np.random.default_rng(6)
    copied, *others = (rng.normal(size=(rows, 768)).astype(np.float16) for rows in (1, 200, 333))
    shards = [np.concatenate([np.repeat(copied, 40, axis=0), others[0]]), np.concatenate([copied, others[1]])]
    docids = [[f"a{number:03}" for number in range(240)], ["z", *(f"b{number:03}" for number in range(333))]]
    asked = rng.normal(size=(queries, 768)).astype(np.float32)
    asked[0] += copied[0]
    first = rankings(list(zip(shards, docids, strict=True)), asked, 500)[0]
    assert [docid for docid, _ in first[:10]] == ["z", *(f"a{number:03}" for number in range(39, 30, -1))]
    assert first == rankings(list(zip(shards, docids, strict=True)), asked[:1], 500)[0]


def test_rankings_do_not_depend_on_the_number_of_threads():
    """Copies at the cut lie in several blocks, so each number of threads collects others of them first."""
    rng = np.random.default_rng(7)
    vectors, asked = (rng.normal(size=(rows, 96)).astype(np.float16) for rows in (3 * CACHED + 50, QUERIES + 30))
    vectors[::40] = asked[0]
    docids, threads, found = [f"d{number}" for number in range(len(vectors))], torch.get_num_threads(), []
    for number in (1, 2, 5):
        torch.set_num_threads(number)
        found.append([array.tobytes() for array in search([(vectors, docids)], asked.astype(np.float32), 30)[1:]])
        assert torch.get_num_threads() == number
    torch.set_num_threads(threads)
    assert found[0] == found[1] == found[2]


def test_a_shard_is_read_in_blocks(tmp_path):
    """200,000 passages: 26 MB in half precision."""
    vectors = np.lib.format.open_memmap(tmp_path / "0.npy", "w+", np.float16, (200_000, 64))
    vectors[:] = np.arange(64)
    queries = np.ones((2, 64), np.float32)
    tracemalloc.start()
    exact(vectors, queries, 10)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    block = CACHED * 64 * 4
    assert block < most < 2 * torch.get_num_threads() * block
