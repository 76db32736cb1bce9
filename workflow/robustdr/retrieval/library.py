"""Retrieval by models that sentence-transformers runs: sparse encoders and late interaction, without an index.

A sparse encoder ranks by dot products of the weights of words. Late interaction finds for each vector of a query the
nearest one of a passage, and adds up how near they are (MaxSim).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from robustdr.encoding import hardware
from robustdr.encoding.description import LATE, SPARSE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.library import Library, vectors, weights
from robustdr.retrieval.best import NO_PASSAGE
from robustdr.retrieval.index import search
from robustdr.retrieval.nearest import texts_of
from robustdr.retrieval.rank import Files, Lists, judged_lists, listed_passages
from robustdr.retrieval.runs import Ranking, Run, rank
from robustdr.retrieval.settings import LibrarySettings as Settings

BLOCK = {SPARSE: 4096, LATE: 1024}  # passages whose weights or vectors are in memory at once

# Scores of texts of queries, by row, for passages of a block, by column: [rows, columns]; 0 where they have nothing in
# common.
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Block(NamedTuple):
    """Some passages of a collection, which `index.search` takes as an index."""

    score: Score
    docids: list[str]

    def search(self, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The `k` best passages of texts that have something in common with them: scores and columns, best first."""
        scores = self.score(rows, np.arange(len(self.docids)))
        best_scores, columns = torch.from_numpy(np.where(scores == 0, -np.inf, scores)).topk(k)
        return best_scores.numpy(), np.where(best_scores.isneginf(), NO_PASSAGE, columns)


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages that have something in common with a query, for every query set.

    Args:
        files: `model`: the directory of a model of the settings' class.

    Raises:
        UserError: see `Library`, `weights` and `vectors`.
    """
    hardware.start(settings.threads)
    (folder,) = files["model"]
    lengths = {QUERY: settings.query_length, DOCUMENT: settings.passage_length}
    model, texts = Library(folder, settings.model, lengths, settings.precision), texts_of(query_sets)
    score_passages = {SPARSE: _by_words, LATE: _by_tokens}[settings.model](model, texts)
    lists = judged_lists(files)
    passages = listed_passages(corpus, lists, model.separator)

    def blocks() -> Iterator[Block]:
        while block := list(islice(passages, BLOCK[settings.model])):
            yield Block(score_passages([text for _, text in block]), [docid for docid, _ in block])

    row_of = {text: row for row, text in enumerate(texts)}
    if lists:
        yield from _judged_rankings(query_sets, row_of, blocks(), lists)
        return
    results = search(((block, block.docids) for block in blocks()), np.arange(len(texts)), settings.depth)
    for queries in query_sets:
        yield Run({qid: row_of[text] for qid, text in queries.items()}, *results)


def _judged_rankings(
    query_sets: Sequence[Mapping[str, str]], row_of: Mapping[str, int], blocks: Iterator[Block], lists: Lists
) -> Iterator[Mapping[str, Ranking]]:
    """Rank all judged passages of each query, and no others."""
    docids_of_row: list[set[str]] = [set() for _ in row_of]
    for queries in query_sets:
        for qid, docids in lists.items():
            docids_of_row[row_of[queries[qid]]].update(docids)
    score_of: dict[tuple[int, str], float] = {}
    for block in blocks:
        for row, row_docids in enumerate(docids_of_row):
            if columns := [column for column, docid in enumerate(block.docids) if docid in row_docids]:
                (scores,) = block.score(np.array([row]), np.array(columns)).tolist()
                score_of |= {(row, block.docids[column]): score for column, score in zip(columns, scores, strict=True)}
    for queries in query_sets:
        yield {
            qid: rank(((docid, score_of[row_of[queries[qid]], docid]) for docid in docids), len(docids))
            for qid, docids in lists.items()
        }


def _by_words(model: Library, texts: Sequence[str]) -> Callable[[list[str]], Score]:
    """Return what scores passages by dot products, with an inverted index of a block."""
    query_weights = weights(model, texts, QUERY, progress="queries")

    def score_passages(passages: list[str]) -> Score:
        index = weights(model, passages, DOCUMENT, progress="passages").T.tocsr()
        return lambda rows, columns: (query_weights[rows] @ index[:, columns]).toarray()

    return score_passages


def _by_tokens(model: Library, texts: Sequence[str]) -> Callable[[list[str]], Score]:
    """Return what scores passages by MaxSim."""
    query_vectors = vectors(model, texts, QUERY, progress="queries")

    def score_passages(passages: list[str]) -> Score:
        passage_vectors = vectors(model, passages, DOCUMENT, progress="passages")
        return lambda rows, columns: model.model.similarity(
            [query_vectors[row] for row in rows], [passage_vectors[column] for column in columns]
        ).numpy()

    return score_passages
