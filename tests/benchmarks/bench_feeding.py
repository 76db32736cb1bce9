"""Feeding: how long a training waits for its next batch, prepared when it is needed and prepared ahead.

    python tests/benchmarks feeding [steps] [milliseconds]

Steps are those of RoDR's budget: 16 queries, each with 8 passages of about 80 tokens. No GPU is needed: the process
sleeps as long as a GPU computes a step (53 ms for BERT-base at 100 TFLOP/s: docs/explanation/cost.md). A GPU may share
the rest of the step, so what is measured is what feeding adds to it. Then the same of pre-training: how long one core
prepares 256 passages, against the 0.15 s of their step, with the four processes of full.yaml.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.bench_pretraining import SETTINGS
from benchmarks.common import report, timed, training_settings, wordnet_source, write_base
from robustdr.collections import wordnet
from robustdr.collections.rows import rows_of, write_rows
from robustdr.pretraining.feed import Feed, Passages
from robustdr.pretraining.tokens import write_tokens
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training.dense import Student
from robustdr.training.loop import ahead

QUERIES, PASSAGES, TOGETHER = 512, 4096, 4  # a passage of the benchmark is so many of WordNet's
STEP_OF_PRETRAINING = 0.15  # seconds: 3.3 h for 80,000 steps


def write_files(folder: Path) -> None:
    """Write data.jsonl, and corpus.jsonl with its index."""
    texts = [passage.text for passage in wordnet.corpus(wordnet_source())]
    corpus = folder / "corpus.jsonl"
    with open(corpus, "w") as file:
        for row in range(PASSAGES):
            text = " ".join(texts[row : row + TOGETHER])
            file.write(json.dumps({"docid": str(row), "title": "", "text": text}) + "\n")
    write_rows(corpus, rows_of(corpus))
    asked = list(wordnet.split(wordnet_source(), "train").queries)[:QUERIES]
    with open(folder / "data.jsonl", "w") as file:
        for number, query in enumerate(asked):
            rows = [(number * 33 + at) % PASSAGES for at in range(33)]
            line: dict[str, Any] = {"query_id": query.qid, "query": query.text, "query_variation": query.text}
            line |= {"positive_passages": {str(rows[0]): rows[0]}}
            line |= {"negative_passages": {str(row): row for row in rows[1:]}}
            file.write(json.dumps(line) + "\n")


def waited(steps: Iterator[Any], computes: float) -> tuple[float, float]:
    """Seconds waited for steps, and all seconds, where each is computed in `computes` seconds."""
    waits, began = 0.0, time.perf_counter()
    while True:
        seconds, step = timed(lambda: next(steps, None))
        if step is None:
            return waits, time.perf_counter() - began
        waits += seconds
        time.sleep(computes)


def main(steps: int, milliseconds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        write_base(folder / "initial")
        settings = training_settings(batch_size=16, negatives=7, query_length=32, passage_length=128)
        files = {"corpus": [folder / "corpus.jsonl"]}
        feed = Student.feed(settings, 1, folder / "data.jsonl", folder / "initial", files)
        student = Student.load(settings, 1, feed.examples, folder / "initial", files)
        (ready,) = student.ready(next(feed.run(0, 1)))
        read = ready.tokens["passages"]
        print(f"passages of {sum(map(len, read)) / len(read):.0f} tokens; a step computes for {milliseconds} ms")
        whole, began = {}, time.process_time()
        for seen in feed.run(0, steps):
            student.ready(seen)
        print(f"to prepare a step: {(time.process_time() - began) / steps * 1000:.1f} ms of a processor")
        for how, made in (
            ("when needed", ((seen, student.ready(seen)) for seen in feed.run(0, steps))),
            ("ahead", ahead(feed.run(0, steps), student.ready)),
        ):
            waits, whole[how] = waited(made, milliseconds / 1000)
            print(f"prepared {how}: {waits / steps * 1000:.1f} ms waited a step, {waits / whole[how]:.1%} of it")
        report("feeding", "seconds of a step prepared when needed / ahead", whole["when needed"] / whole["ahead"])

        pretraining = replace(SETTINGS, typo=0.3, bottleneck=True, batch_size=256)
        write_tokens(folder / "corpus.jsonl", folder / "initial", pretraining.length, folder / "tokens")
        passages = Passages.open(folder / "tokens", Vocabulary(folder / "initial"), pretraining)
        batches = Feed(passages, pretraining, 1)
        began = time.process_time()
        for step in range(8):
            batches[step]
        seconds = (time.process_time() - began) / 8
        pieces = passages.ends[-1] / len(passages)
        print(f"pre-training: 256 passages of {pieces:.0f} pieces: {seconds:.3f} s of one core")
        compared = "seconds of a step of pre-training / of four cores that prepare it"
        report("feeding", compared, STEP_OF_PRETRAINING / (seconds / 4))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]), *(100, 53)[len(sys.argv) - 1 :])
