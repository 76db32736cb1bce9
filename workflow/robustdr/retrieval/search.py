"""Dense retrieval: encode the queries, search the passage vectors."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from robustdr.collections.reading import read_corpus
from robustdr.collections.rows import Corpus
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT
from robustdr.encoding.encoder import Encoder
from robustdr.errors import UserError
from robustdr.retrieval.embeddings import encode_passages, iterate
from robustdr.retrieval.index import search
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, Run, rank
from robustdr.retrieval.settings import SearchSettings as Settings


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set with one dense retriever.

    Args:
        files: `model`: the sentence-transformers directory; `embeddings`: shards of the corpus, without which the
            passages are encoded here.

    Raises:
        UserError: a query's vector is not finite (names model and query); see also `embeddings.iterate`.
    """
    hardware.start(settings.threads)
    (model,) = files["model"]
    encoder = Encoder(model, settings.precision)
    texts = sorted({text for queries in query_sets for text in queries.values()})
    vectors = encoder.encode(texts, settings.query_length, progress="queries")
    if not np.isfinite(vectors).all():
        text = texts[int((~np.isfinite(vectors).all(axis=1)).argmax())]
        raise UserError(f"{model}: the vector of query {text!r} is not finite")
    place = {text: row for row, text in enumerate(texts)}
    lists = judged_lists(files)
    wanted = {docid for docids in lists.values() for docid in docids}
    if files["embeddings"]:
        passages = iterate(files["embeddings"], Corpus(corpus))
    else:
        documents = encoder.at(DOCUMENT)
        of_corpus = read_corpus(corpus, separator=documents.separator)
        read = (passage for passage in of_corpus if not lists or passage[0] in wanted)
        passages = encode_passages(documents, read, settings.passage_length)
    if lists:
        known = {docid: of[row] for of, ids in passages for row, docid in enumerate(ids) if docid in wanted}
        for queries in query_sets:
            yield {qid: ranked(vectors[place[text]], known, lists[qid]) for qid, text in queries.items()}
    else:
        found = search(passages, vectors, settings.depth, settings.index)
        for queries in query_sets:
            yield Run({qid: place[text] for qid, text in queries.items()}, *found)


def ranked(query: np.ndarray, passages: Mapping[str, np.ndarray], docids: list[str]) -> Ranking:
    """The ranking of some passages by the dot products of their vectors with a query's, [dimension] each."""
    scored = ((docid, float(passages[docid].astype(np.float32) @ query)) for docid in docids)
    return rank(scored, len(docids))
