"""Earlier results on this machine, noted where Snakemake runs: one small file for each subject, so no locks are needed.

A note that is damaged or cannot be written counts as absent: its value is computed again. So notes need not be on disk
before the work goes on. A process reads and writes each of them once. A note bears a code (HMAC) of a secret of the
user's, so that one that was copied here or written by hand counts as absent too.
"""

import hashlib
import hmac
import json
import os
import platform
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from robustdr.core.files import atomic

RUNS = Path(".snakemake")
NOTES = RUNS / "notes" / platform.node()
KNOWN: dict[str, tuple[str, str]] = {}  # (state, value) by subject: notes that this process read or wrote


@cache
def _secret() -> bytes:
    """Return the user's secret; where none can be kept, one of this process."""
    secret = secrets.token_bytes(32)
    with suppress(OSError, RuntimeError):  # there is no home
        place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robustdr" / "notes.secret"
        if not place.is_file():
            with atomic(place) as temporary:
                temporary.touch(0o600)
                temporary.write_bytes(secret)
        return place.read_bytes()
    return secret


def _code(text: str) -> str:
    return hmac.digest(_secret(), text.encode(), "sha256").hex()


def _place(subject: str) -> Path:
    """Return a path in one of 256 folders, because writing is slower in a folder with many files."""
    name = hashlib.sha256(subject.encode()).hexdigest()
    return NOTES / name[:2] / name


def recall(subject: str, state: str) -> str | None:
    """Return the note about a subject in this state; None without one."""
    if KNOWN.get(subject, ("", ""))[0] != state:
        with suppress(OSError, ValueError):
            check, _, text = _place(subject).read_text(encoding="utf-8").partition("\n")
            if check == _code(text):
                noted, value = json.loads(text)
                KNOWN[subject] = noted, value
    stored_note = KNOWN.get(subject, ("", ""))
    return stored_note[1] if stored_note[0] == state else None


def note(subject: str, state: str, value: str) -> None:
    """Write a note about a subject; it replaces the earlier one. Where Snakemake did not run, it is not on disk."""
    KNOWN[subject] = state, value
    text = json.dumps([state, value])
    if RUNS.is_dir():
        with suppress(OSError):
            (place := _place(subject)).parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{_code(text)}\n{text}", encoding="utf-8")
