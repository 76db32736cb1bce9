"""Rows of users' files by field: JSON lines, Parquet, CSV, or lines with tabs and perhaps a head."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from robustdr.collections.problems import Place, Problem, Report
from robustdr.collections.reading import lines
from robustdr.core.errors import UserError
from robustdr.core.files import from_json

# What the tools of the field (BEIR, ir_datasets, MS MARCO, Pyserini, Tevatron, DPR) call each field.
PASSAGE = {
    "docid": ("docid", "_id", "doc_id", "id", "pid", "passage_id", "docno"),
    "title": ("title",),
    "text": ("text", "contents", "passage", "body"),
}
QUERY = {"qid": ("qid", "_id", "query_id", "query-id", "id"), "text": ("text", "query", "question")}
JUDGEMENT = {
    "qid": ("qid", "query-id", "query_id"),
    "docid": ("docid", "corpus-id", "corpus_id", "doc_id", "pid", "docno"),
    "grade": ("grade", "score", "relevance", "label"),
}
PAIR = {
    "original": ("original", "qid", "query-id", "query_id", "query", "_id", "id"),
    "rewritten": ("rewritten", "rewrite", "reworded", "reformulated", "variation", "varied", "text"),
}
# A first line that begins so is a head: no query has such an id.
QUERY_IDS = (*QUERY["qid"], "docno", "number", "topic", "topic_id", "topic-id", "question_id", "qno")
QUOTES = "quotes around fields"
QUOTED = re.compile(r'"(?:[^"]|"")*"')  # a field of a CSV file
OPTIONAL = {"title"}
JSONL, PARQUET, CSV = ".jsonl", ".parquet", ".csv"
ENDINGS = (
    ".tsv",
    ".tsv.gz",
    ".csv",
    ".csv.gz",
    ".jsonl",
    ".jsonl.gz",
    ".parquet",
)  # of a corpus; other files may have other names


def has_names(path: Path) -> bool:
    """Whether a file's form gives every value a name."""
    return JSONL in path.suffixes or path.suffix == PARQUET or CSV in path.suffixes


def named_rows(
    path: Path, names: Mapping[str, tuple[str, ...]], report: Report
) -> Iterator[tuple[Place, dict[str, str]]]:
    """Yield the rows of a JSONL, Parquet or CSV file, texts by the keys of `names`; a number becomes its text.

    Reported: a row without such a value, which is left out unless it lacks the title alone.
    """
    rows = _parquet(path) if path.suffix == PARQUET else _csv(path, names, report) if CSV in path.suffixes else None
    for place, row in _objects(path, report) if rows is None else rows:
        record = {field: _value(row, field, allowed) for field, allowed in names.items()}
        if wrong := [field for field, value in record.items() if value is None]:
            faults = "; ".join(_fault(row, field, names[field]) for field in wrong)
            report(Problem("line that is no record", place, f"{str(row)[:80]!r} is no record; {faults}"))
        if not {*wrong} - OPTIONAL:
            yield place, {field: value or "" for field, value in record.items()}


def _key_of(row: Any, names: tuple[str, ...]) -> str | None:
    """Return the first of `names` that is a key of a row; else a key that differs in case alone; else None."""
    if not isinstance(row, dict):
        return None
    key = next((name for name in names if name in row), None)
    return key or next((key for key in row if key.lower() in names), None)


def _value(row: Any, field: str, names: tuple[str, ...]) -> str | None:
    """Return the text or whole number under the first of `names`, as a text; empty if an optional field has none.

    None if there is no such value, or only the case of a key is another one.
    """
    key = _key_of(row, names)
    value = None if key is None else row[key]
    if value is None and field in OPTIONAL:
        return ""
    if key not in names:
        return None
    if field == "grade" and isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _fault(row: Any, field: str, names: tuple[str, ...]) -> str:
    """Say why a row has no value of a field."""
    key = _key_of(row, names)
    if key is None:
        return f"it lacks {field} ({', '.join(names)})"
    if key not in names:
        return f"the key {key!r} is not read; allowed: {', '.join(names)}"
    return f"{key} is {str(row[key])[:80]!r}, neither a text nor a whole number"


