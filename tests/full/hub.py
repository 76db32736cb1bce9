"""The hub's cache: blobs by their digest, and a snapshot of a revision that links to them."""

import os
from fnmatch import fnmatch
from pathlib import Path

from robustdr.core.files import sha256


def cache(home: Path, kind: str, name: str, revision: str, files: dict[str, Path]) -> None:
    """Lay files into the cache below `home` (HF_HOME) as a download of this revision does.

    Args:
        kind: `models` or `datasets`. files: by their names in the repository.
    """
    place = home / "hub" / f"{kind}--{name.replace('/', '--')}"
    for of, path in files.items():
        blob = place / "blobs" / sha256(path)
        blob.parent.mkdir(parents=True, exist_ok=True)
        blob.write_bytes(path.read_bytes())
        link = place / "snapshots" / revision / of
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(blob, link.parent))
    (place / "refs").mkdir(exist_ok=True)
    (place / "refs/main").write_text(revision)


def fetched(folder: Path, patterns: tuple[str, ...]) -> dict[str, Path]:
    """Return the files of a published folder that a download with these patterns brings, by their names."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in found.items() if any(fnmatch(name, pattern) for pattern in patterns)}
