"""Rankings from existing runs."""

from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, rank, read_run
from robustdr.retrieval.settings import RunSettings as Settings


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """The rankings of the runs, ordered by score; the runs' rank column is ignored.

    Args:
        files: `candidates`: a run for each query set, in their order.

    Raises:
        UserError: a run has an unknown query or passage, or has a passage twice for a query.
    """
    corpus_docids, judged = {docid for docid, _ in read_corpus(corpus)}, judged_lists(files)
    for path, queries in zip(files["candidates"], query_sets, strict=True):
        run = read_run(path)
        if strangers := sorted(run.keys() - queries.keys()):
            raise UserError(f"{path}: the query {strangers[0]!r} is not in its query set ({len(strangers)} in all)")
        for qid, ranking in run.items():
            docids = [docid for docid, _ in ranking]
            if unknown_docids := sorted({*docids} - corpus_docids):
                raise UserError(f"{path}: the passage {unknown_docids[0]!r} of query {qid!r} is not in the collection")
            if len({*docids}) < len(docids):
                raise UserError(f"{path}: query {qid!r} has a passage twice")
        if judged:
            yield {qid: [pair for pair in run.get(qid, []) if pair[0] in judged.get(qid, ())] for qid in queries}
        else:
            yield {qid: rank(run.get(qid, []), settings.depth) for qid in queries}
