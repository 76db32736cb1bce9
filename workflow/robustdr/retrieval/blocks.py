"""Rankings by the scores of blocks of passages, from models whose texts are no single vectors."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from robustdr.collections.reading import read_corpus
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.library import Library
from robustdr.retrieval.best import NO_PASSAGE
from robustdr.retrieval.index import search
from robustdr.retrieval.nearest import QuerySets, texts_of
from robustdr.retrieval.rank import Files, Lists, judged_lists
from robustdr.retrieval.runs import Ranking, Run, rank
from robustdr.retrieval.settings import LibrarySettings

# Scores of texts, by row, for passages of a block, by column: [rows, columns]; 0 where they have nothing in common.
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
Scorer = Callable[[Library, Sequence[str]], Callable[[list[str]], Score]]  # of queries, then of the passages of a block


class Block(NamedTuple):
    """Some passages of a collection, which `index.search` takes as an index."""

    score: Score
    docids: list[str]

    def search(self, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The `k` best passages of texts that have something in common with them: scores and columns, best first."""
        scores = self.score(rows, np.arange(len(self.docids)))
        best_scores, columns = torch.from_numpy(np.where(scores == 0, -np.inf, scores)).topk(k)
        return best_scores.numpy(), np.where(best_scores.isneginf(), NO_PASSAGE, columns)


def blocks(
    corpus: Path, separator: str, lists: Sequence[Lists], size: int, scores: Callable[[list[str]], Score]
) -> Iterator[Block]:
    """Yield the passages in the lists, or all of a corpus if there are no lists, in blocks of `size`."""
    listed_docids = {docid for docids_of_queries in lists for docids in docids_of_queries.values() for docid in docids}
    passages = (
        passage for passage in read_corpus(corpus, separator=separator) if not lists or passage[0] in listed_docids
    )
    while block := list(islice(passages, size)):
        yield Block(scores([text for _, text in block]), [docid for docid, _ in block])


def rankings(
    query_sets: QuerySets, texts: Sequence[str], passages: Iterable[Block], lists: Sequence[Lists], depth: int
) -> Iterator[Mapping[str, Ranking]]:
    """The rankings of every query set.

    Args:
        texts: from `nearest.texts_of`. passages: from `blocks`.
        lists: of each query set, the passages of a query that are ranked; if empty, the `depth` best of all are.
    """
    place = {text: row for row, text in enumerate(texts)}
    if not lists:
        results = search(((block, block.docids) for block in passages), np.arange(len(texts)), depth)
        for queries in query_sets:
            yield Run({qid: place[text] for qid, text in queries.items()}, *results)
        return
    docids_of_text: list[set[str]] = [set() for _ in texts]
    for queries, listed in zip(query_sets, lists, strict=True):
        for qid, docids in listed.items():
            docids_of_text[place[queries[qid]]].update(docids)
    score_of: dict[tuple[int, str], float] = {}
    for block in passages:
        for row, text_docids in enumerate(docids_of_text):
            if columns := [column for column, docid in enumerate(block.docids) if docid in text_docids]:
                (scores,) = block.score(np.array([row]), np.array(columns)).tolist()
                score_of |= {(row, block.docids[column]): score for column, score in zip(columns, scores, strict=True)}
    for queries, listed in zip(query_sets, lists, strict=True):
        yield {
            qid: rank(((docid, score_of[place[queries[qid]], docid]) for docid in docids), len(docids))
            for qid, docids in listed.items()
        }


def of_library(
    settings: LibrarySettings, corpus: Path, files: Files, query_sets: QuerySets, kind: str, size: int, scorer: Scorer
) -> Iterator[Mapping[str, Ranking]]:
    """The rankings of every query set by a model that sentence-transformers runs, without an index.

    Args:
        files: `model`: the directory of a model of this `kind`. size: passages in memory at once.
    """
    hardware.start(settings.threads)
    (folder,) = files["model"]
    lengths = {QUERY: settings.query_length, DOCUMENT: settings.passage_length}
    model, texts = Library(folder, kind, lengths, settings.precision), texts_of(query_sets)
    scores = scorer(model, texts)
    judged = judged_lists(files)
    lists = [judged for _ in query_sets] if judged else []
    passages = blocks(corpus, model.separator, lists, size, scores)
    yield from rankings(query_sets, texts, passages, lists, settings.depth)
