"""Files that are whole or absent: written under a temporary name, then renamed."""

import errno
import hashlib
import json
import os
import re
import shutil
import sys
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from robustdr.core import bounds
from robustdr.core.errors import UserError
from robustdr.core.markup import one_line


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path; the file or folder made there becomes `path` on success, and is removed on any failure.

    The temporary path lies beside `path` and keeps its suffix, because some libraries choose a format by it. A folder
    replaces the folder at `path`. A link stays; its target is replaced. The bytes are on disk before the renaming.
    Temporary files that killed processes of this machine left for `path` are removed.

    A device, a pipe or this process's own output is never replaced: the file's bytes are written to it.

    Raises:
        UserError: a folder was made where `path` is one of these.
    """
    path = Path(path)
    if (stream := _stream(path)) is not None:
        with open(stream, "wb") as output, TemporaryDirectory() as folder:
            yield (temporary := Path(folder, path.name))
            if temporary.is_dir():
                raise UserError(f"{path}: a folder is written here, and this is none; name a folder")
            with open(temporary, "rb") as file:
                shutil.copyfileobj(file, output)
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{os.uname().nodename}."
    temporary_name = re.compile(rf"{re.escape(prefix)}([1-9][0-9]{{0,8}})\.{re.escape(path.name)}")
    for leftover in target.parent.iterdir():
        if (match := temporary_name.fullmatch(leftover.name)) and not _runs_elsewhere(int(match[1])):
            _remove(leftover)
    temporary = target.with_name(f"{prefix}{os.getpid()}.{path.name}")
    try:
        yield temporary
        for new_path in (*temporary.rglob("*"), temporary):
            _sync(new_path)
        if temporary.is_dir() and target.is_dir():
            shutil.rmtree(target)
        os.replace(temporary, target)
        _sync(target.parent)
    finally:
        _remove(temporary)


def _stream(path: Path) -> int | None:
    """Return a descriptor to write to if `path` is this process's own output, or neither file nor folder; else None."""
    if not path.exists():
        return None
    for output in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError):  # closed, or replaced by a caller
            if os.path.samestat(path.stat(), os.fstat(output.fileno())):
                output.flush()
                return os.dup(output.fileno())
    return None if path.is_file() or path.is_dir() else os.open(path, os.O_WRONLY)


def _sync(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL or not path.is_dir():  # some network file systems do not sync folders
            raise
    finally:
        os.close(descriptor)


def _runs_elsewhere(process: int) -> bool:
    """Whether another process of this machine has the id `process`."""
    try:
        os.kill(process, 0)
    except PermissionError:
        pass
    except ProcessLookupError:
        return False
    return process != os.getpid()


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented JSON, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def from_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON in UTF-8, nests too deep, has more than `bounds.JSON` values, or holds half of a
            surrogate pair, which no file can.
    """
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    if len(text) > bounds.JSON and sum(map(text.count, "[{,")) > bounds.JSON:
        raise ValueError(f"more than {bounds.JSON:,} values")
    try:
        value = json.loads(text)
        if "\\u" in text:  # an escape
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("too many lists and objects inside each other") from None
    return value


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line without its end) of a UTF-8 text file.

    Raises:
        UserError: the file is missing, or a line is not UTF-8 (names file and line).
    """
    with open_binary(path) as file:
        for number, line in enumerate(bounds.lines(file, path), 1):
            yield number, _decoded(line, path, number)


def open_binary(path: str | Path) -> BufferedReader:
    """Open a file to read its bytes.

    Raises:
        UserError: there is no such file.
    """
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None


def _decoded(line: bytes, path: str | Path, number: int) -> str:
    """The text of a line, counted from 1, without its end."""
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}:{number}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None


class Lines:
    """The lines of a UTF-8 text file, each read on demand; memory holds eight bytes for each line.

    Raises:
        UserError: the file is missing, or a requested line is not UTF-8 (names file and line).
    """

    def __init__(self, path: Path):
        self.path, self.file = path, open_binary(path)
        self.starts = array("q", accumulate(map(len, self.file), initial=0))
        self.starts.pop()  # the end of the last line

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        """Return line `number`, counted from 0, without its end."""
        self.file.seek(self.starts[number])
        return _decoded(self.file.readline(), self.path, number + 1)


