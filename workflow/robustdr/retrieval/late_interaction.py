"""Retrieval with late interaction: for each vector of a query the nearest one of a passage, summed (MaxSim)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from robustdr.encoding import hardware
from robustdr.encoding.description import LATE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.late_interaction import vectors
from robustdr.encoding.library import Library
from robustdr.retrieval import blocks
from robustdr.retrieval.nearest import texts_of
from robustdr.retrieval.rank import Files, judged_lists
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
    hardware.start(settings.threads)
    (folder,) = files["model"]
    lengths = {QUERY: settings.query_length, DOCUMENT: settings.passage_length}
    model, texts = Library(folder, LATE, lengths, settings.precision), texts_of(query_sets)
    asked = vectors(model, texts, QUERY)

    def scores(passages: list[str]) -> blocks.Score:
        made = vectors(model, passages, DOCUMENT)
        return lambda rows, columns: model.model.similarity(
            [asked[row] for row in rows], [made[column] for column in columns]
        ).numpy()

    judged = judged_lists(files)
    lists = [judged for _ in query_sets] if judged else []
    passages = blocks.blocks(corpus, model.separator, lists, BLOCK, scores)
    yield from blocks.rankings(query_sets, texts, passages, lists, settings.depth)
