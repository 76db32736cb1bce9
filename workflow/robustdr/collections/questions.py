"""Splits of questions with answer strings: a Parquet file of a hub's data set, or the user's own.

A question has no id there: its query id is the number of its row, from 0.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from robustdr import hub
from robustdr.collections.reading import checked, queries
from robustdr.collections.records import Answers, Query, Split
from robustdr.errors import UserError, unknown


def split(source: dict[str, Any], name: str) -> Split:
    """The column `question`, and the column `answers`, a list of texts; `a.b` is the field b of the column a."""
    part = source["splits"][name]
    path = _path(source, part)
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: no Parquet file ({error})") from None
    asked = _column(path, table, part["question"], pa.string())
    answers = _column(path, table, part["answers"], pa.list_(pa.string()))
    rows = ((f"{path}: row {row}", Query(str(row), text or "")) for row, text in enumerate(asked))
    return Split(queries(rows), answers=_answers(path, answers))


def files(source: dict[str, Any], split: str | None) -> list[Path]:
    """The user's file; none where the hub brings it."""
    part = source["splits"][split]
    return [Path(part["path"])] if "path" in part else []


def _path(source: dict[str, Any], part: dict[str, Any]) -> Path:
    if "path" in part:
        return checked(part["path"], source.get("sha256", {}))
    from huggingface_hub import hf_hub_download

    what = f"{part['hub']}@{part['revision']}: {part['file']}"
    with hub.fetching(what):
        path = Path(hf_hub_download(part["hub"], part["file"], repo_type="dataset", revision=part["revision"]))
    if "sha256" in part:
        hub.check(path, part["sha256"], what, cached=True)
    return path


def _column(path: Path, table: pa.Table, name: str, kind: pa.DataType) -> list[Any]:
    """The values of a column or of a field of it, if they are of a `kind`."""
    head, *fields = name.split(".")
    if head not in table.column_names:
        raise unknown(f"{path}: column", name, table.column_names)
    column = table[head]
    try:
        for field in fields:
            column = pc.struct_field(column, field)
        return column.cast(kind).to_pylist()
    except (pa.ArrowException, NotImplementedError, TypeError) as error:
        raise UserError(f"{path}: column {name!r} of {table[head].type} gives no {kind} ({error})") from None


def _answers(path: Path, rows: list[list[str | None] | None]) -> Iterator[Answers]:
    for row, texts in enumerate(rows):
        answers = tuple(text for text in texts or () if text and text.strip())
        if not answers:
            raise UserError(f"{path}: row {row}: a question without an answer")
        yield Answers(str(row), answers)
