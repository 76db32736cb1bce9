"""Packed files, and files inside what authors release: a file, a folder, or an archive, whatever its name ends in."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, cast

from robustdr.core import bounds
from robustdr.core.errors import UserError

# What opens a packed file, by the end of its name and its first bytes.
PACKINGS: dict[tuple[str, bytes], Callable[..., Any]] = {
    (".gz", b"\x1f\x8b"): gzip.open,
    (".bz2", b"BZh"): bz2.open,
    (".xz", b"\xfd7zXZ"): lzma.open,
}
LISTED = 8  # names in a message
DAMAGES = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)  # of packed files that are cut off
ARCHIVE_DAMAGES = (*DAMAGES, tarfile.TarError, zipfile.BadZipFile)


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file for reading; it is unpacked if its name or its first bytes say that it is packed.

    A pipe can be read once, so it is not unpacked.

    Raises:
        OSError: it cannot be opened.
    """
    if path.is_fifo():
        return open(path, "rb")
    with open(path, "rb") as file:
        first = file.read(8)
    for (suffix, magic), opener in PACKINGS.items():
        if first.startswith(magic) or path.suffix == suffix:
            return cast(IO[bytes], opener(path, "rb"))
    return open(path, "rb")


class _TarFile(io.BufferedReader):
    """The bytes of a tar archive: of a long name or other header it reads the whole at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size and size > bounds.LINE:
            raise tarfile.ReadError(f"a header of {size:,} bytes")
        return super().read(size)


@contextmanager
def _tar(path: Path) -> Iterator[tarfile.TarFile]:
    with _TarFile(open_unpacked(path)) as file, tarfile.open(fileobj=file, mode="r:") as tar:  # type: ignore[arg-type]
        yield tar


def _is_tar(path: Path) -> bool:
    try:
        with _tar(path):
            return True
    except (tarfile.TarError, *DAMAGES):
        return False


def names(path: Path) -> list[str]:
    """Return the names of the files in a folder or an archive; that of a single file alone.

    Hidden files, and what a Mac puts beside files, are left out.

    Raises:
        UserError: there is nothing at the path, or it is damaged.
    """
    if path.is_dir():
        file_names = [file.relative_to(path).as_posix() for file in sorted(path.rglob("*")) if file.is_file()]
    elif not path.is_file():
        raise UserError(f"{path}: no such file or folder")
    else:
        try:
            if _is_tar(path):
                with _tar(path) as tar:
                    file_names = [member.name for member in tar if member.isfile()]
            elif zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as zipped:
                    file_names = [info.filename for info in zipped.infolist() if not info.is_dir()]
            else:
                return [path.name]
        except (OSError, *ARCHIVE_DAMAGES) as error:
            raise UserError(f"{path}: a damaged archive ({error}); fetch it again") from None
    return [
        name
        for name in file_names
        if not any((part.startswith(".") and part != ".") or part == "__MACOSX" for part in PurePosixPath(name).parts)
    ]


def the_one(path: Path, file_names: list[str], pattern: str, subject: str) -> str:
    """Return the name that matches a pattern: its last part, or all of it if the pattern has a `/`.

    Raises:
        UserError: none does, or several do.
    """
    matching = [name for name in file_names if fnmatch(name if "/" in pattern else PurePosixPath(name).name, pattern)]
    if len(matching) == 1:
        return matching[0]
    listed = ", ".join(sorted(matching or file_names)[:LISTED]) + (
        ", …" if len(matching or file_names) > LISTED else ""
    )
    problem = f"{len(matching)} files match: {listed}" if matching else f"no file matches; it has {listed or 'no file'}"
    raise UserError(f"{path}: {subject} {pattern!r}: {problem}; exactly one must")


@contextmanager
def taken_out(path: Path, chosen: list[str]) -> Iterator[list[Path]]:
    """Yield files of a folder, an archive or a single file, in the order of `chosen`; they may be packed.

    Raises:
        UserError: the archive is damaged.
    """
    with TemporaryDirectory() as temporary:
        files = [Path(temporary, str(number)) for number in range(len(chosen))]
        targets = dict(zip(chosen, files, strict=True))
        try:
            if path.is_dir():
                files = [path / name for name in chosen]
            elif _is_tar(path):
                with _tar(path) as tar:
                    for member in tar:  # in one pass: packed archives cannot jump
                        if member.isfile() and member.name in targets and (source := tar.extractfile(member)):
                            _write(source, targets[member.name], path)
            elif zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as zipped:
                    for name, file in targets.items():
                        with zipped.open(name) as source:
                            _write(source, file, path)
            else:
                files = [path for _ in chosen]
            yield files
        except ARCHIVE_DAMAGES as error:
            raise UserError(f"{path}: a damaged archive ({error}); fetch it again") from None


def members(path: Path, most: int, suffix: str = "") -> dict[str, bytes]:
    """Return the files of a zip archive by name, those whose names end in `suffix`.

    Of each file, no more is unpacked than the archive says that it has.

    Raises:
        UserError: they say that they have more than `most` bytes.
        BadZipFile: a file has other bytes than the archive says. See also `zipfile.ZipFile`.
    """
    with zipfile.ZipFile(path) as packed:
        parts = [part for part in packed.infolist() if part.filename.endswith(suffix)]
        if sum(part.file_size for part in parts) > most:
            raise UserError(f"{path}: more than {most // 10**6} MB when unpacked; save only its tables")
        contents = {}
        for part in parts:
            with packed.open(part) as file:
                contents[part.filename] = file.read(part.file_size)
        return contents


def _write(source: IO[bytes], file: Path, packed: Path) -> None:
    with open(file, "wb") as output:
        bounds.copy(source, output, packed)


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Yield a folder with all files of an archive, or the folder at the path itself.

    Raises:
        UserError: it is neither, or damaged, or a file of it would lie elsewhere, or it grows too much.
    """
    if path.is_dir():
        yield path
        return
    with TemporaryDirectory() as temporary:
        try:
            if path.is_file() and _is_tar(path):
                with _tar(path) as tar:
                    for _ in tar:
                        bounds.check_unpacked(path, tar.offset)
                    tar.extractall(temporary, filter="data")
            elif path.is_file() and zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as zipped:
                    bounds.check_unpacked(path, sum(info.file_size for info in zipped.infolist()))
                    zipped.extractall(temporary)
            else:
                raise UserError(f"{path}: neither a folder nor an archive (tar or zip)")
        except (OSError, *ARCHIVE_DAMAGES) as error:
            raise UserError(f"{path}: a damaged archive ({error}); fetch it again") from None
        yield Path(temporary)
