"""Rankings by dot products of query and passage vectors, from any encoder."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from robustdr.retrieval.index import search
from robustdr.retrieval.rank import Lists
from robustdr.retrieval.runs import Ranking, Run, rank

QuerySets = Sequence[Mapping[str, str]]  # texts by query id


def texts_of(query_sets: QuerySets) -> list[str]:
    """The distinct texts of query sets, sorted."""
    return sorted({text for queries in query_sets for text in queries.values()})


def nearest(
    query_sets: QuerySets,
    texts: Sequence[str],
    vectors: np.ndarray,
    passages: Iterable[tuple[Any, list[str]]],
    lists: Lists,
    depth: int,
) -> Iterator[Mapping[str, Ranking]]:
    """The rankings of every query set by dot products.

    Args:
        texts: from `texts_of`. vectors: of these texts, [texts, dimension].
        passages: pairs of vectors [n, dimension], or an index of them, and docids.
        lists: see `rank.judged_lists`; if empty, the `depth` best passages are ranked.
    """
    place = {text: row for row, text in enumerate(texts)}
    if lists:
        listed_docids = {docid for docids in lists.values() for docid in docids}
        vector_of = {
            docid: shard_vectors[row]
            for shard_vectors, ids in passages
            for row, docid in enumerate(ids)
            if docid in listed_docids
        }
        for queries in query_sets:
            rankings = {}
            for qid, text in queries.items():
                query, docids = vectors[place[text]], lists[qid]
                scored = ((docid, float(vector_of[docid].astype(np.float32) @ query)) for docid in docids)
                rankings[qid] = rank(scored, len(docids))
            yield rankings
    else:
        results = search(passages, vectors, depth)
        for queries in query_sets:
            yield Run({qid: place[text] for qid, text in queries.items()}, *results)