def _objects(path: Path, report: Report) -> Iterator[tuple[Place, Any]]:
    for number, line in lines(path, report):
        try:
            yield Place(path, number), from_json(line)
        except ValueError:
            yield Place(path, number), line


def _parquet(path: Path) -> Iterator[tuple[Place, Any]]:
    import pyarrow as pa

    from robustdr.collections.parquet import batches

    try:
        rows = chain.from_iterable(batch.to_pylist() for batch in batches(path))
        yield from ((Place(path, number, "row"), row) for number, row in enumerate(rows))
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: no Parquet file ({error})") from None


def _csv(
    path: Path, names: Mapping[str, tuple[str, ...]], report: Report
) -> Iterator[tuple[Place, dict[str, str | None]]]:
    """Yield the rows below the head of a file with commas, or with semicolons; a quoted field may have several lines.

    Reported: a row with more or fewer fields than the head, a file whose quotes are not closed.

    Raises:
        UserError: the head does not name the fields.
    """
    numbers: list[int] = []

    def texts() -> Iterator[str]:
        for number, text in lines(path, report):
            numbers.append(number)
            yield f"{text}\n"

    rows = texts()
    if (first := next(rows, None)) is None:
        return
    delimiter = max(",;\t", key=first.count)
    columns = next(csv.reader([first], delimiter=delimiter))
    places_of = head("\t".join(columns), names, others=True)
    if places_of is None:
        needed = "; ".join(f"{field}: {', '.join(allowed)}" for field, allowed in names.items())
        raise UserError(f"{path}:1: {first.strip()[:80]!r} is no head; a CSV file begins with one. Allowed: {needed}")
    reader = csv.reader(rows, delimiter=delimiter, strict=True)
    while True:
        start = len(numbers)
        try:
            row = next(reader, None)
        except csv.Error as error:
            report(Problem("damaged file", Place(path, numbers[start]), f"no CSV ({error})"))
            return
        if row is None:
            return
        place = Place(path, numbers[start])
        if len(row) != len(columns):
            message = f"{len(row)} fields; a line of this file is as its head"
            report(Problem("line with a wrong number of fields", place, message))
        yield place, {names[field][0]: row[n] if n < len(row) else None for field, n in places_of.items()}


def head(line: str, names: Mapping[str, tuple[str, ...]], others: bool = False) -> dict[str, int] | None:
    """Return the place of each field in the lines of a file with this first line; None if it is no head.

    Of two columns, where the first is called as a query's id is, the second has the text, whatever it is called.

    Args:
        others: whether there may be further columns, which are not read.
    """
    columns = [name.strip().strip('"').lower() for name in line.split("\t")]
    if names is QUERY and len(columns) == len(QUERY) and columns[0] in QUERY_IDS:
        return {"qid": 0, "text": 1}
    if not others and not {*columns} <= {*chain.from_iterable(names.values())}:
        return None
    places_of = {
        field: [columns.index(name) for name in allowed if name in columns] for field, allowed in names.items()
    }
    if any(len(places) != 1 and field not in OPTIONAL for field, places in places_of.items()):
        return None
    return {field: places[0] for field, places in places_of.items() if places}


class Quoting:
    """The quotation marks around the fields of a file with tabs, as CSV has them: they are no part of a text.

    Args:
        sample: the first lines below a head. If the last field of each, of two or more, stands in quotes, or the first
            field does, quotes are the file's way to write fields; else only a field with doubled quotes inside.

    Reported: that fields of the file are in quotes.
    """

    def __init__(self, path: Path, sample: Sequence[str], report: Report) -> None:
        fields = [line.split("\t") for line in sample]
        ends = all(QUOTED.fullmatch(line_fields[-1]) for line_fields in fields) and len(fields) > 1
        self._everywhere = ends or (bool(fields) and all(QUOTED.fullmatch(line_fields[0]) for line_fields in fields))
        if self._everywhere:
            report(Problem(QUOTES, path, "its fields stand in quotes, which are left out", "warning"))

    def fields(self, line: str) -> list[str]:
        """Return the fields of a line without such quotes."""
        fields = line.split("\t")
        for number, field in enumerate(fields if '"' in line else ()):
            if QUOTED.fullmatch(field) and (self._everywhere or '""' in field[1:-1]):
                fields[number] = field[1:-1].replace('""', '"')
        return fields
