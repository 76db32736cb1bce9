"""Vector search: exact, in blocks, on the GPU if there is one; or in a compressed FAISS index."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

import faiss
import numpy as np
import pyarrow as pa
import torch
from torch.nn.functional import linear

from robustdr.encoding.hardware import device
from robustdr.retrieval.best import NO_PASSAGE, best, docids_by_row, fetch_best

Search = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]

TILE = 48  # rows and columns of a product are multiples of it: else libraries sum in another order at the edges
BLOCK = 1364 * TILE  # passages whose vectors are on the GPU at once, in single precision
CACHED = 32 * TILE  # the same for a thread of a processor: their scores stay in its cache until they are compared
QUERIES = 12 * TILE  # queries whose scores of a block are in memory at once


def exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` best of [n, d] vectors, in any precision, for [q, d] queries: scores and rows, [q, k], best first.

    It multiplies matrices, on the GPU if there is one. On a CPU, a score does not depend on the other passages or
    queries, so copies of a passage tie.
    """
    on = device()
    heap = _collected(vectors, queries, k) if on.type == "cpu" else _collected_on_gpu(vectors, queries, k, on)
    heap.finalize()
    return heap.D, heap.I


def _collected(vectors: np.ndarray, queries: np.ndarray, k: int) -> faiss.ResultHeap:
    """The best passages, scored by oneDNN and collected by FAISS's heaps; each thread takes the next block of passages.

    FAISS's own product depends on where a passage lies; torch's other one, MKL, is half as fast on AMD processors.
    """
    threads = torch.get_num_threads()
    parts = _tiled(queries).split(QUERIES)
    query_parts = [(number * QUERIES, _onednn(part)) for number, part in enumerate(parts)]
    starts = iter(range(0, len(vectors), CACHED))

    def collect(heap: faiss.ResultHeap) -> None:
        torch.set_num_threads(1)  # this thread computes without others
        faiss.omp_set_num_threads(1)
        room = np.empty((CACHED, vectors.shape[1]), np.float32)
        for start in starts:
            passages = vectors[start : start + CACHED]
            block = _onednn(_tiled(passages, room))
            for first, part in query_parts:
                scores = linear(part, block).to_dense()[: len(queries) - first, : len(passages)].contiguous()
                heap.heaps.addn(len(passages), faiss.swig_ptr(scores.numpy()), start, first, len(scores))

    merged, *further_heaps = heaps = [faiss.ResultHeap(len(queries), k, keep_max=True) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(collect, heaps))
    torch.set_num_threads(threads)
    for heap in further_heaps:
        merged.add_result(heap.D, heap.I)
    return merged


def _collected_on_gpu(vectors: np.ndarray, queries: np.ndarray, k: int, gpu: torch.device) -> faiss.ResultHeap:
    """The best passages, scored in blocks by torch. FAISS's own search on a GPU returns at most 2,048 of a query.

    docs/explanation/cost.md says what a faster one would save.
    """
    heap = faiss.ResultHeap(len(queries), k, keep_max=True)
    query_parts = _tiled(queries).to(gpu).split(QUERIES)
    for start in range(0, len(vectors), BLOCK):
        passages = vectors[start : start + BLOCK]
        block = _tiled(passages).to(gpu).T
        best_of_parts = [(part @ block)[:, : len(passages)].topk(min(k, len(passages))) for part in query_parts]
        del block  # before the next one is made
        scores, rows = (
            torch.cat(part_tensors)[: len(queries)].cpu() for part_tensors in zip(*best_of_parts, strict=True)
        )
        heap.add_result(scores, rows + start)
    return heap


def _tiled(rows: np.ndarray, room: np.ndarray | None = None) -> torch.Tensor:
    """The rows in single precision, then zeros up to a multiple of `TILE`; in `room` if that is given."""
    size = -(-len(rows) // TILE) * TILE
    tiled = torch.from_numpy(np.empty((size, rows.shape[1]), np.float32) if room is None else room[:size])
    tiled[: len(rows)] = torch.from_dlpack(rows)  # torch widens half precision seven times as fast as NumPy
    tiled[len(rows) :] = 0
    return tiled


def _onednn(rows: torch.Tensor) -> torch.Tensor:
    """The rows as oneDNN multiplies them, where torch has it."""
    return rows.to_mkldnn() if torch.backends.mkldnn.is_available() else rows


class Searched(Protocol):
    """Passages that are searched in a way of their own, as a FAISS index is."""

    def search(self, queries: np.ndarray, k: int, /) -> tuple[np.ndarray, np.ndarray]:
        """The `k` best passages of queries: scores and rows, [q, k], best first; `NO_PASSAGE` where there are fewer."""


def search(
    shards: Iterable[tuple[np.ndarray | Searched, list[str]]], queries: np.ndarray, depth: int
) -> tuple[pa.Array, np.ndarray, np.ndarray]:
    """The best passages of each query over all shards, under the tie rule.

    An exact search has one block of vectors in memory at a time.

    Args:
        shards: pairs of vectors [n, d], or what searches them, and docids.
        queries: [q, d], float32, or [q] rows of queries that `Searched` knows.
        depth: passages per query.

    Returns:
        (docids by row, rows [q, depth], scores [q, depth]).
    """
    docids = docids_by_row([])
    shape = len(queries), depth
    rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, np.float32)
    for passages, ids in shards:
        if not ids:
            continue
        finds: Search = partial(exact, passages) if isinstance(passages, np.ndarray) else passages.search

        def fetch(positions: np.ndarray, k: int, of_shard: Search = finds) -> tuple[np.ndarray, np.ndarray]:
            scores, rows = of_shard(queries[positions], k)
            return np.where(rows == NO_PASSAGE, -np.inf, scores), rows

        first, docids = len(docids), docids_by_row(ids, docids)
        for positions, shard_rows, shard_scores in fetch_best(fetch, len(queries), depth, docids[first:]):
            merged = np.where(shard_rows == NO_PASSAGE, shard_rows, shard_rows + first).astype(np.int32)
            candidates = np.hstack([rows[positions], merged]), np.hstack([scores[positions], shard_scores])
            rows[positions], scores[positions] = best(*candidates, docids, depth)
    return docids, rows, scores
