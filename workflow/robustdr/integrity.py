"""Digests of artifacts: what a stage makes is recorded beside it, what a stage reads is checked against that record.

The record of `<artifact>` is `<artifact>.sha256`, in the format of sha256sum (GNU coreutils): `sha256sum --check` reads
it. Comments at its head say what made the artifact. An artifact is a file or a folder, such as a model.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from robustdr.errors import UserError
from robustdr.files import sha256, write_text

LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def record_of(path: Path) -> Path:
    """Where the record of an artifact lies."""
    return path.with_name(f"{path.name}.sha256")


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
    lines = (f"{sha256(file)}  {file.relative_to(path.parent).as_posix()}\n" for file in files)
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
        if fault := next(_faults(written), None):
            moved = _move_away(written.with_suffix(""))
            written.unlink()
            raise UserError(f"{fault}; moved to {moved}; run again to make it anew")


def _faults(written: Path) -> Iterator[str]:
    """What is wrong with the files of a record, in words."""
    lines = written.read_text(encoding="utf-8", errors="replace").splitlines()
    digests = [(number, line) for number, line in enumerate(lines, 1) if not line.startswith("#")]
    for number, line in digests or [(1, "")]:
        parsed = LINE.fullmatch(line)
        if parsed is None:
            yield f"{written}:{number}: damaged: {line[:80]!r} is no sha256 with a name"
            continue
        file = written.parent / parsed[2]
        digest = sha256(file) if file.is_file() else None
        if digest != parsed[1]:
            state = f"its sha256 is {digest}" if digest else "it is missing"
            yield f"{file}: damaged: {state}, {parsed[1]} was recorded when it was made"


def _move_away(artifact: Path) -> Path:
    moved = artifact.with_name(f"{artifact.name}.damaged")
    if moved.is_dir():
        shutil.rmtree(moved)
    if artifact.exists():
        os.replace(artifact, moved)
    return moved
