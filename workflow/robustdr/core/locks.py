"""Locks between processes, also of several machines that share a folder."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive_lock(path: Path, waits: str = "") -> Iterator[None]:
    """Wait until no other process holds the lock `path`, and hold it; when a process ends, it is let go.

    Args:
        waits: a line for standard error if another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if waits:
                print(waits, file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
