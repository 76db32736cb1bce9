"""Rankings from runs that authors released: a file for each query set, in a folder, an archive, or alone.

A line has the six columns of a TREC run, or those of MS MARCO's: query, passage and rank; or query, passage and score.
"""

from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.core import first_seen
from robustdr.core.errors import UserError
from robustdr.core.unpacked import names, taken_out, the_one
from robustdr.keys.integrity import digest
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import ReleasedRunSettings as Settings
from robustdr.retrieval.trec import lacking

COLUMNS = {6: (0, 2, 3, 4), 4: (0, 1, 2, 3), 3: (0, 1, 2, 2)}  # by their number: query, passage, rank, score
Listed = dict[str, list[tuple[str, float]]]  # by query: passages with what orders them, best first


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """The rankings of the runs, best passage first.

    Args:
        files: `candidates`: the file, folder or archive with all runs.

    Raises:
        UserError: it has changed since it was first used; a pattern names no file, or several; a run is malformed, has
            an unknown query or passage, or a passage twice.
    """
    (path,) = files["candidates"]
    if not settings.sha256:
        first_seen.check(path, settings.origin)
    elif not path.is_file() or (actual := digest(path)) != settings.sha256:
        has = f"has the SHA-256 {actual}" if path.is_file() else "is no file"
        raise UserError(f"{path} {has}; the configuration pins {settings.sha256}")
    file_names, docids = names(path), {docid for docid, _ in read_corpus(corpus)}
    judged = judged_lists(files)
    chosen = [the_one(path, file_names, pattern, f"the run of {name}") for name, pattern in settings.files.items()]
    with taken_out(path, chosen) as runs:
        for name, run, queries in zip(chosen, runs, query_sets, strict=True):
            place = f"{path}: {name}"
            ranked = read(place, run, settings.order)
            _check(place, ranked, queries, docids)
            for note in lacking(ranked, queries):
                print(f"{place}: {note}")
            if judged:
                yield {qid: [pair for pair in ranked.get(qid, []) if pair[0] in judged.get(qid, ())] for qid in queries}
            else:
                yield {qid: ranked.get(qid, [])[: settings.depth] for qid in queries}


def read(place: str, path: Path, order: str) -> Listed:
    """Return the passages of each query, best first.

    Args:
        place: begins a message. order: `rank`: the ranks decide, and the scores are made from them; `score`: the scores
            do, and among equal ones the later id is first.

    Raises:
        UserError: a line is malformed, or a query has a passage twice.
    """
    rows: dict[str, list[tuple[str, str, str]]] = {}
    width = 0
    with open(path, encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.split()
            width = width or len(fields)
            if len(fields) != width or width not in COLUMNS:
                columns = "6 columns (TREC), 3 (query, passage, rank or score) or 4 (query, passage, rank, score)"
                raise UserError(f"{place}:{number}: {len(fields)} columns; a run has {columns}, the same in all lines")
            qid, docid, rank, score = (fields[column] for column in COLUMNS[width])
            rows.setdefault(qid, []).append((docid, rank, score))
    if not rows:
        raise UserError(f"{place}: an empty run: it ranks no passage for any query")
    ranked = width != 3 or all(rank.isdecimal() for listed in rows.values() for _, rank, _ in listed)
    by_rank = ranked and (order == "rank" or width == 3)
    return {qid: _ordered(place, qid, listed, by_rank) for qid, listed in rows.items()}


def _ordered(place: str, qid: str, listed: list[tuple[str, str, str]], by_rank: bool) -> list[tuple[str, float]]:
    if len({docid for docid, _, _ in listed}) < len(listed):
        raise UserError(f"{place}: query {qid!r} has a passage twice")
    try:
        if by_rank:
            ranks = sorted((int(rank), docid) for docid, rank, _ in listed)
            return [(docid, float(-rank)) for rank, docid in ranks]
        scored = [(float(score), docid) for docid, _, score in listed]
    except ValueError as error:
        raise UserError(f"{place}: query {qid!r}: {error}") from None
    return [(docid, score) for score, docid in sorted(scored, reverse=True)]


def _check(place: str, ranked: Listed, queries: dict[str, str], docids: set[str]) -> None:
    if strangers := sorted(ranked.keys() - queries.keys()):
        raise UserError(f"{place}: the query {strangers[0]!r} is not in its query set ({len(strangers)} in all)")
    for qid, ranking in ranked.items():
        if unknown_docids := sorted({docid for docid, _ in ranking} - docids):
            raise UserError(f"{place}: the passage {unknown_docids[0]!r} of query {qid!r} is not in the collection")
