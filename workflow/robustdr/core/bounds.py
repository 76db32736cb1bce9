"""How much a file of the user's may hold: sizes that it declares are looked at before memory is taken for them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from robustdr.core.errors import UserError

LINE = 64_000_000  # bytes of a line of text; the longest documents of public collections have some MB
TABLE = 1_000_000_000  # bytes of the texts of a table that is read as a whole
BATCH = 256_000_000  # bytes of the texts of a batch of rows
QUERY = 100_000  # characters of a query; variations and models take long for more
MARKS = 1_000  # combining marks in a row: to put them in order takes time with the square of their number
RATIO = 200  # bytes unpacked for each packed byte; of texts, 3 to 20
SPARE = 100_000_000  # bytes unpacked in any case
ROW = 32  # bytes of memory that each row of a table takes at least
YAML = 250_000  # values and keys in a YAML file
JSON = 5_000_000  # values of a JSON text; each takes up to 64 bytes of memory
NUMBER = 1_000  # characters of a number in YAML: those in parts of 60 take time with the square of their length
MARKUP = 2_000_000  # tags and attributes of a page or a Word document; each takes some 250 bytes of memory
ATTRIBUTES = 10_000  # words in a tag: parsers compare each attribute with all others
LONG_TAG = re.compile(rb"<[A-Za-z][^>]{%d,}" % ATTRIBUTES)


def lines(file: IO[bytes], path: Path | str) -> Iterator[bytes]:
    """Yield the lines of a file, perhaps unpacked.

    Raises:
        UserError: a line has more than `LINE` bytes, or the lines have too many (see `check_unpacked`).
    """
    number, size, next_check = 0, 0, SPARE
    while line := file.readline(LINE + 1):
        number += 1
        size += len(line)
        if size > next_check and not Path(path).is_fifo():
            check_unpacked(Path(path), size)
            next_check += SPARE
        if len(line) > LINE:
            raise UserError(f"{path}:{number}: a line of more than {LINE // 10**6} MB; is it a text file?")
        yield line


def whole(file: IO[bytes], path: Path | str) -> bytes:
    """Return the bytes of a file, perhaps unpacked.

    Raises:
        UserError: it has more than `TABLE` bytes.
    """
    data = file.read(TABLE + 1)
    if len(data) > TABLE:
        raise UserError(f"{path}: more than {TABLE // 10**6:,} MB when unpacked; split the file")
    return data


def check_unpacked(path: Path, size: int) -> None:
    """Check how many bytes a packed file gives, or says that it does.

    Raises:
        UserError: more than `RATIO` for each of its own, and than `SPARE`.
    """
    if size > SPARE + RATIO * path.stat().st_size:
        raise UserError(
            f"{path}: more than {RATIO} times its size when unpacked; unpack it yourself if you know what it is"
        )


def copy(source: IO[bytes], target: IO[bytes], path: Path) -> None:
    """Copy what is unpacked of a packed file, with a check of its size on the way (see `check_unpacked`)."""
    size = 0
    while block := source.read(1 << 20):
        size += len(block)
        check_unpacked(path, size)
        target.write(block)


def check_markup(data: bytes, path: Path | str) -> None:
    """Check how many tags and attributes HTML or XML has, before it is parsed.

    Raises:
        UserError: more than `MARKUP`, or more than `ATTRIBUTES` words in one tag.
    """
    if data.count(b"<") + data.count(b"=") > MARKUP:
        raise UserError(f"{path}: more than {MARKUP:,} tags and attributes; save only its tables")
    if any(len(tag[0].split()) > ATTRIBUTES for tag in LONG_TAG.finditer(data)):
        raise UserError(f"{path}: a tag of more than {ATTRIBUTES:,} attributes; save only its tables")
