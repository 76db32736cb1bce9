"""Search with FAISS: exact by default, compressed as a setting, on the GPU where there is one."""

from collections.abc import Iterable

import faiss
import numpy as np
import pyarrow as pa

from robustdr.errors import UserError
from robustdr.retrieval.best import NO_PASSAGE, best, docids_by_row, fetched
from robustdr.retrieval.settings import Index


def build(vectors: np.ndarray, factory: str) -> faiss.Index:
    """An inner-product index of [n, d] vectors; `factory` is a FAISS index factory string (`Flat` is exact).

    Raises:
        UserError: FAISS does not know the factory string.
    """
    try:
        index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
    except RuntimeError as error:
        raise UserError(
            f"index: factory {factory!r} is none of FAISS's ({error}); use Flat or e.g. IVF1024,PQ48"
        ) from None
    if faiss.get_num_gpus() > 0:
        index = faiss.index_cpu_to_all_gpus(index)
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if not index.is_trained:
        index.train(vectors)
    index.add(vectors)
    return index


def search(
    shards: Iterable[tuple[np.ndarray, list[str]]], queries: np.ndarray, depth: int, settings: Index
) -> tuple[pa.Array, np.ndarray, np.ndarray]:
    """The best passages of each query over all shards, under the tie rule; one shard is in memory at a time.

    Args:
        shards: (vectors [n, d], docids) pairs.
        queries: [q, d], float32.
        depth: passages per query.

    Returns:
        The docids by row; rows and scores, [q, depth].
    """
    docids = docids_by_row([])
    shape = len(queries), depth
    rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, np.float32)
    for vectors, ids in shards:
        if not ids:
            continue
        index = build(vectors, settings.factory)
        if settings.nprobe > 1:
            faiss.ParameterSpace().set_index_parameter(index, "nprobe", settings.nprobe)

        def fetch(asked: np.ndarray, k: int, index: faiss.Index = index) -> tuple[np.ndarray, np.ndarray]:
            scores, rows = index.search(queries[asked], k)
            return np.where(rows == NO_PASSAGE, -np.inf, scores), rows

        first, docids = len(docids), docids_by_row(ids, docids)
        for asked, found, of_found in fetched(fetch, len(queries), depth, docids[first:]):
            merged = np.where(found == NO_PASSAGE, found, found + first).astype(np.int32)
            every = np.hstack([rows[asked], merged]), np.hstack([scores[asked], of_found])
            rows[asked], scores[asked] = best(*every, docids, depth)
    return docids, rows, scores
