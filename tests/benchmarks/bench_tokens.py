"""Tokenising a corpus: in each process of a pre-training, as before, and once, by a job of its own.

    python tests/benchmarks tokens [passages] [processes]

Each part runs in a process of its own, with the variables that a job has: the cores of this machine, shared between the
processes of a pre-training, or all for the job `tokenise`. Processor seconds are counted, of all threads: other work on
the machine does not change them. Seconds on the clock are printed too. A passage has the length of MS MARCO's.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from benchmarks.common import report, timed, wordnet_source, write_base
from robustdr.collections import wordnet
from robustdr.collections.reading import read_records
from robustdr.core.seeds import digest
from robustdr.stages.__main__ import share_cores_with_tokenizers

TOGETHER, LENGTH, CHUNK = 4, 128, 4096  # a passage of the benchmark is so many of WordNet's
PARTS = ("before", "job", "after")


def before(folder: Path) -> None:
    """Tokenise the corpus as each process of a pre-training did before its first step."""
    from array import array

    import numpy as np

    from robustdr.pretraining.vocabulary import Vocabulary

    vocabulary = Vocabulary(folder / "initial")
    pieces, lengths, names = array("H"), array("q"), array("Q")
    records = read_records(folder / "corpus.jsonl")
    while chunk := list(islice(records, CHUNK)):
        texts = [passage.text for _, passage in chunk]
        encoded = vocabulary.tokenizer(texts, add_special_tokens=False, truncation=True, max_length=LENGTH - 2)
        for (_, passage), text in zip(chunk, encoded["input_ids"], strict=True):
            pieces.extend(text)
            lengths.append(len(text))
            names.append(digest(passage.docid))
    np.save(folder / "before.npy", np.array(pieces, copy=False))


def job(folder: Path) -> None:
    from robustdr.pretraining.tokens import write_tokens

    write_tokens(folder / "corpus.jsonl", folder / "initial", LENGTH, folder / "tokens")


def after(folder: Path) -> None:
    from robustdr.pretraining.tokens import read_tokens

    pieces, _, _ = read_tokens(folder / "tokens")
    pieces.sum()  # reads all of it from disk, once


def part(name: str, folder: Path, processes: int) -> tuple[float, float]:
    """Processor seconds and seconds on the clock of one part, without the start of its process."""
    cores = str(len(os.sched_getaffinity(0)))
    environment = {**os.environ, "OMP_NUM_THREADS": cores, "LOCAL_WORLD_SIZE": str(processes)}
    command = [sys.executable, "-m", "benchmarks.bench_tokens", name, str(folder)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    processor, clock = map(float, done.stdout.split()[-2:])
    return processor, clock


def main(passages: int, processes: int) -> None:
    import numpy as np

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [passage.text for passage in wordnet.corpus(wordnet_source())]
        with open(folder / "corpus.jsonl", "w") as file:
            for row in range(passages):
                text = " ".join(texts[(row + number) % len(texts)] for number in range(TOGETHER))
                file.write(json.dumps({"docid": str(row), "title": "", "text": text}) + "\n")
        write_base(folder / "initial")
        seconds = {name: part(name, folder, 1 if name == "job" else processes) for name in PARTS}
        old, new = (np.load(folder / path) for path in ("before.npy", "tokens/pieces.npy"))
        assert old.dtype == new.dtype and np.array_equal(old, new), "the pieces must be the same"
        print(f"{passages:,} passages of {len(new) / passages:.0f} pieces; {len(os.sched_getaffinity(0))} cores")
        for name, words in zip(PARTS, ("before, each process", "the job, once", "after, each process"), strict=True):
            processor, clock = seconds[name]
            print(f"{words}: {processor:.2f} s of a processor, {passages / processor:,.0f} passages/s; {clock:.2f} s")
        opened = seconds["after"][0]
        compared = f"processor seconds of one of {processes} processes before its first step, before / after"
        report("tokens", compared, seconds["before"][0] / opened)
        whole = seconds["job"][0] + processes * opened
        report("tokens", "processor seconds of all processes before / after", processes * seconds["before"][0] / whole)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in PARTS:
        share_cores_with_tokenizers()
        began = time.process_time()
        clock, _ = timed(lambda: globals()[sys.argv[1]](Path(sys.argv[2])))
        print(time.process_time() - began, clock)
    else:
        main(*map(int, sys.argv[1:]), *(30_000, 8)[len(sys.argv) - 1 :])
