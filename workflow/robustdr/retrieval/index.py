"""Search: vectors exactly, in blocks, or an index of FAISS; on the GPU where there is one."""

from collections.abc import Callable, Iterable
from functools import partial

import faiss
import numpy as np
import pyarrow as pa
import torch

from robustdr.encoding import hardware
from robustdr.retrieval.best import NO_PASSAGE, best, docids_by_row, fetched

Search = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]

BLOCK = 65536  # passages whose vectors are in memory at once, in single precision
ON_GPU = 2048  # passages of a query that FAISS finds on a GPU at most


def exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The `k` best of [n, d] vectors, in any precision, for [q, d] queries: scores and rows, [q, k], best first."""
    on_gpu = faiss.get_num_gpus() > 0 and k <= ON_GPU
    if not on_gpu and torch.cuda.is_available():
        return exact_with_torch(vectors, queries, k, hardware.device())
    heap = faiss.ResultHeap(len(queries), k, keep_max=True)
    knn = partial(faiss.knn_gpu, faiss.StandardGpuResources()) if on_gpu else faiss.knn
    for start in range(0, len(vectors), BLOCK):
        block = np.ascontiguousarray(vectors[start : start + BLOCK], dtype=np.float32)
        scores, rows = knn(queries, block, min(k, len(block)), metric=faiss.METRIC_INNER_PRODUCT)
        del block  # before the next one is made
        heap.add_result(scores, rows + start)  # type: ignore[arg-type]  # of tensors alone, by FAISS's stubs
    heap.finalize()
    return heap.D, heap.I


def exact_with_torch(
    vectors: np.ndarray, queries: np.ndarray, k: int, on: torch.device
) -> tuple[np.ndarray, np.ndarray]:
    """What `exact` finds, by PyTorch: for GPUs that FAISS was not built for, or finds too few passages on."""
    asked = torch.from_numpy(np.ascontiguousarray(queries)).to(on)
    scores = torch.empty((len(asked), 0), device=on)
    rows = torch.empty((len(asked), 0), dtype=torch.long, device=on)
    for start in range(0, len(vectors), BLOCK):
        block = torch.from_numpy(np.array(vectors[start : start + BLOCK])).to(on).float()
        of_block = (asked @ block.T).topk(min(k, len(block)))
        scores = torch.cat([scores, of_block.values], 1)
        rows = torch.cat([rows, of_block.indices + start], 1)
        of_all = scores.topk(min(k, scores.shape[1]))
        scores, rows = of_all.values, rows.gather(1, of_all.indices)
    return scores.cpu().numpy(), rows.cpu().numpy()


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
