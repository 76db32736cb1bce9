"""Search of vectors exactly, in blocks, or of a compressed index with FAISS; on the GPU where there is one."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import faiss
import numpy as np
import pyarrow as pa
import torch

from robustdr.retrieval.best import NO_PASSAGE, best, docids_by_row, fetched

Search = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]

BLOCK = 65536  # passages whose vectors are in memory at once, in single precision
ON_GPU = 2048  # passages of a query that FAISS finds on a GPU at most
FEW = 16  # of fewer queries, FAISS scores each pair alone, so that copies of a passage tie
QUERIES = 512  # whose scores of a block are in memory at once otherwise


def products(queries: np.ndarray, vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` best of [n, d] vectors for [q, d] queries on a processor: scores and rows, [q, k], best first.

    What `faiss.knn` does, four times as fast where FAISS's own matrix products do not use what the processor has.
    """
    passages = torch.from_numpy(vectors).T
    parts = torch.from_numpy(queries).tensor_split(-(-len(queries) // QUERIES))
    scores, rows = zip(*((part @ passages).topk(k) for part in parts), strict=True)
    return torch.cat(scores).numpy(), torch.cat(rows).numpy()


def exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` best of [n, d] vectors, in any precision, for [q, d] queries: scores and rows, [q, k], best first."""
    heap = faiss.ResultHeap(len(queries), k, keep_max=True)
    on_gpu = faiss.get_num_gpus() > 0 and k <= ON_GPU
    knn: Callable[..., tuple[Any, Any]] = products  # FAISS says that it returns tensors
    if on_gpu:
        knn = partial(faiss.knn_gpu, faiss.StandardGpuResources(), metric=faiss.METRIC_INNER_PRODUCT)
    elif len(queries) < FEW:
        knn = partial(faiss.knn, metric=faiss.METRIC_INNER_PRODUCT)
    for start in range(0, len(vectors), BLOCK):
        block = np.ascontiguousarray(vectors[start : start + BLOCK], dtype=np.float32)
        scores, rows = knn(queries, block, min(k, len(block)))
        del block  # before the next one is made
        heap.add_result(scores, rows + start)
    heap.finalize()
    return heap.D, heap.I


def search(
    shards: Iterable[tuple[np.ndarray | faiss.Index, list[str]]], queries: np.ndarray, depth: int
) -> tuple[pa.Array, np.ndarray, np.ndarray]:
    """The best passages of each query over all shards, under the tie rule.

    An exact search holds a block of vectors at a time.

    Args:
        shards: (vectors [n, d], or an index of them, and docids) pairs.
        queries: [q, d], float32.
        depth: passages per query.

    Returns:
        The docids by row; rows and scores, [q, depth].
    """
    docids = docids_by_row([])
    shape = len(queries), depth
    rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, np.float32)
    for passages, ids in shards:
        if not ids:
            continue
        finds: Search = partial(exact, passages) if isinstance(passages, np.ndarray) else passages.search

        def fetch(asked: np.ndarray, k: int, of_shard: Search = finds) -> tuple[np.ndarray, np.ndarray]:
            scores, rows = of_shard(queries[asked], k)
            return np.where(rows == NO_PASSAGE, -np.inf, scores), rows

        first, docids = len(docids), docids_by_row(ids, docids)
        for asked, found, of_found in fetched(fetch, len(queries), depth, docids[first:]):
            merged = np.where(found == NO_PASSAGE, found, found + first).astype(np.int32)
            every = np.hstack([rows[asked], merged]), np.hstack([scores[asked], of_found])
            rows[asked], scores[asked] = best(*every, docids, depth)
    return docids, rows, scores
