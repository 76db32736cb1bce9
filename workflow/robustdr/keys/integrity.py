"""Digests of artifacts: what a stage makes is recorded beside it, what a stage reads is checked against that record.

The record of `<artifact>` is `<artifact>.sha256`, in the format of sha256sum (GNU coreutils): `sha256sum --check` reads
it. Comments at its head say what made the artifact. An artifact is a file or a folder, such as a model.

A file is hashed once per machine: its digest is noted with its size, times and inode. `robustdr verify` trusts no note.
"""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256, write_text
from robustdr.keys.notes import note, recall

LINE = re.compile(r"([0-9a-f]{64})  (.+)")
SETTLED = 100_000_000  # ns: coarser than the clocks of file systems, so that a later change has another time


def digest(file: Path) -> str:
    """The SHA-256 of a file, read once per machine as long as its size, times and inode stay the same."""
    stat, place = file.stat(), os.path.abspath(file)
    state = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    if known := recall(place, state):
        return known
    found = sha256(file)
    if time.time_ns() - stat.st_ctime_ns > SETTLED:
        note(place, state, found)
    return found


def record_of(path: Path) -> Path:
    """Where the record of an artifact lies."""
    return path.with_name(f"{path.name}.sha256")


def recorded(file: Path) -> str | None:
    """The SHA-256 of a file by its record, which may outlive it; else by its bytes, None where there are none."""
    for written in _records([file]):
        for line in written.read_text(encoding="utf-8", errors="replace").splitlines():
            if (parsed := LINE.fullmatch(line)) and written.parent / parsed[2] == file:
                return parsed[1]
    return digest(file) if file.is_file() else None


def _records(paths: Iterable[Path]) -> list[Path]:
    """The records of artifacts, or of those that files belong to."""
    found = {next(filter(Path.is_file, map(record_of, (path, *path.parents[:-1]))), None) for path in paths}
    return sorted(filter(None, found))


def record(path: Path, *beside: Path, hardware: Iterable[str] = (), installed: Mapping[str, str] | None = None) -> None:
    """Write the record of an artifact: one line a file, paths relative to the folder that the artifact is in.

    Args:
        path: a file, or a folder with everything in it but its cost.json, whose seconds differ from run to run.
        beside: files of the same folder that belong to it.
        hardware: what it and its inputs were computed on. installed: the packages that made it, with their versions.
    """
    about = [f"# computed on {one}\n" for one in sorted(hardware)]
    about += [f"# installed: {', '.join(' '.join(pair) for pair in installed.items())}\n"] if installed else []
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != "cost.json")
    else:
        files = [path, *beside]
    lines = (f"{digest(file)}  {file.relative_to(path.parent).as_posix()}\n" for file in files)
    write_text(record_of(path), "".join([*about, *lines]))


def hardware(paths: Iterable[Path]) -> set[str]:
    """What artifacts were computed on, by their records."""
    prefix = "# computed on "
    lines = (line for written in _records(paths) for line in written.read_text(encoding="utf-8").splitlines())
    return {line.removeprefix(prefix) for line in lines if line.startswith(prefix)}


def verify(paths: Iterable[Path]) -> None:
    """Check artifacts, or files of one, against their records; what has none is taken as it is.

    A damaged artifact is renamed to `<artifact>.damaged`, a folder as a whole: the next run finds it missing and makes
    it anew.

    Raises:
        UserError: a file has other bytes than recorded, or is missing, or the record is unreadable.
    """
    for written in _records(paths):
        if fault := next(_faults(written, digest), None):
            moved = _move_away(written.with_suffix(""))
            written.unlink()
            raise UserError(f"{fault}; moved to {moved}; run again to make it anew")


def damaged(path: Path) -> Iterator[str]:
    """What is wrong with an artifact, or with everything recorded below a folder, in words; every byte is read.

    Raises:
        UserError: nothing is recorded there.
    """
    records = [*_records([path]), *sorted(path.rglob("*.sha256"))]
    if not records:
        raise UserError(f"{path}: no artifact: neither it nor anything below it has a record (.sha256)")
    for written in records:
        yield from _faults(written, sha256)


def _faults(written: Path, digest: Callable[[Path], str]) -> Iterator[str]:
    """What is wrong with the files of a record, in words. A digest that differs is taken again, from the bytes."""
    lines = written.read_text(encoding="utf-8", errors="replace").splitlines()
    digests = [(number, line) for number, line in enumerate(lines, 1) if not line.startswith("#")]
    for number, line in digests or [(1, "")]:
        parsed = LINE.fullmatch(line)
        if parsed is None:
            yield f"{written}:{number}: damaged: {line[:80]!r} is no sha256 with a name"
            continue
        file = written.parent / parsed[2]
        if not file.is_file():
            yield f"{file}: damaged: it is missing, {parsed[1]} was recorded when it was made"
        elif digest(file) != parsed[1] and (found := sha256(file)) != parsed[1]:
            yield f"{file}: damaged: its sha256 is {found}, {parsed[1]} was recorded when it was made"


def _move_away(artifact: Path) -> Path:
    moved = artifact.with_name(f"{artifact.name}.damaged")
    if moved.is_dir():
        shutil.rmtree(moved)
    if artifact.exists():
        os.replace(artifact, moved)
    return moved
