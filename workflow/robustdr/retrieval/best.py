"""The best passages of queries, as arrays of rows and scores, under one tie rule.

A row is a passage's position in a collection, 32 bits. If a query has too few passages to fill its line, the row is
`NO_PASSAGE` and the score −∞.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from robustdr.core.errors import UserError

NO_PASSAGE = -1
ROWS = np.iinfo(np.int32).max  # most passages of a collection
MARGIN = 16  # passages fetched beyond the depth: enough for most ties at the cut
QUERIES = 4096  # queries whose passages are fetched at once


def docids_by_row(docids: Iterable[str], before: pa.Array | None = None) -> pa.Array:
    """Docids of a collection as one compact array; `before`: docids of the rows that come first.

    Raises:
        UserError: there are more passages than 32-bit rows.
    """
    docid_array = pa.array(docids, pa.large_string())
    docid_array = docid_array if before is None else pa.concat_arrays([before, docid_array])
    if len(docid_array) > ROWS:
        raise UserError(f"{len(docid_array)} passages in one collection; at most {ROWS} are allowed")
    return docid_array


def best(rows: np.ndarray, scores: np.ndarray, docids: pa.Array, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """The `depth` best (rows, scores) of each line under trec_eval's tie rule: score descending, then docid descending.

    Args:
        rows, scores: [lines, n], in any order. docids: by row.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    rows, scores = np.take_along_axis(rows, order, 1), np.take_along_axis(scores, order, 1)
    equal = (scores[:, 1:] == scores[:, :-1]) & (rows[:, 1:] != NO_PASSAGE)
    if (lines := np.flatnonzero(equal.any(axis=1))).size:
        tied = np.zeros(rows.shape, bool)
        tied[:, 1:] = equal
        tied[:, :-1] |= equal
        tied_rows, inverse = np.unique(rows[tied], return_inverse=True)
        place = np.empty(len(tied_rows), np.int64)
        place[pc.sort_indices(docids.take(pa.array(tied_rows))).to_numpy()] = np.arange(len(tied_rows))
        before = np.zeros(rows.shape, np.int64)
        before[tied] = -place[inverse]
        order = np.lexsort((before[lines], -scores[lines]), axis=1)
        rows[lines] = np.take_along_axis(rows[lines], order, 1)
    return rows[:, :depth], scores[:, :depth]


def fetch_best(
    fetch: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]], queries: int, depth: int, docids: pa.Array
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield (queries, rows, scores): the `depth` best passages of some queries, [q, depth or all passages].

    If passages tie at the cut, the tie rule decides which of them stay, not the library that searches.

    Args:
        fetch: returns the `k` best passages of the queries at some positions: (scores, rows), [q, k] each, best first.
        queries: number of queries. docids: of the searched passages, by row.
    """
    for start in range(0, queries, QUERIES):
        positions, count = np.arange(start, min(start + QUERIES, queries)), min(depth + MARGIN, len(docids))
        while len(positions):
            scores, rows = fetch(positions, count)
            tied = (rows[:, -1] != NO_PASSAGE) & (scores[:, min(depth, count) - 1] == scores[:, -1])
            tied &= count < len(docids)
            yield positions[~tied], *best(rows[~tied], scores[~tied], docids, depth)
            positions, count = positions[tied], min(2 * count, len(docids))
