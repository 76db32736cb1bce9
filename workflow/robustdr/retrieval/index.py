"""Search with FAISS: exact by default, compressed as a setting, on the GPU where there is one."""

from collections.abc import Iterable
from typing import Any

import faiss
import numpy as np

from robustdr.errors import UserError
from robustdr.retrieval.runs import Ranking, rank

MARGIN = 16  # passages fetched beyond the depth, so that ties at the cut are broken by docid and not by position


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
    shards: Iterable[tuple[np.ndarray, list[str]]], queries: np.ndarray, depth: int, settings: dict[str, Any]
) -> list[Ranking]:
    """The best passages of each query over all shards, under the tie rule; one shard is in memory at a time.

    Args:
        shards: (vectors [n, d], docids) pairs.
        queries: [q, d], float32.
        depth: passages per query.
        settings: `factory` and `nprobe` (lists visited by an inverted-file index).
    """
    best: list[list[tuple[str, float]]] = [[] for _ in queries]
    for vectors, ids in shards:
        index = build(vectors, settings["factory"])
        if settings["nprobe"] > 1:
            faiss.ParameterSpace().set_index_parameter(index, "nprobe", settings["nprobe"])
        scores, rows = index.search(queries, min(depth + MARGIN, len(ids)))
        for ranking, row_scores, row in zip(best, scores.tolist(), rows.tolist(), strict=True):
            ranking += [(ids[i], score) for i, score in zip(row, row_scores, strict=True) if i >= 0]
    return [rank(ranking, depth) for ranking in best]
