"""Search with FAISS: exact by default, compressed as a setting, on the GPU where there is one."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import faiss
import numpy as np

from robustdr.errors import UserError
from robustdr.retrieval.runs import Ranking, rank

MARGIN = 16  # passages fetched beyond the depth: enough for most ties at the cut


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


def best(
    fetch: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]], queries: int, depth: int, passages: int
) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """Yield (query, its passages as (row, score)): the `depth` best and whatever ties with the last of them.

    Which of the passages that tie at the cut stay is for the tie rule to say, not for the library that finds them.

    Args:
        fetch: the `k` best of the queries at some positions: (scores, rows), [q, k] each, best first; a row below 0 is
            no passage.
        queries, passages: how many there are. depth: passages per query.
    """
    asked, count = np.arange(queries), min(depth + MARGIN, passages)
    while len(asked):
        scores, rows = fetch(asked, count)
        tied = (rows[:, -1] >= 0) & (scores[:, min(depth, count) - 1] == scores[:, -1]) & (count < passages)
        for query, row, row_scores in zip(
            asked[~tied].tolist(), rows[~tied].tolist(), scores[~tied].tolist(), strict=True
        ):
            yield query, [(i, score) for i, score in zip(row, row_scores, strict=True) if i >= 0]
        asked, count = asked[tied], min(2 * count, passages)


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
    rankings: list[Ranking] = [[] for _ in queries]
    for vectors, ids in shards:
        if not ids:
            continue
        index = build(vectors, settings["factory"])
        if settings["nprobe"] > 1:
            faiss.ParameterSpace().set_index_parameter(index, "nprobe", settings["nprobe"])

        def fetch(asked: np.ndarray, k: int, index: faiss.Index = index) -> tuple[np.ndarray, np.ndarray]:
            return index.search(queries[asked], k)

        for query, scored in best(fetch, len(queries), depth, len(ids)):
            rankings[query] += [(ids[row], score) for row, score in scored]
    return [rank(ranking, depth) for ranking in rankings]
