"""Exact search: `search` over shards beside FAISS's flat index called directly on the same vectors.

python tests/benchmarks/bench_search.py [rounds]
"""

import statistics
import sys
import time

import faiss
import numpy as np

from robustdr.retrieval.index import search

PASSAGES, QUERIES, DIMENSION, DEPTH = 200_000, 1000, 384, 100


def main(rounds: int) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((PASSAGES, DIMENSION), dtype=np.float32)
    queries = rng.standard_normal((QUERIES, DIMENSION), dtype=np.float32)
    ids = [f"p{i}" for i in range(PASSAGES)]
    half = PASSAGES // 2
    shards = [(vectors[:half], ids[:half]), (vectors[half:], ids[half:])]

    def direct() -> list[list[str]]:
        index = faiss.IndexFlatIP(DIMENSION)
        index.add(vectors)
        _, rows = index.search(queries, DEPTH)
        return [[ids[i] for i in row] for row in rows.tolist()]

    ratios = []
    for _ in range(rounds):
        start = time.perf_counter()
        ours = search(shards, queries, DEPTH, {"factory": "Flat", "nprobe": 1})
        middle = time.perf_counter()
        expected = direct()
        end = time.perf_counter()
        assert [[docid for docid, _ in ranking] for ranking in ours] == expected
        ratios.append((end - middle) / (middle - start))
        print(
            f"ours, two shards merged: {middle - start:.2f} s   FAISS directly: {end - middle:.2f} s   {ratios[-1]:.2f}"
        )
    print(f"search: median ratio {statistics.median(ratios):.2f} ({PASSAGES:,} passages, {QUERIES:,} queries)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
