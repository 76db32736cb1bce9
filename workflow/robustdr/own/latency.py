"""How long a query takes where the model and the index are loaded, as in a product that runs."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import faiss
import numpy as np
import torch

from robustdr.encoding.encoder import Encoder
from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.settings import BM25Settings, SearchSettings

SAMPLE, WARM = 50, 5  # queries that are timed one by one, and queries before them
TOGETHER = 32  # queries of a batch
ROOM = 1 << 29  # bytes of vectors that are searched; the time of a larger index is that of its part, scaled


class Times(TypedDict):
    """Milliseconds of the queries of the sample, one by one, and of a query in a batch."""

    single: list[float]
    batched: float


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
    threads, of_faiss = torch.get_num_threads(), faiss.omp_get_max_threads()
    torch.set_num_threads(settings.threads)
    faiss.omp_set_num_threads(settings.threads)
    try:
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
    finally:
        torch.set_num_threads(threads)
        faiss.omp_set_num_threads(of_faiss)
    return total([encoding, _scaled(searching, passages / rows)])


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


def _times(run: Callable[[Sequence[str]], object], texts: Sequence[str]) -> Times:
    """Time queries one by one, then all in batches; the first ones are not counted."""
    for text in texts[:WARM]:
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
