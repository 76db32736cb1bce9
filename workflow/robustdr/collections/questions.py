"""Splits of questions with answer strings: a table of a hub's data set, or the user's own.

A question has no id in the table: its query id is its row number, from 0.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow as pa

from robustdr.collections.located import own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import queries
from robustdr.collections.records import Answers, Query, Split
from robustdr.collections.settings import FromFiles, QuestionsSplit
from robustdr.collections.tabular import Table
from robustdr.core.errors import UserError


def split(source: FromFiles, name: str) -> Split:
    """Read the columns `question` and `answers` (a list of texts); `a.b` is the field b of the column a."""
    part = cast(QuestionsSplit, source["splits"][name])
    table = Table(source, part)
    questions = table.column(part["question"], pa.string())
    answers = table.column(part["answers"], pa.list_(pa.string()))
    rows = ((Place(table.path, row, "row"), Query(str(row), text or "")) for row, text in enumerate(questions))
    return Split(queries(rows), answers=_answers(table.path, answers))


def files(source: FromFiles, split: str) -> list[Path]:
    """Return the user's file; none if the file comes from the hub."""
    return own_file(cast(QuestionsSplit, source["splits"][split]))


def _answers(path: Path, rows: list[list[str | None] | None]) -> Iterator[Answers]:
    for row, texts in enumerate(rows):
        answers = tuple(text for text in texts or () if text and text.strip())
        if not answers:
            raise UserError(f"{path}: row {row}: a question without an answer")
        yield Answers(str(row), answers)
