"""Retrieval with a sparse encoder: dot products of weights of words, over an inverted index of each block."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from robustdr.encoding import hardware
from robustdr.encoding.description import SPARSE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.library import Library
from robustdr.encoding.sparse import weights
from robustdr.retrieval import blocks
from robustdr.retrieval.nearest import texts_of
from robustdr.retrieval.rank import Files, judged_lists
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
    hardware.start(settings.threads)
    (folder,) = files["model"]
    lengths = {QUERY: settings.query_length, DOCUMENT: settings.passage_length}
    model, texts = Library(folder, SPARSE, lengths, settings.precision), texts_of(query_sets)
    asked = weights(model, texts, QUERY)

    def scores(passages: list[str]) -> blocks.Score:
        index = weights(model, passages, DOCUMENT).T.tocsr()
        return lambda rows, columns: (asked[rows] @ index[:, columns]).toarray()

    judged = judged_lists(files)
    lists = [judged for _ in query_sets] if judged else []
    passages = blocks.blocks(corpus, model.separator, lists, BLOCK, scores)
    yield from blocks.rankings(query_sets, texts, passages, lists, settings.depth)
