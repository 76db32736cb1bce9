"""Ranking: one process ranks all query sets of a system on one collection and writes a run for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries
from robustdr.core.settings import read
from robustdr.retrieval.runs import Ranking, metadata, write_run

Files = Mapping[str, Sequence[Path]]  # what a ranking reads beside passages and queries, by name
Lists = dict[str, list[str]]  # docids by query id


class Ranks(Protocol):
    """A module that ranks."""

    Settings: type[Any]

    def rankings(
        self, settings: Any, corpus: Path, files: Files, query_sets: list[dict[str, str]]
    ) -> Iterator[Mapping[str, Ranking]]:
        """The rankings of every query set, in their order: by query id, best passage first.

        Where `files` has `judged`, they are those of `judged_lists`, whole.
        """


def judged_lists(files: Files) -> Lists:
    """By query, the only passages that are ranked: those that the qrels `judged` name; empty without such a file."""
    return {qid: list(grades) for path in files.get("judged", ()) for qid, grades in read_qrels(path).items()}


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
    trec: Sequence[Path] = (),
) -> None:
    """Rank the passages for every query set and write the runs.

    Args:
        ranks: the module that ranks. settings: its settings as JSON. files: what it reads.
        tag, collection: for the runs' headers. corpus: corpus.jsonl.
        query_sets: query files; in the same order, `runs`: where their runs go, `keys`: the provenance of each, and
            `trec`: where the same runs go once more, in the form that people read.

    Raises:
        UserError: what the module reports, or a ranking that is not of a query's judged candidates.
    """
    module: Ranks = import_module(ranks)  # type: ignore[assignment]
    told: Any = read(module.Settings, settings)
    ranked = module.rankings(told, corpus, files, [read_queries(path) for path in query_sets])
    lists = judged_lists(files)
    for number, (query_set, run, key, rankings) in enumerate(zip(query_sets, runs, keys, ranked, strict=True)):
        for qid, docids in lists.items():
            if {docid for docid, _ in rankings.get(qid, ())} != {*docids}:
                raise UserError(
                    f"{ranks}: its ranking for query {qid!r} of {query_set} is not of the judged candidates"
                )
        about = metadata(tag, key, collection, query_set, asdict(told))
        for path in (run, *trec[number : number + 1]):
            write_run(path, rankings, about)
