"""Dense retrieval: encode the queries, search the passage vectors."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from robustdr.collections.reading import read_corpus
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT
from robustdr.encoding.encoder import Encoder
from robustdr.errors import UserError
from robustdr.retrieval.embeddings import encode_passages, iterate
from robustdr.retrieval.nearest import nearest, texts_of
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import SearchSettings as Settings


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set with one dense retriever.

    Args:
        files: `model`: the sentence-transformers directory; `embeddings`: shards of the corpus, without which the
            passages are encoded here.

    Raises:
        UserError: a query's vector is not finite (names model and query).
    """
    hardware.start(settings.threads)
    (model,) = files["model"]
    encoder = Encoder(model, settings.precision)
    texts = texts_of(query_sets)
    vectors = encoder.encode(texts, settings.query_length, progress="queries")
    if not np.isfinite(vectors).all():
        text = texts[int((~np.isfinite(vectors).all(axis=1)).argmax())]
        raise UserError(f"{model}: the vector of query {text!r} is not finite")
    lists = judged_lists(files)
    if files["embeddings"]:
        passages = iterate(list(files["embeddings"]))
    else:
        documents = encoder.at(DOCUMENT)
        of_corpus = read_corpus(corpus, separator=documents.separator)
        wanted = {docid for docids in lists.values() for docid in docids}
        read = (passage for passage in of_corpus if not lists or passage[0] in wanted)
        passages = encode_passages(documents, read, settings.passage_length)
    yield from nearest(query_sets, texts, vectors, passages, lists, settings.depth, settings.index)
