"""BM25: a search by all threads beside bm25s's own NumPy search of the same index, one query after the other.

    python tests/benchmarks bm25 [passages]

Both must find the same scores. Passages of 56 words on average and queries of 6 are drawn from a Zipf vocabulary.
"""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

import bm25s
import numpy as np

from benchmarks.common import report, timed
from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.settings import BM25Settings

QUERIES, VOCABULARY, DEPTH = 500, 500_000, 1000


def texts(rng: np.random.Generator, lengths: np.ndarray) -> list[str]:
    """So many words each, the frequency of a word in inverse proportion to its rank."""
    words = (VOCABULARY ** rng.random(lengths.sum())).astype(int)
    return [" ".join(f"w{word}" for word in of) for of in np.split(words, lengths.cumsum()[:-1])]


def peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most"


def main(passages: int) -> None:
    threads = len(os.sched_getaffinity(0))
    os.environ["OMP_NUM_THREADS"] = str(threads)
    rng = np.random.default_rng(0)
    settings = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=DEPTH)
    queries = {f"q{number}": text for number, text in enumerate(texts(rng, np.full(QUERIES, 6)))}
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.jsonl")
        with open(corpus, "w", encoding="utf-8") as file:
            for start in range(0, passages, 10_000):
                lengths = rng.geometric(1 / 56, min(10_000, passages - start))
                for number, text in enumerate(texts(rng, lengths), start):
                    file.write(json.dumps({"docid": str(number), "title": "", "text": text}) + "\n")
        print(f"before indexing: {peak()}")
        seconds, index = timed(lambda: Index(settings, corpus))
    print(f"{passages:,} passages indexed in {seconds:.0f} s: {peak()}")
    index.search(dict(list(queries.items())[:1]), {})  # compiled
    ours, found = timed(lambda: index.search(queries, {}))
    print(f"ours, {threads} threads: {1e3 * ours / QUERIES:.2f} ms a query; {peak()}")
    plain = bm25s.BM25(method="lucene", backend="numpy")
    plain.scores, plain.vocab_dict = index.scorer.scores, index.scorer.vocab_dict
    plain.unique_token_ids_set, plain.nonoccurrence_array = index.scorer.unique_token_ids_set, None
    tokens = index.tokenizer.tokenize(list(queries.values()), update_vocab=False, show_progress=False)
    theirs, expected = timed(lambda: plain.retrieve(tokens, k=DEPTH, show_progress=False))
    for ranking, scores in zip(found.values(), expected.scores, strict=True):
        assert [score for _, score in ranking] == [score for score in scores.tolist() if score > 0]
    print(f"bm25s with NumPy: {1e3 * theirs / QUERIES:.2f} ms a query")
    report("bm25", "seconds of bm25s with NumPy / of ours on all threads", theirs / ours)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000)
