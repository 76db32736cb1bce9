"""Readers of users' text files, line by line, and of the corpus that this package writes."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from robustdr.collections.problems import Place, Problem, Report, refuse
from robustdr.collections.records import Judgement, Passage, Query
from robustdr.core import bounds
from robustdr.core.errors import UserError
from robustdr.core.files import GRADE, from_json, sha256
from robustdr.core.unpacked import DAMAGES, open_unpacked

WHOLE = re.compile(r"\.0*$")  # what a whole number may end in
MARKED = "byte order mark"
LFS = b"version https://git-lfs.github.com/spec/"
EMPTY_PASSAGE, EMPTY_QUERY = "empty passage", "empty query"


def checked(path: str, checksums: Mapping[str, str]) -> Path:
    """Return `path` after a check against its SHA-256 in `checksums`, if there is one.

    Raises:
        UserError: no such file, or the SHA-256 differs.
    """
    if not Path(path).is_file():
        raise UserError(f"{path}: no such file; paths in collections.yaml start where the command runs")
    if path in checksums and (actual := sha256(path)) != checksums[path]:
        raise UserError(f"{path}: sha256 is {actual}, collections.yaml says {checksums[path]}; fetch the file again")
    return Path(path)


def lines(path: Path, report: Report = refuse) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its end) of a UTF-8 text, plain or packed, without blank lines.

    Reported: a byte order mark, which is left out (a warning), a line that is not UTF-8 (yielded with its bad bytes
    replaced), half a packed file.

    Raises:
        UserError: no such file, a pointer of Git LFS, UTF-16, or a line is too long (see `bounds.lines`).
    """
    number = 0
    try:
        with open_unpacked(path) as file:
            for number, line in enumerate(bounds.lines(file, path), 1):
                if number == 1 and line.startswith(LFS):
                    raise UserError(f"{path}: a pointer of Git LFS in place of the file; fetch it by `git lfs pull`")
                if number == 1 and line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                    raise UserError(f"{path}: a text in UTF-16; save the file as UTF-8")
                if number == 1 and line.startswith(BOM_UTF8):
                    message = "begins with a byte order mark, which is left out"
                    report(Problem(MARKED, Place(path, number), message, "warning"))
                    line = line.removeprefix(BOM_UTF8)
                try:
                    text = line.decode("utf-8")
                except UnicodeDecodeError as error:
                    message = f"not UTF-8 text ({error.reason}); save the file as UTF-8"
                    report(Problem("line that is not UTF-8", Place(path, number), message))
                    text = line.decode("utf-8", errors="replace")
                if text.strip():
                    yield number, text.rstrip("\r\n")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except DAMAGES as error:
        message = f"not a whole packed file after line {number} ({error}); fetch it again"
        report(Problem("damaged file", path, message))


def records(path: Path, required: Collection[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, JSON object) of a JSONL file; the objects have texts under the `required` keys.

    Raises:
        UserError: a line is not such an object, or see `lines`.
    """
    for number, line in lines(path):
        try:
            record = from_json(line)
            valid = isinstance(record, dict) and all(isinstance(record.get(key), str) for key in required)
        except ValueError:
            valid = False
        if valid:
            yield number, record
        else:
            required_fields = ", ".join(f'"{key}": "…"' for key in required)
            message = f"{line[:80]!r} is no record; a line is a JSON object {{{required_fields}}}"
            refuse(Problem("line that is no record", Place(path, number), message))


def passages(rows: Iterable[tuple[Place, Passage]]) -> Iterator[Passage]:
    """Yield the passages of (place, passage) rows, checked one by one.

    Raises:
        UserError: see `check_passage`.
    """
    for place, passage in rows:
        check_passage(place, passage, refuse)
        yield passage


def queries(rows: Iterable[tuple[Place, Query]]) -> Iterator[Query]:
    """Yield the queries of (place, query) rows, checked; white space inside a text becomes single spaces.

    Raises:
        UserError: see `check_query`.
    """
    places: dict[str, Place] = {}
    for place, query in rows:
        check_query(place, query, places, refuse)
        yield Query(query.qid, " ".join(query.text.split()))


def check_passage(place: Place, passage: Passage, report: Report) -> None:
    """Report an empty passage, or a docid that TREC files cannot hold."""
    _check_id(place, "docid", passage.docid, report)
    _check_text(place, f"{passage.title}{passage.text}", report)
    if passage.is_empty():
        report(Problem(EMPTY_PASSAGE, place, f"passage {passage.docid!r} is empty; a passage has a title or a text"))


def check_query(place: Place, query: Query, places: dict[str, Place], report: Report) -> None:
    """Report an empty query, a qid that TREC files cannot hold, or a qid already in `places`; add it there.

    A query of more than `bounds.QUERY` characters is reported, too.
    """
    _check_id(place, "query id", query.qid, report)
    _check_text(place, query.text, report)
    if len(query.text) > bounds.QUERY:
        message = f"query {query.qid!r} has {len(query.text):,} characters; allowed: {bounds.QUERY:,}; is it a query?"
        report(Problem("too long a query", place, message))
    if query.is_empty():
        report(Problem(EMPTY_QUERY, place, f"query {query.qid!r} is empty; a query has a text"))
    if (first := places.setdefault(query.qid, place)) is not place:
        report(Problem("repeated query id", place, f"query id {query.qid!r} is also at {first}; ids are unique"))


def judgement(place: Place, qid: str, docid: str, grade: str, *, report: Report) -> Judgement:
    """Return a judgement; a grade may be written as 1.0.

    Reported: a grade that is no whole number; it counts as 1, to cause no other report.
    """
    grade = WHOLE.sub("", grade)
    if not GRADE.fullmatch(grade):
        report(
            Problem("grade that is no whole number", place, f"grade {grade!r} is no whole number from -9999 to 9999")
        )
        grade = "1"
    return Judgement(qid, docid, int(grade))


def _check_text(place: Place, text: str, report: Report) -> None:
    if "\0" in text:
        report(Problem("NUL character", place, "holds a NUL character, which no text has; is it a text file?"))


def _check_id(place: Place, id_name: str, id: str, report: Report) -> None:
    if id.split() != [id]:
        report(Problem(f"unusable {id_name}", place, f"{id_name} {id!r} is empty or has white space"))


def read_records(path: str | Path) -> Iterator[tuple[int, Passage]]:
    """Yield (line number from 1, passage) of a Tevatron corpus: docid, title and text on every line.

    Raises:
        UserError: missing file, not UTF-8, a line that is not such an object (names file and line).
    """
    for number, record in records(Path(path), Passage._fields):
        yield number, Passage(record["docid"], record["title"], record["text"])


def read_corpus(path: str | Path, separator: str = " ") -> Iterator[tuple[str, str]]:
    """Yield (docid, title + `separator` + text) in file order; see `Passage.joined`."""
    for _, passage in read_records(path):
        yield passage.docid, passage.joined(separator)