def read_queries(path: str | Path) -> dict[str, str]:
    """Read `qid<TAB>text` lines into {qid: text}, in file order.

    Raises:
        UserError: missing file, no tab, an empty qid or text, a qid given twice, no query at all, not UTF-8.
    """
    queries: dict[str, str] = {}
    for number, (qid, text) in enumerate(iterate_queries(path), 1):
        if qid in queries:
            raise UserError(f"{path}:{number}: query id {qid!r} occurs twice; ids are unique")
        queries[qid] = text
    if not queries:
        raise UserError(f"{path}: no queries; a line is qid<TAB>text")
    return queries


def iterate_queries(path: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the (qid, text) pairs of `qid<TAB>text` lines; other line breaks of Unicode inside a line become blanks.

    Raises:
        UserError: no tab, an empty qid or text, missing file, not UTF-8.
    """
    for number, line in read_lines(path):
        qid, tab, text = one_line(line).partition("\t")
        if not tab:
            raise UserError(f"{path}:{number}: no tab in {line!r}; a line is qid<TAB>text")
        if not qid.strip() or not text.strip():
            raise UserError(f"{path}:{number}: empty {'text' if qid.strip() else 'qid'}; a line is qid<TAB>text")
        yield qid, text


def write_queries(path: str | Path, queries: Iterable[tuple[str, str]]) -> None:
    """Write (qid, text) pairs as `qid<TAB>text` lines; a line break in a text becomes a blank."""
    with atomic(path) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(one_line(f"{qid}\t{text}") + "\n" for qid, text in queries)


GRADE = re.compile("-?[0-9]{1,4}")  # trec_eval counts passages by grade: of a large one it takes gigabytes, or crashes


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    """Read TREC qrels (`qid 0 docid grade`) into {qid: {docid: grade}}.

    Raises:
        UserError: missing file, a line without four fields, a grade that is no whole number, a pair given twice.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        fields = line.split()
        if len(fields) != 4 or not GRADE.fullmatch(fields[3]):
            raise UserError(
                f"{path}:{number}: {line!r} is not a qrels line; a line is `qid 0 docid grade`, a grade -9999 to 9999"
            )
        qid, _, docid, grade = fields
        if docid in qrels.setdefault(qid, {}):
            raise UserError(f"{path}:{number}: query {qid!r} judges passage {docid!r} twice")
        qrels[qid][docid] = int(grade)
    if not qrels:
        raise UserError(f"{path}: no judgements; a line is `qid 0 docid grade`")
    return qrels


def read_answers(path: str | Path) -> dict[str, list[str]]:
    """Read `{"qid": …, "answers": […]}` lines into {qid: answers}.

    Raises:
        UserError: missing file, a line that is no such object, a qid given twice, no line at all.
    """
    answers: dict[str, list[str]] = {}
    for number, line in read_lines(path):
        try:
            record = from_json(line)
            qid, texts = record["qid"], record["answers"]
            valid = isinstance(qid, str) and texts and all(isinstance(text, str) for text in texts)
        except (ValueError, LookupError, TypeError):
            valid = False
        if not valid:
            raise UserError(f'{path}:{number}: {line[:80]!r} is no line of answers: {{"qid": "…", "answers": ["…"]}}')
        if qid in answers:
            raise UserError(f"{path}:{number}: query id {qid!r} occurs twice; ids are unique")
        answers[qid] = texts
    if not answers:
        raise UserError(f"{path}: no answers")
    return answers


def sha256(path: str | Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


DIGESTS = {32: "MD5", 40: "git name", 64: "SHA-256"}  # as upstream gives them, by the number of digits


def digest_kind(digest: str) -> str:
    """Return what a digest is, in words."""
    return DIGESTS.get(len(digest), "SHA-256")


def digest_as(file: Path, digest: str) -> str:
    """Return the digest of a file, of the kind of `digest`."""
    if (name := digest_kind(digest)) == "SHA-256":
        return sha256(file)
    hashed = hashlib.new("md5" if name == "MD5" else "sha1", usedforsecurity=False)
    if name == "git name":  # which git gives to contents
        hashed.update(f"blob {file.stat().st_size}\0".encode())
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, lambda: hashed).hexdigest()
