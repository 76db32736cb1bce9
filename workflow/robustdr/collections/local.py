"""A user's own files: a TSV or JSONL corpus, TSV queries and TREC qrels, each plain or .gz."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robustdr.collections.reading import checked, judgement, lines, passages, queries, records
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.errors import UserError


def corpus(source: dict[str, Any]) -> Iterator[Passage]:
    """`docid<TAB>text` or `docid<TAB>title<TAB>text` lines, or JSON objects with docid, text and perhaps a title."""
    path = checked(source["corpus"], source.get("sha256", {}))
    return passages(_records(path) if ".jsonl" in path.suffixes else _lines(path))


def split(source: dict[str, Any], name: str) -> Split:
    """`qid<TAB>text` lines and `qid 0 docid grade` lines; of a query log perhaps none of these."""
    texts, *qrels = (checked(str(path), source.get("sha256", {})) for path in files(source, name))
    return Split(queries(_queries(texts)), (judged for path in qrels for judged in _judgements(path)))


def files(source: dict[str, Any], split: str | None) -> list[Path]:
    """The files of the corpus (None) or of a split."""
    if split is None:
        return [Path(source["corpus"])] if "corpus" in source else []
    part = source["splits"][split]
    return [Path(part[key]) for key in ("queries", "qrels") if key in part]


def _records(path: Path) -> Iterator[tuple[str, Passage]]:
    for number, record in records(path, ("docid", "text")):
        yield f"{path}:{number}", Passage(record["docid"], str(record.get("title") or ""), record["text"])


def _lines(path: Path) -> Iterator[tuple[str, Passage]]:
    for number, line in lines(path):
        fields = line.split("\t")
        if len(fields) not in (2, 3):
            raise UserError(
                f"{path}:{number}: {len(fields)} fields; a line is docid<TAB>text or docid<TAB>title<TAB>text"
            )
        yield f"{path}:{number}", Passage(fields[0], fields[1] if len(fields) == 3 else "", fields[-1])


def _queries(path: Path) -> Iterator[tuple[str, Query]]:
    for number, line in lines(path):
        qid, tab, text = line.partition("\t")
        if not tab:
            raise UserError(f"{path}:{number}: no tab in {line!r}; a line is qid<TAB>text")
        yield f"{path}:{number}", Query(qid, text)


def _judgements(path: Path) -> Iterator[Judgement]:
    for number, line in lines(path):
        fields = line.split()
        if len(fields) != 4:
            raise UserError(f"{path}:{number}: {line!r} is not a qrels line; a line is `qid 0 docid grade`")
        yield judgement(f"{path}:{number}", fields[0], fields[2], fields[3])
