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
COMPUTED = "# computed on "
CHAIN = (KEY, KEPT, READ, WITH, COMPUTED)  # lines that another chain behind the same bytes changes
ASIDE = ".incomplete"  # after the name of a record of which a file is missing
SETTLED = 100_000_000  # ns; coarser than the clocks of file systems, so that a later change has another time


def digest(file: Path) -> str:
    """Return the SHA-256 of a file; it is read once per machine while its size, times and inode stay the same."""
    stat, place = file.stat(), os.path.abspath(file)
    state = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    if noted_digest := recall(place, state):
        return noted_digest
    sha = sha256(file)
    if time.time_ns() - stat.st_ctime_ns > SETTLED:
        note(place, state, sha)
    return sha


def record_of(path: Path) -> Path:
    """Return the path of an artifact's record."""
    return path.with_name(f"{path.name}.sha256")


def recorded(file: Path) -> str | None:
    """Return a file's SHA-256 from its record, even if the file is gone; else from its bytes; None without a file."""
    for record_file in _records([file]):
        for line in record_file.read_text(encoding="utf-8", errors="replace").splitlines():
            if (parsed := LINE.fullmatch(line)) and record_file.parent / parsed[2] == file:
                return parsed[1]
    return digest(file) if file.is_file() else None


def _records(paths: Iterable[Path]) -> list[Path]:
    """Return the records of artifacts, or of the artifacts that files belong to."""
    record_files = {next(filter(Path.is_file, map(record_of, (path, *path.parents[:-1]))), None) for path in paths}
    return sorted(filter(None, record_files))


def contents(path: Path) -> list[Path]:
    """Return the file itself, or all files below a folder, also behind links, but for those to a folder above."""
    if path.is_file():
        return [path]
    files: list[Path] = []
    for folder, subfolders, names in os.walk(path, followlinks=True):
        place = Path(folder).resolve()
        subfolders[:] = [name for name in subfolders if not place.is_relative_to(Path(folder, name).resolve())]
        files += [file for name in names if (file := Path(folder, name)).is_file()]
    return sorted(files)


def record(
    path: Path,
    *companions: Path,
    key: str = "",
    inputs: Iterable[Path] = (),
    hardware: Iterable[str] = (),
    installed: Mapping[str, str] | None = None,
    work: str = "",
    other_artifacts: Iterable[Path] = (),
) -> None:
    """Write the record of an artifact: one line for each file, paths relative to the artifact's folder.

    Args:
        path: a file, or a folder with all its files.
        companions: files of the same folder that belong to it.
        key: the artifact's key. inputs: the artifacts that it was made from.
        hardware: what it and its inputs were computed on. installed: the packages that made it, with their versions.
        work: the digest of the work that made it (`robustdr.keys.kept`).
        other_artifacts: the other artifacts of the job, if this record stands for all of them. Theirs are there.
    """
    header = _chain(path, key, inputs, hardware, other_artifacts) + ([f"{WORK}{work}\n"] if work else [])
    header += [f"# installed: {', '.join(' '.join(pair) for pair in installed.items())}\n"] if installed else []
    files = contents(path) if path.is_dir() else [path, *companions]
    lines = [f"{digest(file)}  {file.relative_to(path.parent).as_posix()}\n" for file in files]
    _write(record_of(path), [*header, *lines])


def renew(path: Path, old: Path, key: str, inputs: Iterable[Path]) -> None:
    """Write the record of an artifact whose bytes are those of an old record: with a new key, and what was read now."""
    lines = old.read_text(encoding="utf-8").splitlines(keepends=True)
    names = [pair.partition("  ")[2].removesuffix(".sha256") for pair in _read_values(old, WITH)]
    other_artifacts = [path.parent / name for name in names]
    computed = {*_read_values(old, COMPUTED), *hardware(inputs)}
    kept_line = f"{KEPT}the same work made it before\n"
    rest = [line for line in lines if not line.startswith(CHAIN)]
    _write(record_of(path), [*_chain(path, key, inputs, computed, other_artifacts), kept_line, *rest])


