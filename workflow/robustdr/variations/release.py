"""Brings a released file of query sets: from GitHub at a pinned commit, or from the user's own copy."""

from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, sha256
from robustdr.variations.settings import Release

HOST = "https://raw.githubusercontent.com"
TIMEOUT = 60  # seconds


def url(release: Release) -> str:
    """The address of a file of a repository at a commit."""
    return f"{HOST}/{release.github}/{release.revision}/{quote(release.file or '')}"


def bring(release: Release, output: Path) -> None:
    """Write the released file to `output`.

    Raises:
        UserError: it cannot be fetched or read, or has another SHA-256 than the configuration pins.
    """
    where = url(release) if release.github else str(release.path)
    with atomic(output) as temporary:
        try:
            if release.github:
                with urlopen(where, timeout=TIMEOUT) as answer:
                    temporary.write_bytes(answer.read())
            else:
                temporary.write_bytes(Path(where).read_bytes())
        except (OSError, HTTPException) as error:
            raise UserError(
                f"{where}: cannot be fetched ({error}); run again with the network, or fetch the file elsewhere and "
                "name it as `path` in place of `github`, `revision` and `file`"
            ) from None
        if (found := sha256(temporary)) != release.sha256:
            raise UserError(f"{where} has the SHA-256 {found}; the configuration pins {release.sha256}")
