"""`robustdr check`: processor seconds and memory for many passages and queries, in one split and in two.

    python tests/benchmarks check [passages queries]

Passages of 56 words and queries of 6 are drawn from a Zipf vocabulary; one passage is relevant to each query.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.bench_bm25 import texts
from benchmarks.common import report

DRAWN = 10_000  # texts at once
TEST = 100  # of so many queries, one is in the test split where there are two


def write_texts(path: Path, count: int, words: int, rng: np.random.Generator) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, count, DRAWN):
            lengths = np.full(min(DRAWN, count - start), words)
            file.writelines(f"{number}\t{text}\n" for number, text in enumerate(texts(rng, lengths), start))


def write_judgements(path: Path, queries: range, passages: int, rng: np.random.Generator) -> None:
    relevant = rng.integers(passages, size=len(queries))
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{qid} 0 {docid} 1\n" for qid, docid in zip(queries, relevant, strict=True))


def checked(folder: Path, *arguments: str) -> tuple[float, float]:
    """Processor seconds and gigabytes at most of a check without an error."""
    command = [sys.executable, "-m", "robustdr", "check", "--corpus", "corpus.tsv", *arguments]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def main(passages: int, queries: int) -> None:
    rng, cut = np.random.default_rng(0), queries // TEST
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_texts(folder / "corpus.tsv", passages, 56, rng)
        write_texts(folder / "queries.tsv", queries, 6, rng)
        write_judgements(folder / "qrels.txt", range(queries), passages, rng)
        lines = (folder / "queries.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        for split, ids in (("test", range(cut)), ("train", range(cut, queries))):
            (folder / f"{split}.tsv").write_text("".join(lines[ids.start : ids.stop]), encoding="utf-8")
            write_judgements(folder / f"{split}.txt", ids, passages, rng)
        one = checked(folder, "--queries", "queries.tsv", "--qrels", "qrels.txt")
        both = [
            "--queries",
            "test.tsv",
            "--qrels",
            "test.txt",
            "--train-queries",
            "train.tsv",
            "--train-qrels",
            "train.txt",
        ]
        two = checked(folder, *both)
    for splits, (seconds, memory) in (("one split", one), ("two splits", two)):
        print(f"{passages:,} passages, {queries:,} queries, {splits}: {seconds:.0f} processor seconds, {memory:.2f} GB")
    report("check", "processor seconds for two splits / for one", two[0] / one[0])


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (300_000, 1_000_000)))
