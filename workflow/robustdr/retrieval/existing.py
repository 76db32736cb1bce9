"""Rankings from existing runs."""

from collections.abc import Collection, Iterator
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, rank, read_run
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
    corpus_docids, judged = {docid for docid, _ in read_corpus(corpus)}, judged_lists(files)
    for path, queries in zip(files["candidates"], query_sets, strict=True):
        run = read_run(path)
        _check_filled(path, run)
        if strangers := sorted(run.keys() - queries.keys()):
            raise UserError(f"{path}: the query {strangers[0]!r} is not in its query set ({len(strangers)} in all)")
        for qid, ranking in run.items():
            docids = [docid for docid, _ in ranking]
            if unknown_docids := sorted({*docids} - corpus_docids):
                raise UserError(f"{path}: the passage {unknown_docids[0]!r} of query {qid!r} is not in the collection")
        if judged:
            yield {qid: [pair for pair in run.get(qid, []) if pair[0] in judged.get(qid, ())] for qid in queries}
        else:
            yield {qid: rank(run.get(qid, []), settings.depth) for qid in queries}


def notes(path: Path, queries: Collection[str]) -> list[str]:
    """What a reader should know of a run's numbers, in words; `queries`: the ids of its query set.

    Raises:
        UserError: the run is empty; see also `read_trec`.
    """
    listed = read_trec(path)
    _check_filled(path, listed.scored_rows)
    return [*lacking(listed.scored_rows, queries), *listed.notes]


def _check_filled(path: Path, qids: Collection[str]) -> None:
    if not qids:
        raise UserError(f"{path}: an empty run: it ranks no passage for any query")
