"""Rankings from existing runs."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, Run, read_run
from robustdr.retrieval.settings import RunSettings as Settings
from robustdr.retrieval.trec import lacking, read_trec


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """The rankings of the runs, ordered by score; the runs' rank column is ignored.

    Args:
        files: `candidates`: a run for each query set, in their order.

    Raises:
        UserError: a run is empty, or has an unknown query or passage; see also `read_trec`.
    """
    docids, judged = {docid for docid, _ in read_corpus(corpus)}, judged_lists(files)
    for path, queries in zip(files["candidates"], query_sets, strict=True):
        run = read_run(path)
        check(str(path), run, queries, docids)
        yield select_passages(run, queries, judged, settings.depth)


def check(place: str, run: Run, queries: Collection[str], docids: Collection[str]) -> None:
    """Refuse a run that is empty, or has an unknown query or passage; `docids`: of the collection."""
    _check_filled(place, run)
    if strangers := sorted(run.keys() - {*queries}):
        raise UserError(f"{place}: the query {strangers[0]!r} is not in its query set ({len(strangers)} in all)")
    unknown_docids = {*run.docids.to_pylist()} - {*docids}
    for qid, ranking in run.items() if unknown_docids else ():
        if strange := next((docid for docid, _ in ranking if docid in unknown_docids), ""):
            raise UserError(f"{place}: the passage {strange!r} of query {qid!r} is not in the collection")


def select_passages(
    run: Run, queries: Iterable[str], judged: Mapping[str, Collection[str]], depth: int
) -> dict[str, Ranking]:
    """Return the judged passages of each query if there are `judged` ones, else its `depth` best."""
    if judged:
        return {qid: [pair for pair in run.get(qid, []) if pair[0] in judged.get(qid, ())] for qid in queries}
    return {qid: run.get(qid, [])[:depth] for qid in queries}


def notes(path: Path, queries: Collection[str]) -> list[str]:
    """What a reader should know of a run's numbers, in words; `queries`: the ids of its query set.

    Raises:
        UserError: the run is empty; see also `read_trec`.
    """
    listed = read_trec(path)
    _check_filled(str(path), listed.scored_rows)
    return [*lacking(listed.scored_rows, queries), *listed.notes]


def _check_filled(place: str, qids: Collection[str]) -> None:
    if not qids:
        raise UserError(f"{place}: an empty run: it ranks no passage for any query")
