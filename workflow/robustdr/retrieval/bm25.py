"""BM25 (bm25s, Lucene's variant), searched by all threads of the job."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import repeat
from pathlib import Path

import bm25s
import numpy as np
import Stemmer
from bm25s.numba.retrieve_utils import _retrieve_internal_jitted_serial as compiled

from robustdr.collections.reading import read_corpus
from robustdr.retrieval.best import NO_PASSAGE, docids_by_row, fetched
from robustdr.retrieval.rank import Files, Lists, judged_lists
from robustdr.retrieval.runs import Ranking, Run, rank
from robustdr.retrieval.settings import BM25Settings as Settings

TOGETHER = 64  # queries that a thread takes at once
compiled.enable_caching()  # by the first search on a machine: it takes longer than the miniature's searches


class Index:
    """The words of a corpus, and BM25's scores of them.

    Attributes:
        docids: of the passages, by row, in the order of the corpus. tokens: the terms of each.
        scorer: BM25's score of every term in every passage.
    """

    def __init__(self, settings: Settings, corpus: Path):
        docids, texts = zip(*read_corpus(corpus), strict=True)
        self.docids = docids_by_row(docids)
        self.depth = settings.depth
        self.tokenizer = bm25s.tokenization.Tokenizer(
            stopwords=settings.stopwords or [],
            stemmer=Stemmer.Stemmer(settings.stemmer) if settings.stemmer else None,
        )
        tokens = self.tokenizer.tokenize(texts, show_progress=False, return_as="tuple")
        self.tokens: list[list[int]] = tokens.ids
        self.scorer = bm25s.BM25(method="lucene", k1=settings.k1, b=settings.b, backend="numba", auto_compile=False)
        self.scorer.index(tokens, show_progress=False)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of every passage by docid."""
        return {docid: row for row, docid in enumerate(self.docids.to_pylist())}

    @cached_property
    def words(self) -> dict[int, str]:
        """Terms as they are written, after stemming."""
        stems = self.tokenizer.stem_to_sid if self.tokenizer.stemmer else self.tokenizer.word_to_id
        return {term: word for word, term in stems.items()}

    @cached_property
    def frequencies(self) -> np.ndarray:
        """How many passages have each term, [terms]."""
        return np.diff(self.scorer.scores["indptr"])

    def terms(self, text: str) -> tuple[int, Counter[int]]:
        """How many words a query has, and how often each of those that any passage has."""
        words = [word for word in self.tokenizer.splitter(text.lower()) if word not in self.tokenizer.stopwords]
        (known,) = self.tokenizer.tokenize([text], update_vocab=False, show_progress=False, return_as="ids")
        return len(words), Counter(term for term in known if self.words[term])

    def search(self, queries: dict[str, str], lists: Lists) -> Mapping[str, Ranking]:
        """The best passages of every query that have any of its words; where there are `lists`, all of its own."""
        texts = list(queries.values())
        tokens = self.tokenizer.tokenize(texts, update_vocab=False, show_progress=False, return_as="ids")
        if lists:
            scored = zip(queries, map(self.scorer.get_scores_from_ids, tokens), strict=True)
            return {qid: self.ranked(scores, lists[qid]) for qid, scores in scored}

        def retrieved(asked: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
            rows, scores = self.scorer.retrieve([tokens[i] for i in asked], k=k, show_progress=False, n_threads=1)
            return np.where(scores > 0, scores, -np.inf), np.where(scores > 0, rows, NO_PASSAGE)

        def fetch(asked: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
            parts = (asked[start : start + TOGETHER] for start in range(0, len(asked), TOGETHER))
            scores, rows = zip(*pool.map(retrieved, parts, repeat(k)), strict=True)
            return np.concatenate(scores), np.concatenate(rows)

        shape = len(queries), min(self.depth, len(self.docids))
        rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, np.float32)
        # The threads of the job, as Snakemake tells every library; one holds a score of every passage for its query.
        with ThreadPoolExecutor(int(os.environ.get("OMP_NUM_THREADS", 1))) as pool:
            for asked, found, of_found in fetched(fetch, len(queries), self.depth, self.docids):
                rows[asked], scores[asked] = found, of_found
        return Run({qid: line for line, qid in enumerate(queries)}, self.docids, rows, scores)

    def ranked(self, scores: np.ndarray, docids: list[str]) -> Ranking:
        """The ranking of some passages by the scores of all, [passages]."""
        return rank(((docid, float(scores[self.rows[docid]])) for docid in docids), len(docids))


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set with BM25."""
    index, lists = Index(settings, corpus), judged_lists(files)
    for queries in query_sets:
        yield index.search(queries, lists)
