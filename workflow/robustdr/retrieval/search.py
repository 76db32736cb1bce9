"""Dense retrieval: encode the queries, search the passage vectors."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.collections.rows import Corpus
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT
from robustdr.encoding.encoder import Encoder
from robustdr.retrieval.compressed import read_index
from robustdr.retrieval.embeddings import encode_passages, iterate, read_embeddings
from robustdr.retrieval.nearest import nearest, texts_of
from robustdr.retrieval.rank import Files, Lists, judged_lists, listed_passages
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import SearchSettings as Settings


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set with one dense retriever.

    Args:
        files: `model`: the sentence-transformers directory; `embeddings`: shards of the corpus; or `compressed`:
            indexes of the shards `vectors`; without any of these, passages are encoded here. `query_vectors`: the
            file to write with the vectors of `texts_of(query_sets)`, if they are kept.

    Raises:
        UserError: a query's vector is not finite (names model and query); see also `embeddings.iterate` and
            `compressed.read_index`.
    """
    hardware.start(settings.threads)
    (model,) = files["model"]
    encoder = Encoder(model, settings.precision)
    texts = texts_of(query_sets)
    vectors = encoder.encode(texts, settings.query_length, progress="queries")
    if not np.isfinite(vectors).all():
        text = texts[int((~np.isfinite(vectors).all(axis=1)).argmax())]
        raise UserError(f"{model}: the vector of query {text!r} is not finite")
    for path in files.get("query_vectors", ()):
        with atomic(path) as temporary, open(temporary, "wb") as file:
            np.save(file, vectors)
    lists = judged_lists(files)
    passages: Iterator[tuple[Any, list[str]]]
    if lists or not (indexes := files.get("compressed")):
        passages = _passages(settings, encoder, corpus, files, lists)
    else:
        shards = dict(zip(indexes, files["vectors"], strict=True))

        def read_shard(index: Path) -> tuple[Any, list[str]]:
            return read_index(index, shards[index], settings.index, vectors.shape[1])

        passages = iterate(indexes, Corpus(corpus), read_shard)
    yield from nearest(query_sets, texts, vectors, passages, lists, settings.depth)


def _passages(
    settings: Settings, encoder: Encoder, corpus: Path, files: Files, lists: Lists
) -> Iterator[tuple[np.ndarray, list[str]]]:
    """Yield (vectors [n, dimension], docids) of passages: stored vectors if there are any, else encoded here.

    Only passages in `lists` are encoded; all if there are no lists.
    """
    if files["embeddings"]:
        yield from iterate(files["embeddings"], Corpus(corpus), read_embeddings)
        return
    documents = encoder.for_route(DOCUMENT)
    passages = listed_passages(corpus, lists, documents.separator)
    yield from encode_passages(documents, passages, settings.passage_length)
