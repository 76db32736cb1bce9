"""Digests of artifacts: a stage records those of its outputs, and checks its inputs against their records.

The record of `<artifact>` is `<artifact>.sha256`, in the format of sha256sum (GNU coreutils): `sha256sum --check` reads
it. Comments at its head say what made the artifact: its key, packages, hardware, and the record of each artifact that
was read, so that records form a chain to the sources. An artifact is a file or a folder, such as a model.

A file is hashed once per machine: its digest is noted with its size, times and inode. `robustdr verify` uses no notes.
"""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256, write_text
from robustdr.keys.notes import note, recall

LINE = re.compile(r"([0-9a-f]{64})  (.+)")
READ = "# read: "
KEY = "# key: "
WORK = "# work: "
KEPT = "# kept: "
WITH = "# made with: "
NOT_HASHED = "# not hashed: "
COMPUTED = "# computed on "
CHAIN = (KEY, KEPT, READ, WITH, COMPUTED)  # lines that another chain behind the same bytes changes
ASIDE = ".incomplete"  # after the name of a record of which a file is missing
COST = "cost.json"  # its seconds differ from run to run
SETTLED = 100_000_000  # ns; coarser than the clocks of file systems, so that a later change has another time


def digest(file: Path) -> str:
    """Return the SHA-256 of a file; it is read once per machine while its size, times and inode stay the same."""
    stat, place = file.stat(), os.path.abspath(file)
    state = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    if known := recall(place, state):
        return known
    found = sha256(file)
    if time.time_ns() - stat.st_ctime_ns > SETTLED:
        note(place, state, found)
    return found


def record_of(path: Path) -> Path:
    """Return the path of an artifact's record."""
    return path.with_name(f"{path.name}.sha256")


def recorded(file: Path) -> str | None:
    """Return a file's SHA-256 from its record, even if the file is gone; else from its bytes; None without a file."""
    for written in _records([file]):
        for line in written.read_text(encoding="utf-8", errors="replace").splitlines():
            if (parsed := LINE.fullmatch(line)) and written.parent / parsed[2] == file:
                return parsed[1]
    return digest(file) if file.is_file() else None


def _records(paths: Iterable[Path]) -> list[Path]:
    """Return the records of artifacts, or of the artifacts that files belong to."""
    found = {next(filter(Path.is_file, map(record_of, (path, *path.parents[:-1]))), None) for path in paths}
    return sorted(filter(None, found))


def contents(path: Path) -> list[Path]:
    """Return the file itself, or all files below a folder, also behind links."""
    if path.is_file():
        return [path]
    below = os.walk(path, followlinks=True)
    return sorted(file for folder, _, names in below for name in names if (file := Path(folder, name)).is_file())


def record(
    path: Path,
    *beside: Path,
    key: str = "",
    read: Iterable[Path] = (),
    hardware: Iterable[str] = (),
    installed: Mapping[str, str] | None = None,
    work: str = "",
    others: Iterable[Path] = (),
) -> None:
    """Write the record of an artifact: one line for each file, paths relative to the artifact's folder.

    Args:
        path: a file, or a folder with all its files; of `COST` it has the name alone.
        beside: files of the same folder that belong to it.
        key: the artifact's key. read: the artifacts that it was made from.
        hardware: what it and its inputs were computed on. installed: the packages that made it, with their versions.
        work: the digest of the work that made it (`robustdr.keys.kept`).
        others: the other artifacts of the job, if this record stands for all of them. Theirs are there.
    """
    about = _chain(path, key, read, hardware, others) + ([f"{WORK}{work}\n"] if work else [])
    about += [f"# installed: {', '.join(' '.join(pair) for pair in installed.items())}\n"] if installed else []
    files = contents(path) if path.is_dir() else [path, *beside]
    lines = [
        f"{NOT_HASHED if file.name == COST else f'{digest(file)}  '}{file.relative_to(path.parent).as_posix()}\n"
        for file in files
    ]
    _write(record_of(path), [*about, *lines])


def renew(path: Path, old: Path, key: str, read: Iterable[Path], others: Iterable[Path] = ()) -> None:
    """Write the record of an artifact whose bytes are those of an old record: with a new key, and what was read now."""
    lines = old.read_text(encoding="utf-8").splitlines(keepends=True)
    computed = {*_said(old, COMPUTED), *hardware(read)}
    kept = f"{KEPT}the same work made it before\n"
    rest = [line for line in lines if not line.startswith(CHAIN)]
    _write(record_of(path), [*_chain(path, key, read, computed, others), kept, *rest])


def _write(written: Path, lines: Iterable[str]) -> None:
    """Write a record, in place of one that was set aside."""
    write_text(written, "".join(lines))
    Path(f"{written}{ASIDE}").unlink(missing_ok=True)


def _chain(path: Path, key: str, read: Iterable[Path], hardware: Iterable[str], others: Iterable[Path]) -> list[str]:
    """Return the first lines of a record: the key, what was read and made with it, and what it was computed on."""
    about = [f"{KEY}{key}\n"] if key else []
    about += [f"{READ}{digest(one)}  {os.path.relpath(one, path.parent)}\n" for one in _records(read)]
    about += [f"{WITH}{digest(one)}  {os.path.relpath(one, path.parent)}\n" for one in map(record_of, others)]
    return about + [f"{COMPUTED}{one}\n" for one in sorted(hardware)]


