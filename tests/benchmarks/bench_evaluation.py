"""Evaluation: `evaluate` beside pytrec_eval called directly, on 6,980 queries × 100 passages and three measures.

python tests/benchmarks/bench_evaluation.py [rounds]
"""

import random
import statistics
import sys
import time

import pytrec_eval

from robustdr.evaluation.measures import evaluate

MEASURES = {"R@100": "recall.100", "nDCG@10": "ndcg_cut.10", "AP": "map"}


def main(rounds: int) -> None:
    rng = random.Random(0)
    qrels = {f"q{i}": {f"p{rng.randrange(1000)}": 1} for i in range(6980)}
    run = {qid: [(f"p{j}", 1000.0 - rank) for rank, j in enumerate(rng.sample(range(1000), 100))] for qid in qrels}
    ratios = []
    for _ in range(rounds):
        start = time.perf_counter()
        ours = evaluate(qrels, run, list(MEASURES))
        middle = time.perf_counter()
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
        direct = evaluator.evaluate({qid: dict(ranking) for qid, ranking in run.items()})
        end = time.perf_counter()
        for measure, name in MEASURES.items():
            assert ours[measure] == {qid: values[name.replace(".", "_")] for qid, values in direct.items()}
        ratios.append((end - middle) / (middle - start))
        print(f"ours: {middle - start:.2f} s   pytrec_eval directly: {end - middle:.2f} s   {ratios[-1]:.2f}")
    print(f"evaluation: median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
