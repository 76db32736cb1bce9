"""Readers of queries: TSV, JSON lines, ir_datasets."""

from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, read_lines, read_queries

_IDS = ("qid", "query_id", "_id")
_TEXTS = ("text", "query")


def read(source: str | Path) -> dict[str, str]:
    """Read {qid: text} from `irds:<id>` (ir_datasets), a .jsonl file, or a TSV file (qid<TAB>text).

    White space inside a JSON or ir_datasets text becomes single blanks, because the result is written as TSV.

    Raises:
        UserError: the file or collection is missing, a line is malformed, a text is empty, an id occurs twice, or there
            are no queries.
    """
    if str(source).startswith("irds:"):
        return _read_irds(str(source).removeprefix("irds:"))
    return _read_jsonl(Path(source)) if Path(source).suffix == ".jsonl" else read_queries(source)


def _read_jsonl(path: Path) -> dict[str, str]:
    queries: dict[str, str] = {}
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        try:
            record = from_json(line)
        except ValueError as error:
            raise UserError(f"{where}: not JSON ({error}); a line is an object with {_IDS} and {_TEXTS}") from None
        qid, text = _value(record, _IDS, where), " ".join(_value(record, _TEXTS, where).split())
        if not qid.strip() or not text:
            raise UserError(f"{where}: empty {'text' if qid.strip() else 'id'}")
        if qid in queries:
            raise UserError(f"{where}: query id {qid!r} occurs twice; ids are unique")
        queries[qid] = text
    if not queries:
        raise UserError(f"{path}: no queries; a line is an object with {_IDS} and {_TEXTS}")
    return queries


def _value(record: Any, keys: tuple[str, ...], where: str) -> str:
    """The record's value of the first of `keys` that it has."""
    key = next((key for key in keys if isinstance(record, dict) and key in record), None)
    if key is None or not isinstance(record[key], str | int):
        found = list(record)[:5] if isinstance(record, dict) else repr(record)
        raise UserError(f"{where}: no text under any of {', '.join(keys)}; found {found}")
    return str(record[key])


def _read_irds(name: str) -> dict[str, str]:
    import ir_datasets

    try:
        dataset = ir_datasets.load(name)
    except KeyError:
        raise UserError(f"irds:{name}: ir_datasets knows no such collection; see `ir_datasets list`") from None
    if not dataset.has_queries():
        raise UserError(f"irds:{name}: this collection has no queries; name one of its splits")
    return {query.query_id: " ".join(query.default_text().split()) for query in dataset.queries_iter()}
