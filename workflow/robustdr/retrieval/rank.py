"""Ranking: whatever the kind of system, all its query sets on one collection in one process, one run each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from robustdr.files import read_queries
from robustdr.retrieval.runs import Ranking, metadata, write_run
from robustdr.settings import read

Files = Mapping[str, Sequence[Path]]  # what a ranking reads beside passages and queries, by name


class Ranks(Protocol):
    """A module that ranks."""

    Settings: type[Any]

    def rankings(
        self, settings: Any, corpus: Path, files: Files, query_sets: list[dict[str, str]]
    ) -> Iterator[dict[str, Ranking]]:
        """The rankings of every query set, in their order: by query id, best passage first."""


def write_runs(
    ranks: str,
    settings: str,
    keys: list[str],
    tag: str,
    collection: str,
    corpus: Path,
    files: Files,
    query_sets: list[Path],
    runs: list[Path],
) -> None:
    """Rank the passages for every query set and write the runs.

    Args:
        ranks: the module that ranks. settings: its settings as JSON. files: what it reads.
        tag, collection: for the runs' headers. corpus: corpus.jsonl.
        query_sets: query files; in the same order, `runs`: where their runs go, `keys`: the provenance of each.

    Raises:
        UserError: what the module reports.
    """
    module: Ranks = import_module(ranks)  # type: ignore[assignment]
    told: Any = read(module.Settings, settings)
    ranked = module.rankings(told, corpus, files, [read_queries(path) for path in query_sets])
    for query_set, run, key, rankings in zip(query_sets, runs, keys, ranked, strict=True):
        write_run(run, rankings, metadata(tag, key, collection, query_set, asdict(told)))
