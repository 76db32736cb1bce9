"""BM25 search (bm25s, Lucene's variant), with all threads of the job."""

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import repeat
from pathlib import Path
from tokenize import TokenError

import bm25s
import numpy as np
import pyarrow as pa
from bm25s.numba import retrieve_utils
from numba.extending import is_jitted

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.retrieval.best import NO_PASSAGE, fetch_best
from robustdr.retrieval.bm25_index import ABOUT, DOCIDS, PASSAGES, TERMS, index_facts, tokenizer
from robustdr.retrieval.rank import Files, Lists, judged_lists
from robustdr.retrieval.runs import Ranking, Run, rank
from robustdr.retrieval.settings import BM25Settings as Settings

# What the readers of its files raise; numpy reads a header as Python's tokens.
DAMAGED = (OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, SyntaxError, TokenError)
TOGETHER = 64  # queries that a thread takes at once
for function in filter(is_jitted, vars(retrieve_utils).values()):
    function.enable_caching()  # compiled once per machine: compiling takes longer than the miniature's searches


class Index:
    """BM25's scores of the terms of a corpus, memory-mapped.

    Attributes:
        docids: of the passages, by row, in the order of the corpus.
        scorer: BM25's score of every term in every passage.

    Raises:
        UserError: the index is missing, damaged, of another corpus, or made with other settings.
    """

    def __init__(self, settings: Settings, corpus: Path, folder: Path):
        self.depth = settings.depth
        self.tokenizer = tokenizer(settings)
        try:
            recorded = from_json((folder / ABOUT).read_bytes())
            for key, value in index_facts(settings.index, corpus).items():
                if recorded[key] != value:
                    raise UserError(
                        f"{folder / ABOUT}: {key} is {recorded[key]!r}, expected {value!r}; delete {folder}"
                    )
            self.docids = pa.ipc.open_file(pa.memory_map(str(folder / DOCIDS))).read_all()["docid"].combine_chunks()
            self.places, self.of_passages = (np.load(folder / name, mmap_mode="r") for name in (PASSAGES, TERMS))
            self.scorer = bm25s.BM25.load(folder, mmap=True, auto_compile=False)
            matrix = self.scorer.scores
            whole = len(self.docids) == len(self.places) - 1 == matrix["num_docs"]
            whole &= self.places[-1] == len(self.of_passages)
            whole &= matrix["indptr"][-1] == len(matrix["indices"]) == len(matrix["data"])
            if not whole:
                raise ValueError("its files differ in length")
            starts, rows = matrix["indptr"], matrix["indices"]
            ascending = starts[0] == 0 and (np.diff(starts) >= 0).all()
            if not (ascending and rows.min(initial=0) >= 0 and rows.max(initial=0) < len(self.docids)):
                raise ValueError("it names passages that are not there")
            vocabulary = self.scorer.vocab_dict
            self.tokenizer.word_to_id = {"": vocabulary[""]} if settings.stemmer else vocabulary
        except (*DAMAGED, pa.ArrowException) as error:
            raise UserError(f"{folder}: index missing or damaged ({error}); delete it and run again") from error
        self.tokenizer.stem_to_sid = vocabulary if settings.stemmer else {}

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of every passage by docid."""
        return {docid: row for row, docid in enumerate(self.docids.to_pylist())}

    @cached_property
    def words(self) -> list[str]:
        """The text of every term, after stemming."""
        return list(self.scorer.vocab_dict)

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Number of passages that contain each term, [terms]."""
        return np.diff(self.scorer.scores["indptr"])

    def terms_of(self, row: int) -> list[int]:
        """The term ids of a passage, in the order of its text."""
        return self.of_passages[self.places[row] : self.places[row + 1]].tolist()

    def terms(self, text: str) -> tuple[int, Counter[int]]:
        """(number of words, counts by term id) of a query; stopwords are left out, and only known terms have counts."""
        words = [word for word in self.tokenizer.splitter(text.lower()) if word not in self.tokenizer.stopwords]
        (term_ids,) = self.tokenizer.tokenize([text], update_vocab=False, show_progress=False, return_as="ids")
        return len(words), Counter(term for term in term_ids if self.words[term])

    def search(self, queries: dict[str, str], lists: Lists) -> Mapping[str, Ranking]:
        """The best passages of each query that contain one of its words; with `lists`, all passages in its list."""
        texts = list(queries.values())
        tokens = self.tokenizer.tokenize(texts, update_vocab=False, show_progress=False, return_as="ids")
        if lists:
            scored = zip(queries, map(self.scorer.get_scores_from_ids, tokens), strict=True)
            return {qid: self.ranked(scores, lists[qid]) for qid, scores in scored}

        def retrieved(positions: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
            rows, scores = self.scorer.retrieve([tokens[i] for i in positions], k=k, show_progress=False, n_threads=1)
            return np.where(scores > 0, scores, -np.inf), np.where(scores > 0, rows, NO_PASSAGE)

        def fetch(positions: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
            parts = (positions[start : start + TOGETHER] for start in range(0, len(positions), TOGETHER))
            scores, rows = zip(*pool.map(retrieved, parts, repeat(k)), strict=True)
            return np.concatenate(scores), np.concatenate(rows)

        shape = len(queries), min(self.depth, len(self.docids))
        rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, np.float32)
        with ThreadPoolExecutor(processor.cores()) as pool:  # each thread holds one score per passage
            for positions, best_rows, best_scores in fetch_best(fetch, len(queries), self.depth, self.docids):
                rows[positions], scores[positions] = best_rows, best_scores
        return Run({qid: line for line, qid in enumerate(queries)}, self.docids, rows, scores)

    def ranked(self, scores: np.ndarray, docids: list[str]) -> Ranking:
        """The ranking of some passages; `scores`: of all passages, [passages]."""
        return rank(((docid, float(scores[self.rows[docid]])) for docid in docids), len(docids))


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set with BM25.

    Args:
        files: `index`: the folder of the corpus's index.
    """
    (folder,) = files["index"]
    index, lists = Index(settings, corpus, folder), judged_lists(files)
    for queries in query_sets:
        yield index.search(queries, lists)
