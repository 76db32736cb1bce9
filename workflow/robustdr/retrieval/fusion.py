"""Fusion of the rankings of several systems by ranx (Bassani and Romelli, CIKM 2022)."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from robustdr.core.errors import UserError
from robustdr.retrieval.rank import Files
from robustdr.retrieval.runs import Ranking, rank, read_run
from robustdr.retrieval.settings import FusionSettings as Settings


@cache
def ranx() -> ModuleType:
    """Return ranx, of which numba compiles nothing: that takes a minute, and saves less on runs of this size."""
    from numba.core import config

    config.DISABLE_JIT = True  # type: ignore[attr-defined]
    import ranx

    module: ModuleType = ranx
    return module


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """Fuse the runs of every query set.

    Args:
        files: `candidates`: the first system's runs, one per query set, then the next system's.
    """
    runs, sets = files["candidates"], len(query_sets)
    for number in range(sets):
        yield fuse(settings, [dict(read_run(run)) for run in runs[number::sets]])


def fuse(settings: Settings, runs: Sequence[dict[str, Ranking]]) -> dict[str, Ranking]:
    """Return the best passages of each query that any of the runs has.

    A method that looks at ranks is given places in the order of our tie rule, since ranx orders ties in another way.

    Args:
        runs: by system, {qid: ranking}; a query that a run lacks has no passages there.

    Raises:
        UserError: a run has no passage at all.
    """
    qids = list(dict.fromkeys(qid for run in runs for qid in run))
    for number, run in enumerate(runs, 1):
        if not any(run.values()):
            raise UserError(f"system {number} of {len(runs)} ranks no passage for any of the {len(qids)} queries")

    def scores(ranking: Ranking) -> dict[str, float]:
        if settings.normalization:
            return {docid: float(score) for docid, score in ranking}
        return {docid: -float(place) for place, (docid, _) in enumerate(ranking)}

    fused: Any = ranx().fuse(
        [ranx().Run({qid: scores(run.get(qid, [])) for qid in qids}) for run in runs],
        norm=settings.normalization,
        method=settings.method,
        params=dict(settings.parameters),
    )
    return {qid: rank(((docid, float(score)) for docid, score in fused[qid].items()), settings.depth) for qid in qids}
