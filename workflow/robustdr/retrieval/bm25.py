"""BM25 (bm25s, Lucene's variant): all query sets of one collection in one process."""

from dataclasses import asdict
from pathlib import Path

import bm25s
import numpy as np
import Stemmer

from robustdr.collections.reading import read_corpus
from robustdr.files import read_queries
from robustdr.retrieval.best import best
from robustdr.retrieval.runs import metadata, rank, write_run
from robustdr.retrieval.settings import BM25Settings


def search_bm25(
    settings: BM25Settings,
    keys: list[str],
    tag: str,
    collection: str,
    corpus: Path,
    query_sets: list[Path],
    runs: list[Path],
) -> None:
    """Rank the passages for every query set with BM25.

    Args:
        tag, collection: for the runs' headers. corpus: corpus.jsonl.
        query_sets: query files; in the same order, `runs`: where their runs go, `keys`: the provenance of each.
    """
    docids, texts = zip(*read_corpus(corpus), strict=True)
    tokenizer = bm25s.tokenization.Tokenizer(
        stopwords=settings.stopwords or [],
        stemmer=Stemmer.Stemmer(settings.stemmer) if settings.stemmer else None,
    )
    index = bm25s.BM25(method="lucene", k1=settings.k1, b=settings.b)
    index.index(tokenizer.tokenize(texts, show_progress=False, return_as="tuple"), show_progress=False)
    for query_set, run, key in zip(query_sets, runs, keys, strict=True):
        queries = read_queries(query_set)
        tokens = tokenizer.tokenize(list(queries.values()), update_vocab=False, show_progress=False, return_as="ids")

        def fetch(asked: np.ndarray, k: int, tokens=tokens) -> tuple[np.ndarray, np.ndarray]:
            rows, scores = index.retrieve([tokens[i] for i in asked], k=k, show_progress=False)
            return scores, np.where(scores > 0, rows, -1)

        found = dict(best(fetch, len(queries), settings.depth, len(docids)))
        ranked = {
            qid: rank(((docids[row], score) for row, score in found[position]), settings.depth)
            for position, qid in enumerate(queries)
        }
        write_run(run, ranked, metadata(tag, key, collection, query_set, asdict(settings)))
