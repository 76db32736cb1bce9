"""Files fetched over HTTP: whole or absent, continued where an earlier attempt was cut, and checked by a digest."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from robustdr.core.errors import UserError
from robustdr.core.files import digest_as, digest_kind

GITHUB = "https://raw.githubusercontent.com"
ATTEMPTS = 3  # in a row without a new byte
BLOCK = 2**20  # bytes
PATIENCE = 60  # seconds without a byte


def github_url(repository: str, revision: str, file: str) -> str:
    """Return the address of a file of a repository, `owner/name`, at a commit."""
    return f"{GITHUB}/{repository}/{revision}/{quote(file)}"


def fetch(url: str, path: Path, digest: str, headers: Mapping[str, str]) -> None:
    """Fetch a file to `path`. Until it is whole and checked it is `<path>.part`, which the next call continues.

    Args:
        digest: that the file must have; see `files.digest_kind`. headers: of the request.

    Raises:
        UserError: the server refuses, does not answer, or sends another file; then nothing is kept of it.
        OSError: it cannot be written.
    """
    from requests import RequestException
    from urllib3.exceptions import HTTPError

    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    while True:
        before = _size(part)
        try:
            _continue(url, part, headers)
            break
        except (RequestException, HTTPError) as error:
            have = _size(part)
            failed = failed + 1 if have <= before else 0
            refused = getattr(getattr(error, "response", None), "status_code", 500) < 500
            if refused or failed == ATTEMPTS:
                remainder_note = (
                    f"; {have:,} bytes are kept in {part}, and the next run goes on from there" if have else ""
                )
                raise UserError(f"{url}: {' '.join(str(error).split())[:300]}{remainder_note}") from None
    if (actual := digest_as(part, digest)) != digest:
        part.unlink()
        raise UserError(f"{url} has the {digest_kind(digest)} {actual}, {digest} was expected; nothing is kept of it")
    os.replace(part, path)


def _continue(url: str, part: Path, headers: Mapping[str, str]) -> None:
    """Fetch what is missing at the end of `part`; all of it if the server cannot send a part."""
    import requests

    have = _size(part)
    request_headers = {**headers, "Accept-Encoding": "identity", **({"Range": f"bytes={have}-"} if have else {})}
    with requests.get(url, headers=request_headers, stream=True, timeout=PATIENCE) as answer:
        if answer.status_code == requests.codes.requested_range_not_satisfiable:
            return  # nothing is missing, or the digest will tell
        answer.raise_for_status()
        continued = answer.status_code == requests.codes.partial_content
        print(f"{url}: {f'continued at byte {have:,}' if continued else 'fetched'}", file=sys.stderr, flush=True)
        with open(part, "ab" if continued else "wb") as file:
            while block := answer.raw.read1(BLOCK, decode_content=False):
                file.write(block)
                file.flush()


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
