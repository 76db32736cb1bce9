"""Files and folders without a published digest: trusted as they are at their first use, refused if they change.

Beside such a file lies `<name>.first-seen.json`, which says so. A digest in the configuration replaces it.
"""

from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, sha256, write_json
from robustdr.core.locks import exclusive_lock

SUFFIX = ".first-seen.json"
ABOUT = (
    "No digest was published of this file or folder, or the configuration does not know it. These are the SHA-256 of "
    "its files when it was first used here. If they change, it is refused. To trust another copy, delete this file."
)


def note_of(path: Path) -> Path:
    """Return the file that has the first digests of a file or folder."""
    return path.with_name(f"{path.name}{SUFFIX}")


def changed(path: Path) -> str:
    """Return how a file or folder differs from what was first seen; '' if it does not, or was not seen before."""
    note = note_of(path)
    if not note.is_file():
        return ""
    try:
        noted = from_json(note.read_bytes())
        first: dict[str, str] = dict(noted["sha256"])
    except (ValueError, LookupError, TypeError):
        return f"{note}: cannot be read; delete it to trust {path} as it is now"
    if noted.get("written") == _sizes_and_times(path):
        return ""
    now = _digests(path)
    differing = sorted(name for name in {*first, *now} if first.get(name) != now.get(name))
    if not differing:
        return ""
    name = differing[0]
    file = path if name == "." else path / name
    return (
        f"{file}: its SHA-256 is {now.get(name, 'gone')}, and was {first.get(name, 'not there')} when it was first "
        f"used here ({len(differing)} such file(s)); fetch it again, or delete {note} to trust what is there now"
    )


def check(path: Path, origin: str) -> None:
    """Note the digests of a file or folder at its first use; later refuse one that has others.

    Args:
        origin: where it is from, for the note.

    Raises:
        UserError: it has changed.
    """
    with exclusive_lock(path.with_name(f".{path.name}.lock")):
        if difference := changed(path):
            raise UserError(difference)
        if not note_of(path).is_file():
            sizes_and_times, digests = _sizes_and_times(path), _digests(path)
            write_json(note_of(path), {"about": ABOUT, "from": origin, "sha256": digests, "written": sizes_and_times})


def _files(path: Path) -> dict[str, Path]:
    """Return the files of a folder by name, or the file itself as `.`."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {file.relative_to(path).as_posix(): file for file in files}


def _digests(path: Path) -> dict[str, str]:
    return {name: sha256(file) for name, file in _files(path).items()}


def _sizes_and_times(path: Path) -> dict[str, list[int]]:
    """Return sizes and times of writing: files with the same ones are not read again."""
    stats = {name: file.stat() for name, file in _files(path).items()}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}
