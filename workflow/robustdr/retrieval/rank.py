"""Ranking: one process ranks all query sets of a system on one collection and writes one run for each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries
from robustdr.core.plugins import module_named
from robustdr.core.settings import read_settings
from robustdr.retrieval.runs import Ranking, metadata, write_run

Files = Mapping[str, Sequence[Path]]  # further files of a ranking, by name
Lists = dict[str, list[str]]  # docids by query id


class Ranks(Protocol):
    """A module that ranks."""

    Settings: type[Any]

    def rankings(
        self, settings: Any, corpus: Path, files: Files, query_sets: list[dict[str, str]]
    ) -> Iterator[Mapping[str, Ranking]]:
        """Yield the rankings of each query set, in their order: by query id, best passage first.

        If `files` has `judged`, each ranking has exactly the passages of `judged_lists`.
        """


def judged_lists(files: Files) -> Lists:
    """The judged candidates of each query: the docids in the qrels `judged`; empty without such a file."""
    return {qid: list(grades) for path in files.get("judged", ()) for qid, grades in read_qrels(path).items()}


def listed_passages(corpus: Path, lists: Lists, separator: str) -> Iterator[tuple[str, str]]:
    """Yield (docid, title and text) of the passages in the lists; of all passages if there are no lists."""
    listed = {docid for docids in lists.values() for docid in docids}
    return (passage for passage in read_corpus(corpus, separator) if not lists or passage[0] in listed)


def write_runs(
    ranks: str,
    settings: str,
    tag: str,
    collection: str,
    corpus: Path,
    files: Files,
    query_sets: list[Path],
    runs: list[Path],
    trec: Sequence[Path] = (),
    ignore_identical_ids: bool = False,
) -> None:
    """Rank the passages for every query set and write the runs.

    Args:
        ranks: name of the module that ranks. settings: its settings as JSON. files: its further files.
        tag, collection: for the runs' headers. corpus: corpus.jsonl.
        query_sets: query files. In the same order, runs: their run files, trec: files for the same runs as TREC
            files.
        ignore_identical_ids: leave out the passage that has the id of the query, as BEIR's evaluation does: a query
            that is a passage too finds itself.

    Raises:
        UserError: raised by the module, or a ranking does not have exactly the judged candidates.
    """
    module: Ranks = module_named(ranks)
    module_settings: Any = read_settings(module.Settings, settings)
    ranked = module.rankings(module_settings, corpus, files, [read_queries(path) for path in query_sets])
    lists = judged_lists(files)
    for number, (query_set, run, rankings) in enumerate(zip(query_sets, runs, ranked, strict=True)):
        for qid, docids in lists.items():
            if {docid for docid, _ in rankings.get(qid, ())} != {*docids}:
                raise UserError(
                    f"{ranks}: its ranking for query {qid!r} of {query_set} must have exactly the judged candidates"
                )
        if ignore_identical_ids:
            rankings = {qid: [pair for pair in rankings[qid] if pair[0] != qid] for qid in rankings}
        header = metadata(tag, collection, query_set, asdict(module_settings))
        for path in (run, *trec[number : number + 1]):
            write_run(path, rankings, header)
