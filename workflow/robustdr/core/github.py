"""Files of repositories on GitHub, at a pinned commit."""

from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from robustdr.core.digests import digest_as, kind
from robustdr.core.errors import UserError
from robustdr.core.files import atomic

HOST = "https://raw.githubusercontent.com"
TIMEOUT = 60  # seconds


def url(repository: str, revision: str, file: str) -> str:
    """Return the address of a file of a repository, `owner/name`, at a commit."""
    return f"{HOST}/{repository}/{revision}/{quote(file)}"


def fetch(repository: str, revision: str, file: str, digest: str, output: Path) -> None:
    """Write the file to `output`, whole or not at all.

    Args:
        digest: that it must have; see `digests.kind`.

    Raises:
        UserError: it cannot be fetched, or has another digest.
    """
    address = url(repository, revision, file)
    with atomic(output) as temporary:
        try:
            with urlopen(address, timeout=TIMEOUT) as answer:
                temporary.write_bytes(answer.read())
        except (OSError, HTTPException) as error:
            raise UserError(
                f"{address}: cannot be fetched ({error}); run again with the network, or fetch the file elsewhere and "
                "name it as `path` in place of `github`, `revision` and `file`"
            ) from None
        if (actual := digest_as(temporary, digest)) != digest:
            raise UserError(f"{address} has the {kind(digest)} {actual}; the configuration pins {digest}")