def listed(written: Path) -> list[Path]:
    """Return the files of an artifact by its record, and the records of those that the job made with it."""
    found = []
    for line in written.read_text(encoding="utf-8", errors="replace").splitlines():
        if parsed := LINE.fullmatch(line.removeprefix(WITH)):
            found.append(parsed[2])
        elif line.startswith(NOT_HASHED):
            found.append(line.removeprefix(NOT_HASHED))
    return [Path(os.path.normpath(written.parent / name)) for name in found]


def is_whole(written: Path) -> bool:
    """Return whether a record is there, and all files of it and of what was made with it; no byte is read."""
    if not written.is_file():
        return False
    return all(is_whole(file) if file.suffix == ".sha256" else file.is_file() for file in listed(written))


def set_aside(results: Path) -> Iterator[str]:
    """Rename each record of which a file is missing, so that its job runs where the artifact is needed.

    A rule declares the record of what it leaves, and Snakemake looks for no other file. The name comes back with the
    files.

    Yields:
        A sentence for each record that is set aside.
    """
    there = [os.path.join(folder, name) for folder, _, names in os.walk(results) for name in names]
    for path in (path for path in there if path.endswith(f".sha256{ASIDE}")):
        record = path.removesuffix(ASIDE)
        if os.path.exists(record):  # made again
            os.remove(path)
        else:
            os.rename(path, record)
            there.append(record)
    for path in (path for path in there if path.endswith(".sha256")):
        if not is_whole(Path(path)):
            with suppress(OSError):  # where nothing can be written nothing can run
                os.rename(path, f"{path}{ASIDE}")
            yield f"{path.removesuffix('.sha256')}: files of it are missing; where it is needed, it is made again"


def state(path: Path) -> list[str]:
    """Return what an artifact's record says of its bytes and hardware; of a file without a record, its SHA-256."""
    if not (written := record_of(path)).is_file():
        return [recorded(path) or ""]
    lines = written.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if line.startswith(COMPUTED) or not line.startswith("#")]


def hardware(paths: Iterable[Path]) -> set[str]:
    """Return the hardware that artifacts were computed on, from their records."""
    return {found for written in _records(paths) for found in _said(written, COMPUTED)}


def key_of(path: Path) -> str:
    """Return the key of an artifact, or of the one that a file belongs to, from its record; '' without a record."""
    return next((key for written in _records([path]) for key in _said(written, KEY)), "")


def _said(written: Path, what: str) -> Iterator[str]:
    """Yield the rest of each line of a record that begins with `what`."""
    for line in written.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(what):
            yield line.removeprefix(what)


def is_current(path: Path) -> bool:
    """Return whether an artifact was made from the artifacts that are there now; one that is gone does not count."""
    behind = (pair for written in _records([path]) for pair in _behind(written))
    return all(digest(one) == sha for sha, one in behind if one.is_file())


def check_chain(paths: Iterable[Path]) -> None:
    """Check that everything behind artifacts, if it still exists, is what they were made from.

    Raises:
        UserError: an input was replaced after an artifact was made from it.
    """
    if fault := next(_broken(_records(paths)), None):
        raise UserError(fault)


def _behind(written: Path) -> Iterator[tuple[str, Path]]:
    """Yield the digest and the place of each record that an artifact was made from."""
    for line in _said(written, READ):
        sha, _, name = line.partition("  ")
        yield sha, Path(os.path.normpath(written.parent / name))


def _broken(records: Iterable[Path]) -> Iterator[str]:
    """Yield a sentence for each broken link of the chain behind records."""
    todo = list(records)
    seen = set(todo)
    found: dict[Path, str | None] = {}  # digest of each record, None without a file: most are read by many artifacts
    for written in todo:
        for sha, behind in _behind(written):
            if behind not in found:
                found[behind] = digest(behind) if behind.is_file() else None
            if found[behind] is None:
                continue
            if found[behind] != sha:
                made, read = written.with_suffix(""), behind.with_suffix("")
                yield f"{made}: it was made from another {read} than the one that is there; delete {made}, run again"
            elif behind not in seen:
                seen.add(behind)
                todo.append(behind)


def verify(paths: Iterable[Path]) -> None:
    """Check artifacts, or files of one, against their records; those without a record pass.

    A damaged artifact is renamed to `<artifact>.damaged`, a folder as a whole: the next run finds it missing and
    makes it again.

    Raises:
        UserError: a file differs from its record or is missing, or the record is unreadable.
    """
    for written in _records(paths):
        if fault := next(faults(written), None):
            moved = _move_away(written.with_suffix(""))
            written.unlink()
            raise UserError(f"{fault}; moved to {moved}; run again, which makes it again")


def damaged(path: Path) -> Iterator[str]:
    """Yield a sentence for each fault of an artifact, or of all artifacts below a folder; every byte is read.

    Raises:
        UserError: there is no record.
    """
    records = [*_records([path]), *sorted(path.rglob("*.sha256"))]
    if not records:
        raise UserError(f"{path}: no artifact: neither it nor anything below it has a record (.sha256)")
    for written in records:
        yield from faults(written, sha256)
    yield from _broken(records)


def faults(written: Path, digest: Callable[[Path], str] = digest) -> Iterator[str]:
    """Yield a sentence for each faulty file of a record. A digest that differs is computed again from the bytes."""
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
