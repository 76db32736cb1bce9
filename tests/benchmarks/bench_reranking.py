"""Ranking pairs: `Ranker.predict` of monoBERT beside `CrossEncoder.predict` of sentence-transformers, same model.

    python tests/benchmarks reranking [rounds]

Both compute in single precision and in their best batches; the two take turns.
"""

import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import CrossEncoder

from benchmarks.common import report, timed, wordnet_source, write_base
from robustdr.collections import wordnet
from robustdr.rankers.ranker import load

QUERIES, DEPTH, QUERY_LENGTH, PASSAGE_LENGTH = 60, 50, 32, 200  # nothing is cut, which the two do differently


def main(rounds: int) -> None:
    source = wordnet_source()
    passages = [passage.text for passage in wordnet.corpus(source)]
    questions = [query.text for query in wordnet.split(source, "dev").queries][:QUERIES]
    pairs = [
        (query, passages[(97 * at + 31 * n) % len(passages)])
        for at, query in enumerate(questions)
        for n in range(DEPTH)
    ]
    names = [("query", "passage")] * len(pairs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_base(folder / "base")
        (folder / "ranker").mkdir()
        load("mono_bert", folder / "base").save(folder / "ranker")
        ours = load("mono_bert", folder / "ranker")
        theirs = CrossEncoder(name + "/ranker", local_files_only=True, max_length=QUERY_LENGTH + PASSAGE_LENGTH + 3)

    def score_theirs(batch_size: int) -> np.ndarray:
        return theirs.predict(pairs, batch_size=batch_size, show_progress_bar=False)

    best = min((32, 16, 64, 128), key=lambda size: timed(lambda: score_theirs(size))[0])
    ratios = []
    for _ in range(rounds):
        seconds_ours, scores = timed(lambda: ours.predict(pairs, QUERY_LENGTH, PASSAGE_LENGTH, names))
        seconds_theirs, expected = timed(lambda: score_theirs(best))
        assert np.abs(scores - expected).max() < 1e-4, "the two must score alike but for rounding"
        ratios.append(seconds_theirs / seconds_ours)
        print(f"ours {len(pairs) / seconds_ours:7.0f} pairs/s   CrossEncoder (batches of {best})"
              f" {len(pairs) / seconds_theirs:7.0f} pairs/s   ratio {ratios[-1]:.2f}")  # fmt: skip
    print(f"float32, threads: {torch.get_num_threads()}")
    report("reranking", "pairs per second of ours / of sentence-transformers", statistics.median(ratios))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
