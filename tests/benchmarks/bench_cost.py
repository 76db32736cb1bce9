"""Unit costs behind docs/explanation/cost.md: time, memory and disk per token, passage, query and ranked passage.

    python tests/benchmarks cost

Seconds are processor seconds of one core, the best of two rounds: other work on the machine does not count. Memory is
what Python and NumPy allocate at most (tracemalloc).
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import bm25s
import faiss
import numpy as np
import pyarrow as pa
import torch

from benchmarks.common import configured, report, training_settings, wordnet_source, write_base, write_bert
from robustdr import variations
from robustdr.collections import wordnet
from robustdr.collections.reading import read_corpus
from robustdr.collections.rows import rows_of, write_rows
from robustdr.core.files import read_queries, write_queries
from robustdr.core.processor import native
from robustdr.encoding.directory import QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.retrieval.best import docids_by_row
from robustdr.retrieval.bm25_index import tokenizer, write_index
from robustdr.retrieval.index import search
from robustdr.retrieval.runs import Run, read_docids, read_run, write_run
from robustdr.retrieval.settings import BM25IndexSettings
from robustdr.training.assignment import changes
from robustdr.training.data import BLOCK, read_training_data
from robustdr.training.dense import Student

DIMENSION, DEPTH = 768, 1000


def timed(work: Callable[[], Any], rounds: int = 2) -> float:
    """Processor seconds of the fastest round, child processes included."""

    def spent() -> float:
        return time.process_time() + sum(os.times()[2:4])

    seconds = []
    for _ in range(rounds):
        start = spent()
        work()
        seconds.append(spent() - start)
    return min(seconds)


def peak(work: Callable[[], Any]) -> tuple[float, Any]:
    """Bytes allocated at most, and the result."""
    tracemalloc.start()
    result = work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most, result


def model_speed(name: str, folder: Path, texts: list[str], length: int, batch_size: int) -> None:
    encoder = Encoder(folder, native())
    tokens = sum(map(len, encoder.tokenise(texts, length)))
    encoding = tokens / timed(lambda: encoder.encode(texts, length))
    student = Student.load(training_settings(freeze_word_embeddings=False, dropout=0.0), 1, [], folder, {})
    optimiser = torch.optim.AdamW(student.parameters.values(), lr=1e-6)
    batch = student.encoders[QUERY].tokenise(texts[:batch_size], length)

    def step() -> None:
        student.backward(student.embed(student.encoders[QUERY], batch, 0, "query").square().mean())
        optimiser.step()
        optimiser.zero_grad()

    training = sum(map(len, batch)) / timed(step)
    layers = sum(p.numel() for n, p in encoder.model.named_parameters() if "encoder.layer" in n)
    print(f"{name}: {layers / 1e6:.1f} M parameters in layers; encoding {encoding:,.0f} tokens/s"
          f" ({2 * layers * encoding / 1e9:.0f} GFLOP/s), training {training:,.0f} tokens/s"
          f" ({6 * layers * training / 1e9:.0f} GFLOP/s)")  # fmt: skip


def search_cost(passages: int = 50_000, queries: int = 500) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((passages, DIMENSION), dtype=np.float32)
    asked = rng.standard_normal((queries, DIMENSION), dtype=np.float32)
    ids = [str(8_000_000 + i) for i in range(passages)]
    seconds = timed(lambda: search([(vectors, ids)], asked, 100))
    print(f"exact search, depth 100: {queries * passages / seconds / 1e6:,.0f} M scores/s"
          f" ({2 * DIMENSION * queries * passages / seconds / 1e9:.0f} GFLOP/s)")  # fmt: skip
    per_query, few = {}, 8192
    vectors, asked = vectors[:20_000, :8], rng.standard_normal((2 * few, 8), dtype=np.float32)
    for shards in (1, 4):
        parts = [(vectors[i::shards], ids[: len(vectors)][i::shards]) for i in range(shards)]
        most = [peak(lambda parts=parts, n=n: search(parts, asked[:n], DEPTH))[0] for n in (few, 2 * few)]
        per_query[shards] = (most[1] - most[0]) / few
        print(f"search, depth {DEPTH}, {shards} shards: {per_query[shards] / 1e3:.1f} kB per query,"
              f" and {(2 * most[0] - most[1]) / 1e6:.0f} MB for those that are searched at once")  # fmt: skip
    report("cost", f"memory of a search at depth {DEPTH}, four shards / one", per_query[4] / per_query[1])


def run_cost(folder: Path) -> None:
    """Memory is what two thousand more queries take; Arrow's own is counted too."""
    rng = np.random.default_rng(0)
    docids, path, most = docids_by_row(map(str, range(100_000, 1_000_000))), folder / "run.arrow", []
    for queries in (1000, 3000):
        scores = np.sort(rng.standard_normal((queries, DEPTH), dtype=np.float32))[:, ::-1]
        rows = rng.integers(0, len(docids), (queries, DEPTH), dtype=np.int32)
        run = Run({str(1_000_000 + q): q for q in range(queries)}, docids, rows, scores)
        write_run(path, run, {"tag": "seed1"})
        before = pa.total_allocated_bytes()
        python, _ = peak(lambda: read_run(path, 200))
        most.append(python + pa.default_memory_pool().max_memory() - before)
    reading = (most[1] - most[0]) / (2000 * DEPTH)
    print(f"run: {path.stat().st_size / rows.size:.1f} bytes on disk, {reading:.0f} in memory to read 200 ranks"
          " of 1,000, per ranked passage")  # fmt: skip
    lines = folder / "run.trec.gz"
    write_run(lines, run, {"tag": "seed1"})
    for name, read in (("to evaluate", read_run), ("to mine", lambda file: deque(read_docids(file, DEPTH), 0))):
        seconds = [timed(lambda file=file, read=read: read(file)) for file in (lines, path)]
        report("cost", f"reading a run {name}, seconds of a TREC file / of arrays", seconds[0] / seconds[1])


