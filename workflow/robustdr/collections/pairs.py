"""Questions with their own candidate passages, one row for each pair, as WikiQA is released (Yang et al., 2015).

The id of a passage is its question and its position among the question's candidates, from 0: the same sentence under
two questions is two passages. The passages are those of all questions, also of removed ones.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from robustdr.collections.located import own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import passages, queries
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Pairs
from robustdr.collections.tabular import Table
from robustdr.core.errors import UserError

TOGETHER = ("corpus",)


class _Pair(NamedTuple):
    """A row: its place, its question's id and text, its passage's id and text, and its grade."""

    place: Place
    qid: str
    query: str
    docid: str
    text: str
    grade: int


def corpus(source: Pairs) -> Iterator[Passage]:
    """Yield the candidates of all questions of all splits, in the order of the files."""
    rows = (pair for name in source["splits"] for pair in _pairs(source, name))
    return passages((pair.place, Passage(pair.docid, "", pair.text)) for pair in rows)


def split(source: Pairs, name: str) -> Split:
    """Return the questions with a relevant candidate (`filtered`: also an irrelevant one), and all their candidates."""
    pairs = list(_pairs(source, name))
    grades: dict[str, set[bool]] = {}
    for pair in pairs:
        grades.setdefault(pair.qid, set()).add(pair.grade > 0)
    required = {True, False} if source.get("filtered") else {True}
    kept_qids = {qid for qid, relevances in grades.items() if required <= relevances}
    query_of = {
        pair.qid: (pair.place, Query(pair.qid, pair.query)) for pair in reversed(pairs) if pair.qid in kept_qids
    }
    judgements = [Judgement(pair.qid, pair.docid, pair.grade) for pair in pairs if pair.qid in kept_qids]
    return Split(
        queries(query_of[qid] for qid in grades if qid in kept_qids), judgements, removed=len(grades) - len(kept_qids)
    )


def files(source: Pairs, split: str | None) -> list[Path]:
    """Return the user's files, for the corpus (None) those of all splits; none if the files come from the hub."""
    parts = source["splits"].values() if split is None else [source["splits"][split]]
    return [path for part in parts for path in own_file(part)]


def _pairs(source: Pairs, name: str) -> Iterator[_Pair]:
    """Yield the rows of a split.

    Raises:
        UserError: see `Table`; a row without id, question or grade, or one question with two texts.
    """
    part = source["splits"][name]
    table, column_names = Table(source, part, part.get("header", True)), part.get("columns", source["columns"])
    ids = table.column(column_names["qid"], pa.string()) if "qid" in column_names else []
    questions = table.column(column_names["query"], pa.string())
    if not ids:  # a question's id is the row where its text stands first
        first: dict[str, int] = {}
        ids = [f"{name}-{first.setdefault(question, row)}" for row, question in enumerate(questions)]
    texts: dict[str, str] = {}
    ranks: Counter[str] = Counter()
    for row, (qid, query, text, grade) in enumerate(
        zip(
            ids,
            questions,
            table.column(column_names["text"], pa.string()),
            table.column(column_names["grade"], pa.int64()),
            strict=True,
        )
    ):
        place = Place(table.path, row, "row")
        for column, value in (
            (column_names.get("qid"), qid),
            (column_names["query"], query),
            (column_names["grade"], grade),
        ):
            if value is None:
                raise UserError(f"{place}: nothing in the column {column!r}")
        if texts.setdefault(qid, query) != query:
            raise UserError(f"{place}: question {qid!r} is {query!r} here and {texts[qid]!r} before")
        yield _Pair(place, qid, query, f"{qid}-{ranks[qid]}", text or "", grade)
        ranks[qid] += 1
