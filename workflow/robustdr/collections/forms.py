"""Rows of users' files by field: JSON lines, Parquet, or lines with tabs and perhaps a head."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from robustdr.collections.problems import Place, Problem, Report
from robustdr.collections.reading import lines
from robustdr.core.errors import UserError
from robustdr.core.files import from_json

# What the tools of the field (BEIR, ir_datasets, MS MARCO, Pyserini, Tevatron, DPR) call each field.
PASSAGE = {
    "docid": ("docid", "_id", "doc_id", "id", "pid", "passage_id"),
    "title": ("title",),
    "text": ("text", "contents", "passage", "body"),
}
QUERY = {"qid": ("qid", "_id", "query_id", "query-id", "id"), "text": ("text", "query", "question")}
JUDGEMENT = {
    "qid": ("qid", "query-id", "query_id"),
    "docid": ("docid", "corpus-id", "corpus_id", "doc_id", "pid"),
    "grade": ("grade", "score", "relevance", "label"),
}
OPTIONAL = {"title"}
JSONL, PARQUET = ".jsonl", ".parquet"
ENDINGS = (".tsv", ".tsv.gz", ".jsonl", ".jsonl.gz", ".parquet")  # of a corpus; other files may have other names


def has_names(path: Path) -> bool:
    """Whether a file's form gives every value a name."""
    return JSONL in path.suffixes or path.suffix == PARQUET


def named_rows(
    path: Path, names: Mapping[str, tuple[str, ...]], report: Report
) -> Iterator[tuple[Place, dict[str, str]]]:
    """Yield the rows of a JSONL or Parquet file, texts by the keys of `names`; a number becomes its text.

    Reported, and left out: a row without such a value.
    """
    for place, row in _parquet(path) if path.suffix == PARQUET else _objects(path, report):
        record = {field: _value(row, allowed) for field, allowed in names.items()}
        if missing := [field for field, value in record.items() if value is None and field not in OPTIONAL]:
            required = ", ".join(f"{field} ({', '.join(names[field])})" for field in missing)
            message = f"{str(row)[:80]!r} is no record; it lacks {required}"
            report(Problem("line that is no record", place, message))
        else:
            yield place, {field: value or "" for field, value in record.items()}


def _value(row: Any, names: tuple[str, ...]) -> str | None:
    """Return the value of the first of `names`; None if it is neither a text nor a whole number."""
    value = next((row[name] for name in names if name in row), None) if isinstance(row, dict) else None
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _objects(path: Path, report: Report) -> Iterator[tuple[Place, Any]]:
    for number, line in lines(path, report):
        try:
            yield Place(path, number), from_json(line)
        except ValueError:
            yield Place(path, number), line


def _parquet(path: Path) -> Iterator[tuple[Place, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        batches = pq.ParquetFile(path).iter_batches()
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from ((Place(path, number, "row"), row) for number, row in enumerate(rows))
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: no Parquet file ({error})") from None


def head(line: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, int] | None:
    """Return the place of each field in the lines of a file with this first line; None if it is no head."""
    columns = [name.strip().lower() for name in line.split("\t")]
    if not {*columns} <= {*chain.from_iterable(names.values())}:
        return None
    places_of = {
        field: [columns.index(name) for name in allowed if name in columns] for field, allowed in names.items()
    }
    if any(len(places) != 1 and field not in OPTIONAL for field, places in places_of.items()):
        return None
    return {field: places[0] for field, places in places_of.items() if places}