def training_data_cost(folder: Path, texts: list[str]) -> None:
    """Memory is what as many queries more take."""
    corpus = folder / "corpus.jsonl"
    with open(corpus, "w", encoding="utf-8") as file:
        for i, text in enumerate(texts):
            file.write(json.dumps({"docid": str(8_000_000 + i), "title": "", "text": (text * 9)[:335]}) + "\n")
    write_rows(corpus, rows_of(corpus))
    rows = {str(8_000_000 + i): i for i in range(33)}
    mined = {
        "positive_passages": dict(islice(rows.items(), 1)),
        "negative_passages": dict(islice(rows.items(), 1, None)),
    }
    varied = [f"how do i renew a passport {i}" for i in range(10)]
    for name, line in (
        ("32 negatives", {"query_variation": varied[0], **mined}),
        ("queries alone, ten variations", {"query_variation": varied}),
    ):
        path, most = folder / "data.jsonl", []
        for count in (BLOCK, 2 * BLOCK):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(
                    json.dumps({"query_id": str(i), "query": "how do i renew a passport", **line}) + "\n"
                    for i in range(count)
                )
            found, examples = peak(lambda path=path: read_training_data(path, corpus))
            most.append(found)
        seconds = timed(lambda examples=examples: [p.read_passage() for e in examples for p in e.passages[:8]])
        growth = most[1] - most[0]
        print(f"training file, {name}: {path.stat().st_size / count / 1e3:.1f} kB on disk, {growth / BLOCK:.0f} bytes"
              f" in memory per query, and {(most[0] - growth) / 1e6:.0f} MB for those that are checked at once;"
              f" {1e6 * seconds / count:.0f} µs to read with up to eight passages")  # fmt: skip


def query_cost(folder: Path, tokenizer: Any, count: int = 50_000) -> None:
    path = folder / "queries.tsv"
    write_queries(path, ((str(10_000_000 + i), f"how do i renew passport {i}") for i in range(count)))
    most, queries = peak(lambda: read_queries(path))
    varied = {str(kind): {qid: f"{text} {kind}" for qid, text in queries.items()} for kind in range(10)}
    seconds = timed(lambda: changes(queries, varied, tokenizer), 1)
    print(f"queries: {most / count:.0f} bytes in memory each; ten variations tokenised and compared: "
          f"{count / seconds:,.0f} queries/s")  # fmt: skip


def corpus_cost(folder: Path, texts: list[str], passages: int = 100_000) -> None:
    path = folder / "corpus.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for i in range(passages):
            text = " ".join(texts[(i * k) % len(texts)] for k in (1, 7, 31, 63))[:335]
            file.write(json.dumps({"docid": str(i), "title": "", "text": text}) + "\n")
    seconds = timed(lambda: sum(1 for _ in read_corpus(path)))
    print(f"corpus: {path.stat().st_size / passages:.0f} bytes a line, {passages / seconds:,.0f} lines read per second")
    settings, output = BM25IndexSettings(k1=0.9, b=0.4, stopwords=None, stemmer=None), folder / "index"
    most, _ = peak(lambda: write_index(settings, path, output))
    made = bm25s.BM25.load(output, mmap=True, backend="numpy")
    words = [tokenizer(settings).splitter(text.lower()) for text in texts[:200]]
    asked = [of[:6] for of in words if made.get_tokens_ids(of[:6])]
    seconds = timed(lambda: made.retrieve(asked, k=DEPTH, show_progress=False))
    print(f"BM25: {most / passages:.0f} bytes in memory per passage to index; a query of 6 words takes"
          f" {1e3 * seconds / len(asked) / passages * 1e6:.1f} ms per million passages")  # fmt: skip


def variation_cost(kinds: list[str]) -> None:
    queries = [(query.qid, query.text) for query in wordnet.split(wordnet_source(), "dev")[0]]
    rates = {}
    for kind in kinds:
        variation = variations.create(kind)
        list(variation.vary(queries[:10], 1))
        rates[kind] = len(queries) / timed(lambda made=variation: list(made.vary(queries, 2)))
    print("variations, queries/s:", ", ".join(f"{kind} {rate:,.0f}" for kind, rate in rates.items()))


def start_cost() -> None:
    for module in ("robustdr.cli", "robustdr.evaluation.measures", "robustdr.retrieval.search"):
        command = [sys.executable, "-c", f"import {module}"]
        print(f"process start, {module}: {timed(lambda c=command: subprocess.run(c, check=True), 3):.2f} s")


def main() -> None:
    texts = [passage.text for passage in islice(wordnet.corpus(wordnet_source()), 2000)]
    torch.set_num_threads(1)  # threads that wait for each other would count as work
    faiss.omp_set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start_cost()
        variation_cost(configured("papers/capot/experiment.yaml")["evaluation"]["natural-questions"]["variations"])
        run_cost(folder)
        training_data_cost(folder, texts)
        corpus_cost(folder, texts)
        write_base(folder / "mini")
        query_cost(folder, Encoder(folder / "mini").tokenizer.backend_tokenizer)
        search_cost()
        model_speed("two layers of MiniLM", folder / "mini", texts[:1000], 48, 32)
        write_bert(folder / "mini", folder / "base", layers=12)
        model_speed("BERT-base", folder / "base", [" ".join(texts[i : i + 9]) for i in range(16)], 128, 4)


if __name__ == "__main__":
    main()
