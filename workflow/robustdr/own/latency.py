"""How long a query takes where the model and the index are loaded, as in a product that runs."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any, TypedDict

import faiss
import numpy as np
import torch

from robustdr.collections.reading import read_corpus
from robustdr.encoding.description import SPARSE
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.library import Library, vectors, weights
from robustdr.rankers.ranker import load
from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.rewrite import REWRITERS
from robustdr.retrieval.settings import BM25Settings, LibrarySettings, RerankSettings, RewriteSettings, SearchSettings

SAMPLE, WARM = 50, 5  # queries that are timed one by one, and queries before them
TOGETHER = 32  # queries of a batch
PASSAGES = 256  # that a sparse encoder or a late-interaction model encodes here; others are scaled
RERANKED = 5  # queries that a reranker is timed on: it reads many passages for each
ROOM = 1 << 29  # bytes of vectors that are searched; the time of a larger index is that of its part, scaled


class Times(TypedDict):
    """Milliseconds of the queries of the sample, one by one, and of a query in a batch."""

    single: list[float]
    batched: float


NOTHING: Times = {"single": [0.0] * SAMPLE, "batched": 0.0}  # of a system that only asks others


def sample(texts: Sequence[str]) -> list[str]:
    """The queries to time: `SAMPLE` of them, evenly; of fewer, all, several times."""
    repeated = [*texts] * -(-SAMPLE // len(texts))
    return [repeated[len(repeated) * number // SAMPLE] for number in range(SAMPLE)]


def of_words(settings: BM25Settings, corpus: Path, folder: Path, texts: Sequence[str]) -> Times:
    """Times of BM25 with its index in memory."""
    index = Index(settings, corpus, folder)
    return _times(lambda batch: index.search({str(number): text for number, text in enumerate(batch)}, {}), texts)


def of_vectors(settings: SearchSettings, model: Path, passages: int, texts: Sequence[str]) -> Times:
    """Times of a dual encoder: the query is encoded, then compared with the vectors of all passages (FAISS, flat).

    How long a search takes depends on the number of vectors and not on what they are: they are drawn.
    """
    with _threads(settings.threads):
        encoder = Encoder(model, settings.precision)
        rows = max(1, min(passages, ROOM // (4 * encoder.dimension)))
        index = faiss.IndexFlatIP(encoder.dimension)
        index.add(np.random.default_rng(1).standard_normal((rows, encoder.dimension), dtype=np.float32))

        def encode(batch: Sequence[str]) -> np.ndarray:
            return np.ascontiguousarray(encoder.encode(batch, settings.query_length), dtype=np.float32)

        vectors = encode(texts)
        encoding = _times(encode, texts)
        by_text = dict(zip(texts, vectors, strict=True))
        searching = _times(
            lambda batch: index.search(np.stack([by_text[t] for t in batch]), min(rows, settings.depth)), texts
        )
    return total([encoding, _scaled(searching, passages / rows)])


def of_library(
    settings: LibrarySettings, model: Path, corpus: Path, passages: int, texts: Sequence[str]
) -> tuple[Times, int]:
    """Times of a sparse encoder or of late interaction, and bytes of its index: weights of words, vectors of tokens.

    Args:
        passages: their number; `PASSAGES` are encoded, and times and bytes are scaled.
    """
    lengths = {QUERY: settings.query_length, DOCUMENT: settings.passage_length}
    with _threads(settings.threads):
        library = Library(model, settings.model, lengths, settings.precision)
        known = [text for _, text in islice(read_corpus(corpus, separator=library.separator), PASSAGES)]

        def encode(batch: Sequence[str], route: str) -> Any:
            return (weights if settings.model == SPARSE else vectors)(library, batch, route)

        index, rows = encode(known, DOCUMENT), {text: row for row, text in enumerate(texts)}
        queries = encode(texts, QUERY)
        if settings.model == SPARSE:
            index = index.T.tocsr()
            size = index.data.nbytes + index.indices.nbytes + index.indptr.nbytes

            def search(batch: Sequence[str]) -> object:
                return (queries[[rows[text] for text in batch]] @ index).toarray().argsort()
        else:
            size = sum(matrix.nbytes for matrix in index)

            def search(batch: Sequence[str]) -> object:
                return library.model.similarity([queries[rows[text]] for text in batch], index).argsort()

        encoding, searching = _times(lambda batch: encode(batch, QUERY), texts), _times(search, texts)
    return total([encoding, _scaled(searching, passages / len(known))]), size * passages // len(known)


def of_rewriter(settings: RewriteSettings, corpus: Path, texts: Sequence[str]) -> Times:
    """Times of a spell checker with its dictionary in memory."""
    rewrite = REWRITERS[settings.rewriter](settings, corpus)
    return _times(lambda batch: [rewrite(text) for text in batch], texts)


def of_reranker(settings: RerankSettings, model: Path, corpus: Path, texts: Sequence[str]) -> Times:
    """Times of a reranker, which reads `depth` passages for each query; `RERANKED` queries stand for the sample."""
    known = [text for _, text in islice(read_corpus(corpus), settings.depth)]
    with _threads(settings.threads):
        ranker = load(**settings.ranker, folder=model, precision=settings.precision)

        def rerank(batch: Sequence[str]) -> object:
            pairs = [(query, passage) for query in batch for passage in known]
            return ranker.predict(pairs, settings.query_length, settings.passage_length, pairs)

        times = _times(rerank, texts[:: max(1, len(texts) // RERANKED)][:RERANKED], warm=1)
    return {"single": [*islice(cycle(times["single"]), len(texts))], "batched": times["batched"]}


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Torch and FAISS use so many threads."""
    threads, faiss_threads = torch.get_num_threads(), faiss.omp_get_max_threads()
    torch.set_num_threads(number)
    faiss.omp_set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        faiss.omp_set_num_threads(faiss_threads)


def total(parts: Sequence[Times]) -> Times:
    """The times of a system that asks each of its parts, one after the other."""
    return {
        "single": np.sum([part["single"] for part in parts], axis=0).tolist(),
        "batched": sum(part["batched"] for part in parts),
    }


def summary(times: Times) -> Mapping[str, float]:
    """The median, the 95th percentile, and the queries of a second in batches."""
    p50, p95 = np.percentile(times["single"], [50, 95])
    return {"p50": float(p50), "p95": float(p95), "throughput": 1000 / times["batched"]}


def _scaled(times: Times, factor: float) -> Times:
    return {"single": [factor * took for took in times["single"]], "batched": factor * times["batched"]}


def _times(run: Callable[[Sequence[str]], object], texts: Sequence[str], warm: int = WARM) -> Times:
    """Time queries one by one, then all in batches; the first ones are not counted."""
    for text in texts[:warm]:
        run([text])
    single = []
    for text in texts:
        began = time.perf_counter()
        run([text])
        single.append(1000 * (time.perf_counter() - began))
    batches = [texts[start : start + TOGETHER] for start in range(0, len(texts), TOGETHER)]
    began = time.perf_counter()
    for batch in batches:
        run(batch)
    return {"single": single, "batched": 1000 * (time.perf_counter() - began) / len(texts)}
