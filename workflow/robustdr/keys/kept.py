"""Early cut-off: a job whose work made the same artifacts before takes these back and does not work again.

Work is the same if code, packages, settings, options and the bytes of what is read are the same. Keys say less: they
change with the code of every job before, even where that code makes the bytes that it made.

Snakemake removes what a job made before it starts the job. So links to these files lie in `KEPT` while a run lasts.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from robustdr.keys.integrity import WORK, contents, faults, listed, record_of, renew, state
from robustdr.keys.notes import RUNS

KEPT = RUNS / "kept"


def link_of(path: str | Path) -> Path:
    """Return where the link to a file lies, or the folder of those to a folder's files."""
    return KEPT / Path(os.path.abspath(path)).relative_to("/")


def keep(records: Iterable[str]) -> None:
    """Link artifacts that jobs of this run are to make anew, and no others.

    What is not there, or cannot be linked, such as across file systems, is made anew in any case.

    Args:
        records: of the first artifact of each job; it names the others.
    """
    forget()
    todo = list(map(Path, records))
    for file in todo:
        with suppress(OSError):
            (link := link_of(file)).parent.mkdir(parents=True, exist_ok=True)
            os.link(file, link)
            todo += listed(file) if file.suffix == ".sha256" else []


def forget() -> None:
    """Remove all links."""
    shutil.rmtree(KEPT, ignore_errors=True)


def work_of(planned: str, options: Mapping[str, Any], inputs: Iterable[Path]) -> str:
    """Return the digest of the work of a job.

    Args:
        planned: `Node.work`. options: the other options of the stage. inputs: the artifacts that it reads.
    """
    description = json.dumps([planned, options, [state(path) for path in inputs]], default=str, sort_keys=True)
    return hashlib.sha256(description.encode()).hexdigest()[:16]


def same_work(artifacts: Sequence[tuple[Path, ...]], work: str) -> bool:
    """Return whether all artifacts of a job are kept, whole, and were made by this work.

    Args:
        artifacts: each artifact, and the files that belong to it.
    """
    records = [record_of(link_of(path)) for path, *_ in artifacts]
    if not records or not all(map(Path.is_file, records)):
        return False
    if not all(f"{WORK}{work}" in old.read_text(encoding="utf-8").splitlines() for old in records):
        return False
    return not any(fault for old in records for fault in faults(old))


def take_back(artifacts: Sequence[tuple[Path, ...]], keys: Sequence[str], inputs: Sequence[Path]) -> None:
    """Put the kept artifacts of a job into place, with new records.

    Args:
        artifacts: each artifact, and the files that belong to it. keys: their keys. inputs: what the job reads.
    """
    # The first record stands for all: it comes last.
    for (path, *companions), key in reversed(list(zip(artifacts, keys, strict=True))):
        for part in (path, *companions):
            if part.is_dir():
                shutil.rmtree(part)
            for file in contents(link_of(part)):
                place = part / file.relative_to(link_of(part))
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)
                os.link(file, place)
        renew(path, record_of(link_of(path)), key, inputs)


def drop(artifacts: Iterable[tuple[Path, ...]]) -> None:
    """Remove the links to artifacts that were made anew."""
    for path in (part for files in artifacts for part in files):
        shutil.rmtree(link_of(path), ignore_errors=True)
        with suppress(OSError):
            link_of(path).unlink()
