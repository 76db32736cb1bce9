"""The best passages of queries under any search that can be asked for more, ties at the cut included."""

from collections.abc import Callable, Iterator

import numpy as np

MARGIN = 16  # passages fetched beyond the depth: enough for most ties at the cut


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