def _write(record_file: Path, lines: Iterable[str]) -> None:
    """Write a record, in place of one that was set aside."""
    write_text(record_file, "".join(lines))
    Path(f"{record_file}{ASIDE}").unlink(missing_ok=True)


def _chain(
    path: Path, key: str, inputs: Iterable[Path], hardware: Iterable[str], other_artifacts: Iterable[Path]
) -> list[str]:
    """Return the first lines of a record: the key, what was read and made with it, and what it was computed on."""
    header = [f"{KEY}{key}\n"] if key else []
    header += [
        f"{READ}{digest(record_file)}  {os.path.relpath(record_file, path.parent)}\n"
        for record_file in _records(inputs)
    ]
    header += [
        f"{WITH}{digest(record_file)}  {os.path.relpath(record_file, path.parent)}\n"
        for record_file in map(record_of, other_artifacts)
    ]
    return header + [f"{COMPUTED}{machine}\n" for machine in sorted(hardware)]


def listed(record_file: Path) -> list[Path]:
    """Return the files of an artifact by its record, and the records of those that the job made with it."""
    names = []
    for line in record_file.read_text(encoding="utf-8", errors="replace").splitlines():
        if parsed := LINE.fullmatch(line.removeprefix(WITH)):
            names.append(parsed[2])
    return [Path(os.path.normpath(record_file.parent / name)) for name in names]


def is_whole(record_file: Path) -> bool:
    """Return whether a record is there, and all files of it and of what was made with it; no byte is read."""
    if not record_file.is_file():
        return False
    return all(is_whole(file) if file.suffix == ".sha256" else file.is_file() for file in listed(record_file))


def look_old(record_file: Path, has_inputs: bool) -> None:
    """Let a scheduler that compares times run the job of a record again.

    Args:
        has_inputs: whether the job reads anything that would be newer; if not, the record is set aside.
    """
    if has_inputs:
        os.utime(record_file, (1, 1))
    else:
        os.rename(record_file, f"{record_file}{ASIDE}")


def set_aside(results: Path) -> Iterator[str]:
    """Rename each record of which a file is missing, so that its job runs where the artifact is needed.

    A rule declares the record of what it leaves, and Snakemake looks for no other file. The name comes back with the
    files.

    Yields:
        A sentence for each record that is set aside.
    """
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(results) for name in names]
    for path in (path for path in paths if path.endswith(f".sha256{ASIDE}")):
        record = path.removesuffix(ASIDE)
        if os.path.exists(record):  # made again
            os.remove(path)
        else:
            os.rename(path, record)
            paths.append(record)
    for path in (path for path in paths if path.endswith(".sha256")):
        if not is_whole(Path(path)):
            with suppress(OSError):  # where nothing can be written nothing can run
                os.rename(path, f"{path}{ASIDE}")
            yield f"{path.removesuffix('.sha256')}: files of it are missing; where it is needed, it is made again"


def state(path: Path) -> list[str]:
    """Return what an artifact's record says of its bytes and hardware; of a file without a record, its SHA-256."""
    if not (record_file := record_of(path)).is_file():
        return [recorded(path) or ""]
    lines = record_file.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if line.startswith(COMPUTED) or not line.startswith("#")]


def hardware(paths: Iterable[Path]) -> set[str]:
    """Return the hardware that artifacts were computed on, from their records."""
    return {machine for record_file in _records(paths) for machine in _read_values(record_file, COMPUTED)}


def key_of(path: Path) -> str:
    """Return the key of an artifact, or of the one that a file belongs to, from its record; '' without a record."""
    return next((key for record_file in _records([path]) for key in _read_values(record_file, KEY)), "")


def _read_values(record_file: Path, prefix: str) -> Iterator[str]:
    """Yield the rest of each line of a record that begins with `prefix`."""
    for line in record_file.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(prefix):
            yield line.removeprefix(prefix)


def is_current(path: Path) -> bool:
    """Return whether an artifact was made from the artifacts that are there now; one that is gone does not count."""
    sources = (pair for record_file in _records([path]) for pair in _read_sources(record_file))
    return all(digest(source) == sha for sha, source in sources if source.is_file())


