"""The room that a target takes in its folders, and their free space and quota."""

import ctypes
import errno
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from robustdr.keys.node import Node
from robustdr.preflight.findings import Missing, amount
from robustdr.retrieval.settings import EmbedSettings

DIMENSIONS = 768  # of BERT-base, which full scale starts from


class Filled(NamedTuple):
    """A folder, the variable of the environment that names it, and the bytes that are still to come into it."""

    name: str
    folder: Path
    size: int

    def __str__(self) -> str:
        place = nearest_existing(self.folder)
        return f"{self.name} ({self.folder}): {amount(self.size)} to come, {amount(shutil.disk_usage(place).free)} free"


def vectors(jobs: Iterable[Node]) -> int:
    """Return the bytes of passage vectors that jobs write, of collections whose size ir_datasets knows.

    They are most of what full scale writes.
    """
    size = 0
    for node in jobs:
        if isinstance(node.settings, EmbedSettings):
            (corpus,) = (input_node for input_node in node.input_nodes if input_node.rule == "write_passages")
            source = json.loads(corpus.options["source"])
            if source["kind"] == "irds":
                import ir_datasets

                count = ir_datasets.load(source["corpus"]).metadata().get("docs", {}).get("count", 0)
                bytes_each = 2 if node.settings.stored == "float16" else 4
                size += count * DIMENSIONS * bytes_each // node.options["shards"]
    return size


def nearest_existing(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(place for place in (folder, *folder.absolute().parents) if place.is_dir())


def short(folders: list[Filled]) -> Iterator[Missing]:
    """Yield folders that cannot be written, and file systems without room for all that comes into them."""
    systems: dict[int, list[Filled]] = {}
    for filled in folders:
        place = nearest_existing(filled.folder)
        if not os.access(place, os.W_OK):
            yield Missing(f"{filled.name} ({filled.folder}): {place} cannot be written", _elsewhere(filled))
        else:
            systems.setdefault(place.stat().st_dev, []).append(filled)
    for group in systems.values():
        needed, place = sum(filled.size for filled in group), nearest_existing(group[0].folder)
        free = shutil.disk_usage(place).free
        largest = max(group, key=lambda filled: filled.size)
        names = ", ".join(f"{filled.name} ({filled.folder})" for filled in group if filled.size)
        if needed > free:
            yield Missing(f"{names}: {amount(needed)} to come, {amount(free)} free", _elsewhere(largest))
        elif needed and (reason := refused(place, needed)):
            yield Missing(f"{names}: {amount(needed)} to come, and {reason}", _elsewhere(largest))


def _elsewhere(filled: Filled) -> str:
    if filled.name.isupper():
        return f"export {filled.name}=/a/larger/folder  # that compute nodes see too"
    move = "cp -a . /a/larger/folder/robustdr && cd /a/larger/folder/robustdr && rm -rf .venv && make setup"
    return f"{move}  # that compute nodes see too, and go on there; or make room"


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
