"""Reading text files line by line, as users bring them, and the corpus that this package writes."""

import gzip
import json
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robustdr.collections.records import Judgement, Passage, Query
from robustdr.errors import UserError
from robustdr.files import read_lines, sha256


def checked(path: str, checksums: Mapping[str, str]) -> Path:
    """`path`, a file whose SHA-256 is the one that `checksums` gives for it, if it gives one.

    Raises:
        UserError: no such file, or other bytes than expected.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file; paths in collections.yaml start where the command runs")
    if path in checksums and (found := sha256(path)) != checksums[path]:
        raise UserError(f"{path}: sha256 is {found}, collections.yaml says {checksums[path]}; fetch the file again")
    return Path(path)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its end) of a UTF-8 text file, plain or .gz; blank lines are left out.

    Raises:
        UserError: not UTF-8, or not a whole gzip file (names file and line).
    """
    if path.suffix != ".gz":
        yield from ((number, line) for number, line in read_lines(path) if line.strip())
        return
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}:{number}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{path}: not a whole gzip file after line {number} ({error}); fetch it again") from None


def records(path: Path, required: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, JSON object) of a JSONL file whose objects have texts under the `required` keys.

    Raises:
        UserError: a line that is no such object (names file and line).
    """
    for number, line in lines(path):
        try:
            record = json.loads(line)
            valid = isinstance(record, dict) and all(isinstance(record.get(key), str) for key in required)
        except ValueError:
            valid = False
        if not valid:
            wanted = ", ".join(f'"{key}": "…"' for key in required)
            raise UserError(f"{path}:{number}: {line[:80]!r} is no record; a line is a JSON object {{{wanted}}}")
        yield number, record


def passages(rows: Iterable[tuple[str, Passage]]) -> Iterator[Passage]:
    """The passages of (place, passage) rows, checked one by one.

    Raises:
        UserError: an empty passage, or a docid that TREC files cannot hold.
    """
    for place, passage in rows:
        _check_id(place, "docid", passage.docid)
        if not passage.text.strip() and not passage.title.strip():
            raise UserError(f"{place}: passage {passage.docid!r} is empty; a passage has a title or a text")
        yield passage


def queries(rows: Iterable[tuple[str, Query]]) -> Iterator[Query]:
    """The queries of (place, query) rows, checked; white space inside a text becomes single spaces.

    Raises:
        UserError: an empty query, a qid given twice, or one that TREC files cannot hold.
    """
    places: dict[str, str] = {}
    for place, query in rows:
        _check_id(place, "query id", query.qid)
        text = " ".join(query.text.split())
        if not text:
            raise UserError(f"{place}: query {query.qid!r} is empty")
        if query.qid in places:
            raise UserError(f"{place}: query id {query.qid!r} is also at {places[query.qid]}; ids are unique")
        places[query.qid] = place
        yield Query(query.qid, text)


def judgement(place: str, qid: str, docid: str, grade: str) -> Judgement:
    """A judgement whose grade is a whole number, or a `UserError`."""
    if not re.fullmatch(r"-?[0-9]+", grade):
        raise UserError(f"{place}: grade {grade!r} is no whole number")
    return Judgement(qid, docid, int(grade))


def _check_id(place: str, what: str, id: str) -> None:
    if id.split() != [id]:
        raise UserError(f"{place}: {what} {id!r} is empty or has white space")


def read_records(path: str | Path) -> Iterator[tuple[int, Passage]]:
    """Yield (line number from 1, passage) of a Tevatron corpus: docid, title and text on every line.

    Raises:
        UserError: missing file, not UTF-8, a line that is no such object (names file and line).
    """
    for number, record in records(Path(path), Passage._fields):
        yield number, Passage(record["docid"], record["title"], record["text"])


def read_corpus(path: str | Path, separator: str = " ") -> Iterator[tuple[str, str]]:
    """Yield (docid, title + `separator` + text) in file order; the text alone where the title is empty.

    Args:
        separator: what the reader of the text expects there, e.g. a tokenizer's separator token with spaces.
    """
    for _, (docid, title, text) in read_records(path):
        yield docid, f"{title}{separator}{text}" if title else text


def read_passages(path: str | Path, docids: Collection[str]) -> dict[str, dict[str, str]]:
    """The passages named in `docids`, in file order: {docid: {"docid", "title", "text"}}. Reads the corpus once.

    Raises:
        UserError: one of `docids` is not there.
    """
    wanted = frozenset(docids)
    found = {passage.docid: passage._asdict() for _, passage in read_records(path) if passage.docid in wanted}
    if missing := sorted(wanted - found.keys()):
        raise UserError(f"{path}: no passage {missing[0]!r} ({len(missing)} of {len(wanted)} wanted ones are missing)")
    return found
