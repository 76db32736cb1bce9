"""All query sets of one model in one process: encode the queries, search, write one run each."""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from robustdr.collections.reading import read_corpus
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT, QUERY, part
from robustdr.encoding.encoder import Encoder
from robustdr.errors import UserError
from robustdr.files import read_queries
from robustdr.retrieval.embeddings import encode_passages, iterate, separator
from robustdr.retrieval.index import search
from robustdr.retrieval.runs import metadata, write_run
from robustdr.retrieval.settings import SearchSettings


def search_dense(
    settings: SearchSettings,
    keys: list[str],
    tag: str,
    collection: str,
    model: Path,
    corpus: Path,
    shards: list[Path],
    query_sets: list[Path],
    runs: list[Path],
) -> None:
    """Rank the passages for every query set with one dense retriever.

    Args:
        tag: the run tag. collection: its name.
        model: sentence-transformers directory. corpus: corpus.jsonl. shards: its embeddings; where none are kept, the
            passages are encoded here.
        query_sets: query files; in the same order, `runs`: where their runs go, `keys`: the provenance of each.

    Raises:
        UserError: a query's vector is not finite (names file and query).
    """
    hardware.start(settings.threads)
    encoder = Encoder(model, settings.precision)
    queries = [read_queries(path) for path in query_sets]
    texts = sorted({text for queries_of_set in queries for text in queries_of_set.values()})
    vectors = encoder.encode(texts, settings.query_length, progress="queries")
    if not np.isfinite(vectors).all():
        text = texts[int((~np.isfinite(vectors).all(axis=1)).argmax())]
        raise UserError(f"{model}: the vector of query {text!r} is not finite")
    place = {text: row for row, text in enumerate(texts)}
    if shards:
        passages = iterate(shards)
    else:
        shared = part(model, QUERY) == part(model, DOCUMENT)
        documents = encoder if shared else Encoder(model, settings.precision, route=DOCUMENT)
        texts_of_corpus = read_corpus(corpus, separator=separator(documents))
        passages = encode_passages(documents, texts_of_corpus, settings.passage_length)
    rankings = search(passages, vectors, settings.depth, settings.index)
    for query_set, queries_of_set, run, key in zip(query_sets, queries, runs, keys, strict=True):
        ranked = {qid: rankings[place[text]] for qid, text in queries_of_set.items()}
        write_run(run, ranked, metadata(tag, key, collection, query_set, asdict(settings)))
