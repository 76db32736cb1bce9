"""Files of the hub's cache: fetched at a pinned revision, and moved away if they differ from the pinned ones."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256

# Of a model: configurations (ColBERT's is a .metadata), tokenizers in every published form, weights as safetensors.
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


def check(file: Path, expected: str, subject: str, cached: bool) -> None:
    """Check a file against the SHA-256 that the configuration pins.

    Args:
        subject: start of the message. cached: whether the file lies in the hub's cache, which would return it again.

    Raises:
        UserError: the digest differs; a cached file is moved to `<blob>.damaged`.
    """
    if (actual := sha256(file)) == expected:
        return
    message = f"{subject}: {file} has sha256 {actual}, the configuration pins {expected}"
    if cached:
        blob = file.resolve()
        file.unlink()
        os.replace(blob, damaged := blob.with_name(f"{blob.name}.damaged"))
        message += f"; moved to {damaged}; run again to fetch it anew"
    raise UserError(message)
