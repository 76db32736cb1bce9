"""Search with FAISS: exact by default, compressed as a setting, on the GPU where there is one."""

from collections.abc import Iterable

import faiss
import numpy as np

from robustdr.errors import UserError
from robustdr.retrieval.best import best
from robustdr.retrieval.runs import Ranking, rank
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
) -> list[Ranking]:
    """The best passages of each query over all shards, under the tie rule; one shard is in memory at a time.

    Args:
        shards: (vectors [n, d], docids) pairs.
        queries: [q, d], float32.
        depth: passages per query.
    """
    rankings: list[Ranking] = [[] for _ in queries]
    for vectors, ids in shards:
        if not ids:
            continue
        index = build(vectors, settings.factory)
        if settings.nprobe > 1:
            faiss.ParameterSpace().set_index_parameter(index, "nprobe", settings.nprobe)

        def fetch(asked: np.ndarray, k: int, index: faiss.Index = index) -> tuple[np.ndarray, np.ndarray]:
            return index.search(queries[asked], k)

        for query, scored in best(fetch, len(queries), depth, len(ids)):
            rankings[query] += [(ids[row], score) for row, score in scored]
    return [rank(ranking, depth) for ranking in rankings]
