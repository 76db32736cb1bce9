"""BM25: what an index takes, and a search by all threads beside bm25s's own NumPy search of it, a query at a time.

    python tests/benchmarks bm25 [passages]

Both must find the same scores. Passages of 56 words on average and queries of 6 are drawn from a Zipf vocabulary.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bm25s
import numpy as np

from benchmarks.common import report, timed
from robustdr.core.settings import as_json
from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.settings import BM25Settings

QUERIES, VOCABULARY, DEPTH = 500, 500_000, 1000


def texts(rng: np.random.Generator, lengths: np.ndarray) -> list[str]:
    """So many words each, the frequency of a word in inverse proportion to its rank."""
    words = (VOCABULARY ** rng.random(lengths.sum())).astype(int)
    return [" ".join(f"w{word}" for word in of) for of in np.split(words, lengths.cumsum()[:-1])]


def write_corpus(path: Path, passages: int, rng: np.random.Generator) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, passages, 10_000):
            lengths = rng.geometric(1 / 56, min(10_000, passages - start))
            for number, text in enumerate(texts(rng, lengths), start):
                file.write(json.dumps({"docid": str(number), "title": "", "text": text}) + "\n")


def build(settings: BM25Settings, corpus: Path, output: Path) -> None:
    """Make the index in a process of its own, as the rule does, and print what it took."""
    stage = [sys.executable, "-m", "robustdr.stages", "index", "--settings", as_json(settings.index)]
    started = time.perf_counter()
    process = subprocess.Popen([*stage, "--corpus", str(corpus), "--output", str(output)])
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    size = sum(file.stat().st_size for file in output.iterdir())
    print(
        f"indexed in {time.perf_counter() - started:.0f} s, {used.ru_utime + used.ru_stime:.0f} of them on a processor;"
        f" {used.ru_maxrss / 1e6:.2f} GB in memory at most, {size / 1e6:.0f} MB on disk"
    )


def main(passages: int) -> None:
    threads = len(os.sched_getaffinity(0))
    os.environ["OMP_NUM_THREADS"] = str(threads)
    rng = np.random.default_rng(0)
    settings = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=DEPTH)
    queries = {f"q{number}": text for number, text in enumerate(texts(rng, np.full(QUERIES, 6)))}
    with tempfile.TemporaryDirectory() as folder:
        corpus, output = Path(folder, "corpus.jsonl"), Path(folder, "index")
        write_corpus(corpus, passages, rng)
        print(f"{passages:,} passages, {corpus.stat().st_size / 1e6:.0f} MB")
        build(settings, corpus, output)
        seconds, index = timed(lambda: Index(settings, corpus, output))
        print(f"read in {seconds:.1f} s")
        compare(index, queries, threads)


def compare(index: Index, queries: dict[str, str], threads: int) -> None:
    index.search(dict(list(queries.items())[:1]), {})  # compiled
    started = time.process_time()
    ours, found = timed(lambda: index.search(queries, {}))
    print(
        f"ours, {threads} threads: {1e3 * ours / QUERIES:.2f} ms a query, {QUERIES / ours:.0f} queries/s,"
        f" {1e3 * (time.process_time() - started) / QUERIES:.2f} ms of a processor;"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB in memory at most"
    )
    plain = bm25s.BM25(method="lucene", backend="numpy")
    plain.scores, plain.vocab_dict = index.scorer.scores, index.scorer.vocab_dict
    plain.unique_token_ids_set, plain.nonoccurrence_array = index.scorer.unique_token_ids_set, None
    tokens = index.tokenizer.tokenize(list(queries.values()), update_vocab=False, show_progress=False)
    started = time.process_time()
    theirs, expected = timed(lambda: plain.retrieve(tokens, k=DEPTH, show_progress=False))
    for ranking, scores in zip(found.values(), expected.scores, strict=True):
        assert [score for _, score in ranking] == [score for score in scores.tolist() if score > 0]
    used = 1e3 * (time.process_time() - started) / QUERIES
    print(f"bm25s with NumPy: {1e3 * theirs / QUERIES:.2f} ms a query, {used:.2f} ms of a processor")
    report("bm25", "seconds of bm25s with NumPy / of ours on all threads", theirs / ours)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000)
