"""Reciprocal rank fusion of the rankings of several systems (Cormack, Clarke and Büttcher, 2009)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from robustdr.retrieval.rank import Files
from robustdr.retrieval.runs import Ranking, rank, read_run
from robustdr.retrieval.settings import FusionSettings as Settings


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """Fuse the runs of every query set.

    Args:
        files: `candidates`: the first system's runs, one per query set, then the next system's.
    """
    runs, sets = files["candidates"], len(query_sets)
    for number in range(sets):
        system_runs = [read_run(run) for run in runs[number::sets]]
        queries = dict.fromkeys(qid for run in system_runs for qid in run)
        yield {qid: fuse([run.get(qid, []) for run in system_runs], settings.k, settings.depth) for qid in queries}


def fuse(fused: Sequence[Ranking], k: int, depth: int) -> Ranking:
    """The `depth` best passages by Σ 1 / (k + rank) over the rankings that contain them, ranks from 1 (ibid., §2).

    >>> fuse([[("a", 9.0), ("b", 8.0)], [("b", 0.7)]], k=1, depth=2)  # b: 1/3 + 1/2; a: 1/2
    [('b', 0.8333333333333333), ('a', 0.5)]
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in fused:
        for place, (docid, _) in enumerate(ranking, 1):
            scores[docid] += 1 / (k + place)
    return rank(scores.items(), depth)
