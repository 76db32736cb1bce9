"""Files of the hub's cache: fetched at a pinned revision, and moved away if they differ from the pinned ones."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robustdr.core import first_seen
from robustdr.core.errors import UserError
from robustdr.core.files import digest_as

# Of a model: configurations (ColBERT's is a .metadata), tokenizers in every published form, weights as safetensors.
BLOB = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")  # of small files the digest of Git, of large ones the SHA-256
MODEL_FILES = ("*.json", "*.txt", "*.model", "*.spm", "*.metadata", "*.safetensors")


@contextmanager
def fetching(subject: str) -> Iterator[None]:
    """Turn a failed download of `subject` into one message."""
    from httpx2 import HTTPError
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    try:
        yield
    except (HTTPError, HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, OSError) as error:
        raise UserError(
            f"{subject} could not be fetched from the hub ({type(error).__name__}); "
            "run again with the network, or name a local copy with `path:`"
        ) from error


def check_cached(path: Path, subject: str) -> None:
    """Check a file, or `MODEL_FILES` of a folder, of the hub's cache against the digests that name them there.

    Where the cache has copies in place of links, only their first digests are known.

    Raises:
        UserError: a file changed after it was fetched.
    """
    files = [path] if path.is_file() else sorted(file for name in MODEL_FILES for file in path.rglob(name))
    names = {file: file.resolve().name for file in files}
    if not all(map(BLOB.fullmatch, names.values())):
        return first_seen.check(path, subject)
    for file, name in names.items():
        check(file, name, subject, cached=True, origin="the hub has")


def check(file: Path, expected: str, subject: str, cached: bool, origin: str = "the configuration pins") -> None:
    """Check a file against its SHA-256, or against its digest of Git (40 digits).

    Args:
        subject: start of the message. cached: whether the file lies in the hub's cache, which would return it again.
        origin: what says `expected`.

    Raises:
        UserError: the digest differs; a cached file is moved to `<blob>.damaged`.
    """
    if (actual := digest_as(file, expected)) == expected:
        return
    message = f"{subject}: {file} has sha256 {actual}, {origin} {expected}"
    if cached:
        blob = file.resolve()
        file.unlink()
        os.replace(blob, damaged := blob.with_name(f"{blob.name}.damaged"))
        message += f"; moved to {damaged}; run again to fetch it anew"
    raise UserError(message)