def check_chain(paths: Iterable[Path]) -> None:
    """Check that everything behind artifacts, if it still exists, is what they were made from.

    Raises:
        UserError: an input was replaced after an artifact was made from it.
    """
    if fault := next(_broken(_records(paths)), None):
        raise UserError(fault)


def _read_sources(record_file: Path) -> Iterator[tuple[str, Path]]:
    """Yield the digest and the place of each record that an artifact was made from."""
    for line in _read_values(record_file, READ):
        sha, _, name = line.partition("  ")
        yield sha, Path(os.path.normpath(record_file.parent / name))


def _broken(records: Iterable[Path]) -> Iterator[str]:
    """Yield a sentence for each broken link of the chain behind records."""
    todo = list(records)
    visited = set(todo)
    digests: dict[Path, str | None] = {}  # digest of each record, None without a file: most are read by many artifacts
    for record_file in todo:
        for sha, source in _read_sources(record_file):
            if source not in digests:
                digests[source] = digest(source) if source.is_file() else None
            if digests[source] is None:
                continue
            if digests[source] != sha:
                artifact, source_artifact = record_file.with_suffix(""), source.with_suffix("")
                fault = f"it was made from another {source_artifact} than the one that is there"
                yield f"{artifact}: {fault}; delete {artifact}, run again"
            elif source not in visited:
                visited.add(source)
                todo.append(source)


def verify(paths: Iterable[Path]) -> None:
    """Check artifacts, or files of one, against their records; those without a record pass.

    A damaged artifact is renamed to `<artifact>.damaged`, a folder as a whole: the next run finds it missing and
    makes it again.

    Raises:
        UserError: a file differs from its record or is missing, the record is unreadable, or a folder has another file
            than its record: this one stays where it is.
    """
    for record_file in _records(paths):
        if fault := next(faults(record_file), None):
            artifact = record_file.with_suffix("")
            new_place = artifact.with_name(f"{artifact.name}.damaged")
            if new_place.is_dir():
                shutil.rmtree(new_place)
            if artifact.exists():
                os.replace(artifact, new_place)
            record_file.unlink()
            raise UserError(f"{fault}; moved to {new_place}; run again, which makes it again")
        if stray := next(strays(record_file), None):
            raise UserError(stray)


def damaged(path: Path) -> Iterator[str]:
    """Yield a sentence for each fault of an artifact, or of all artifacts below a folder; every byte is read.

    Raises:
        UserError: there is no record.
    """
    records = [*_records([path]), *sorted(path.rglob("*.sha256"))]
    if not records:
        raise UserError(f"{path}: no artifact: neither it nor anything below it has a record (.sha256)")
    for record_file in records:
        yield from faults(record_file, sha256)
        yield from strays(record_file)
    yield from _broken(records)


def faults(record_file: Path, digest: Callable[[Path], str] = digest) -> Iterator[str]:
    """Yield a sentence for each faulty file of a record. A digest that differs is computed again from the bytes."""
    lines = record_file.read_text(encoding="utf-8", errors="replace").splitlines()
    digests = [(number, line) for number, line in enumerate(lines, 1) if not line.startswith("#")]
    for number, line in digests or [(1, "")]:
        parsed = LINE.fullmatch(line)
        if parsed is None:
            yield f"{record_file}:{number}: damaged: {line[:80]!r} is no sha256 with a name"
            continue
        file = record_file.parent / parsed[2]
        if not file.is_file():
            yield f"{file}: damaged: it is missing, {parsed[1]} was recorded when it was made"
        elif digest(file) != parsed[1] and (sha := sha256(file)) != parsed[1]:
            yield f"{file}: damaged: its sha256 is {sha}, {parsed[1]} was recorded when it was made"


def strays(record_file: Path) -> Iterator[str]:
    """Yield a sentence for each file in an artifact's folder that its record lacks: a library may read it."""
    names = {line[66:] for line in record_file.read_text(encoding="utf-8", errors="replace").splitlines()}
    artifact = record_file.with_suffix("")
    for file in contents(artifact) if artifact.is_dir() else ():
        if file.relative_to(record_file.parent).as_posix() not in names:
            yield f"{file}: {record_file} does not list it; remove this file, or delete {artifact}, and run again"
