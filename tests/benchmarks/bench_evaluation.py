"""Evaluation: `evaluate` beside pytrec_eval called directly, on 6,980 queries × 100 passages and three measures.

python tests/benchmarks evaluation [rounds]
"""

import random
import statistics
import sys

import pytrec_eval

from benchmarks.common import report, timed
from robustdr.evaluation.measures import evaluate

MEASURES = {"R@100": "recall.100", "nDCG@10": "ndcg_cut.10", "AP": "map"}


def main(rounds: int) -> None:
    rng = random.Random(0)
    qrels = {f"q{i}": {f"p{rng.randrange(1000)}": 1} for i in range(6980)}
    run = {qid: [(f"p{j}", 1000.0 - rank) for rank, j in enumerate(rng.sample(range(1000), 100))] for qid in qrels}

    def direct() -> dict[str, dict[str, float]]:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values()))
        return evaluator.evaluate({qid: dict(ranking) for qid, ranking in run.items()})

    ratios = []
    for _ in range(rounds):
        ours, found = timed(lambda: evaluate(qrels, run, list(MEASURES)))
        theirs, expected = timed(direct)
        for measure, name in MEASURES.items():
            assert found[measure] == {qid: values[name.replace(".", "_")] for qid, values in expected.items()}
        ratios.append(theirs / ours)
        print(f"ours: {ours:.2f} s   pytrec_eval directly: {theirs:.2f} s   {ratios[-1]:.2f}")
    report("evaluation", "seconds of pytrec_eval directly / of ours", statistics.median(ratios))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
