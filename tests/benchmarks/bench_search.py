"""Exact search: `search` in blocks of float16 shards beside FAISS's flat index of the same vectors in float32.

    python tests/benchmarks search [rounds]

Both must find the same scores but for rounding; passages whose scores are nearly equal may change places.
"""

import statistics
import sys

import faiss
import numpy as np

from benchmarks.common import report, timed
from robustdr.retrieval.index import search
from robustdr.retrieval.runs import Run

PASSAGES, QUERIES, DIMENSION, DEPTH = 100_000, 1000, 384, 100


def main(rounds: int) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((PASSAGES, DIMENSION), dtype=np.float32).astype(np.float16)
    queries = rng.standard_normal((QUERIES, DIMENSION), dtype=np.float32)
    ids = [f"p{i}" for i in range(PASSAGES)]
    half = PASSAGES // 2
    shards = [(vectors[:half], ids[:half]), (vectors[half:], ids[half:])]

    def direct() -> list[list[tuple[str, float]]]:
        index = faiss.IndexFlatIP(DIMENSION)
        index.add(vectors.astype(np.float32))
        found = zip(*(array.tolist() for array in index.search(queries, DEPTH)), strict=True)
        return [[(ids[i], score) for i, score in zip(rows, scores, strict=True)] for scores, rows in found]

    ratios = []
    for _ in range(rounds):
        ours, found = timed(lambda: search(shards, queries, DEPTH))
        theirs, expected = timed(direct)
        run = Run({str(line): line for line in range(QUERIES)}, *found)
        for ranking, other in zip(run.values(), expected, strict=True):
            assert np.allclose([score for _, score in ranking], [score for _, score in other], atol=1e-3)
            assert len({docid for docid, _ in ranking} ^ {docid for docid, _ in other}) <= 2  # at the cut
        ratios.append(theirs / ours)
        print(f"ours, two shards merged: {ours:.2f} s   FAISS directly: {theirs:.2f} s   {ratios[-1]:.2f}")
    print(f"medians; {PASSAGES:,} passages, {QUERIES:,} queries")
    report("search", "seconds of FAISS directly / of ours, two shards merged", statistics.median(ratios))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
