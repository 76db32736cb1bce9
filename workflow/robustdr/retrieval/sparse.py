"""Retrieval with a sparse encoder: dot products of weights of words, over an inverted index of each block."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from robustdr.encoding.description import SPARSE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.library import Library
from robustdr.encoding.sparse import weights
from robustdr.retrieval import blocks
from robustdr.retrieval.rank import Files
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import LibrarySettings as Settings

BLOCK = 4096  # passages whose scores are in memory at once


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages that share a word with a query.

    Args:
        files: `model`: the directory of a sparse encoder.

    Raises:
        UserError: see `weights`.
    """
    yield from blocks.of_library(settings, corpus, files, query_sets, SPARSE, BLOCK, _scorer)


def _scorer(model: Library, texts: Sequence[str]) -> Callable[[list[str]], blocks.Score]:
    query_weights = weights(model, texts, QUERY)

    def scores(passages: list[str]) -> blocks.Score:
        index = weights(model, passages, DOCUMENT).T.tocsr()
        return lambda rows, columns: (query_weights[rows] @ index[:, columns]).toarray()

    return scores
