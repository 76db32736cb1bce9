"""The files behind data sets of ir_datasets: fetched once, whichever job asks first."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core.downloads import fetch
from robustdr.core.errors import UserError
from robustdr.core.locks import exclusive_lock


class Archive(NamedTuple):
    """A file that ir_datasets fetches.

    Attributes:
        path: where it is kept; None: ir_datasets keeps only what it reads from it.
        size: bytes. md5: its digest. urls: where it is, with headers of the request.
        user_copy: a copy that the user may have put there. terms: of use.
    """

    path: Path | None
    size: int
    md5: str
    urls: dict[str, dict[str, str]]
    user_copy: Path | None
    terms: str


def archives(dataset: Any, part: str) -> list[Archive]:
    """Return the files that the `docs`, `queries` or `qrels` of a data set are read from."""
    from ir_datasets.util import Download

    archive_of: dict[int, Archive] = {}
    visited: set[int] = set()
    todo = [getattr(dataset, f"{part}_handler")()]
    while todo:
        handler_part = todo.pop()
        if id(handler_part) in visited:
            continue
        visited.add(id(handler_part))
        if isinstance(handler_part, Download):
            mirrors = handler_part.mirrors
            archive_of[id(handler_part)] = Archive(
                path=Path(handler_part._cache_path) if handler_part._cache_path else None,
                size=handler_part._size_hint or 0,
                md5=handler_part.expected_md5 or "",
                urls={mirror.url: mirror.headers or {} for mirror in mirrors if hasattr(mirror, "url")},
                user_copy=next((mirror.path(force=False) for mirror in mirrors if not hasattr(mirror, "url")), None),
                terms=handler_part.dua or "",
            )
        elif isinstance(handler_part, list | tuple):
            todo += handler_part
        elif type(handler_part).__module__.partition(".")[0] == "ir_datasets":
            todo += vars(handler_part).values()
    return list(archive_of.values())


def bring(id: str, dataset: Any, parts: Iterable[str]) -> None:
    """Bring what `docs`, `queries` or `qrels` of a data set are read from to this machine, and what is unpacked of it.

    Other processes that ask for data sets of the same family wait meanwhile.

    Raises:
        OSError, RuntimeError: a file cannot be fetched or unpacked.
    """
    import ir_datasets

    with exclusive_lock(ir_datasets.util.home_path() / f"{id.partition('/')[0]}.lock"):
        for part in parts:
            for archive in archives(dataset, part):
                _fetch(archive)
            next(iter(getattr(dataset, f"{part}_iter")()), None)  # the first one is read once all is unpacked


def _fetch(archive: Archive) -> None:
    """Fetch an archive from the first mirror that has it; leave to ir_datasets what it keeps nowhere."""
    path = archive.path
    if path is None or path.exists() or not archive.md5 or (archive.user_copy and archive.user_copy.exists()):
        return
    if archive.terms:
        print(archive.terms, file=sys.stderr)
    failed = []
    for url, headers in archive.urls.items():
        try:
            return fetch(url, path, archive.md5, headers)
        except UserError as error:
            failed.append(str(error))
    if failed:
        raise RuntimeError("; ".join(failed))
