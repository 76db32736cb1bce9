"""Free space and quota of the folders that a target fills."""

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from robustdr.preflight.findings import Missing, amount


class Filled(NamedTuple):
    """A folder, the variable of the environment that names it, and the bytes that are still to come into it."""

    name: str
    folder: Path
    size: int

    def __str__(self) -> str:
        at = nearest(self.folder)
        return f"{self.name} ({self.folder}): {amount(self.size)} to come, {amount(shutil.disk_usage(at).free)} free"


def nearest(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(at for at in (folder, *folder.absolute().parents) if at.is_dir())


def short(folders: list[Filled]) -> Iterator[Missing]:
    """Yield folders that cannot be written, and file systems without room for all that comes into them."""
    systems: dict[int, list[Filled]] = {}
    for one in folders:
        at = nearest(one.folder)
        if not os.access(at, os.W_OK):
            yield Missing(f"{one.name} ({one.folder}): {at} cannot be written", _elsewhere(one))
        else:
            systems.setdefault(at.stat().st_dev, []).append(one)
    for of in systems.values():
        needed, at = sum(one.size for one in of), nearest(of[0].folder)
        free = shutil.disk_usage(at).free
        largest = max(of, key=lambda one: one.size)
        names = ", ".join(f"{one.name} ({one.folder})" for one in of if one.size)
        if needed > free:
            yield Missing(f"{names}: {amount(needed)} to come, {amount(free)} free", _elsewhere(largest))
        elif needed and (reason := refused(at, needed)):
            yield Missing(f"{names}: {amount(needed)} to come, and {reason}", _elsewhere(largest))


def _elsewhere(one: Filled) -> str:
    if one.name.isupper():
        return f"export {one.name}=/a/larger/folder  # that compute nodes see too"
    return f"ln -s /a/larger/folder {one.folder}  # that compute nodes see too, or make room"


def refused(folder: Path, size: int) -> str:
    """Return why the file system of a folder does not give `size` bytes, such as a quota; '' if it does or cannot say.

    The bytes are reserved and given back at once; nothing is written.
    """
    fallocate = getattr(ctypes.CDLL(None, use_errno=True), "fallocate", None)
    if fallocate is None:
        return ""
    with TemporaryFile(dir=folder) as file:
        if fallocate(file.fileno(), 0, ctypes.c_longlong(0), ctypes.c_longlong(size)) == 0:
            return ""
        failed = ctypes.get_errno()
    if failed in (errno.EDQUOT, errno.ENOSPC, errno.EFBIG):
        return os.strerror(failed).lower() + " (`quota -s` or your site's command shows the quota)"
    return ""
