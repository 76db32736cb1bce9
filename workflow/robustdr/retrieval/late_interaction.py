"""Retrieval with late interaction: for each vector of a query the nearest one of a passage, summed (MaxSim)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from robustdr.encoding.description import LATE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.late_interaction import vectors
from robustdr.encoding.library import Library
from robustdr.retrieval import blocks
from robustdr.retrieval.rank import Files
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import LibrarySettings as Settings

BLOCK = 1024  # passages whose vectors are in memory at once


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank all passages for every query set, without an index.

    Args:
        files: `model`: the directory of a late-interaction model.

    Raises:
        UserError: see `vectors`.
    """
    yield from blocks.of_library(settings, corpus, files, query_sets, LATE, BLOCK, _scorer)


def _scorer(model: Library, texts: Sequence[str]) -> Callable[[list[str]], blocks.Score]:
    query_vectors = vectors(model, texts, QUERY)

    def scores(passages: list[str]) -> blocks.Score:
        passage_vectors = vectors(model, passages, DOCUMENT)
        return lambda rows, columns: model.model.similarity(
            [query_vectors[row] for row in rows], [passage_vectors[column] for column in columns]
        ).numpy()

    return scores
