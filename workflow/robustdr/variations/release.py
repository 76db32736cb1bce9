"""Brings a released file of query sets: from GitHub at a pinned commit, kept in a cache, or the user's own copy."""

from pathlib import Path
from typing import cast

from robustdr.collections import located
from robustdr.collections.settings import SourceFile
from robustdr.core.downloads import github_url
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, digest_as, digest_kind
from robustdr.variations.settings import Release


def url(release: Release) -> str:
    """Return the address of a file of a repository at a commit."""
    return github_url(release.github or "", release.revision or "", release.file or "")


def bring(release: Release, output: Path) -> None:
    """Write the released file to `output`.

    Raises:
        UserError: it cannot be fetched or read, or has another digest than the configuration pins.
    """
    path = Path(release.path or "")
    if release.github:
        keys = ("github", "revision", "file")
        file = {key: getattr(release, key) for key in keys} | {"sha256": release.digest}
        path = located.bring(cast(SourceFile, file), {})
    with atomic(output) as temporary:
        try:
            temporary.write_bytes(path.read_bytes())
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({error})") from None
        if (actual := digest_as(temporary, release.digest)) != release.digest:
            raise UserError(
                f"{path} has the {digest_kind(release.digest)} {actual}; the configuration pins {release.digest}"
            )
