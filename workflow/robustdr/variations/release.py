"""Brings a released file of query sets: from GitHub at a pinned commit, or from the user's own copy."""

from pathlib import Path

from robustdr.core import github
from robustdr.core.digests import digest_as, kind
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.variations.settings import Release


def url(release: Release) -> str:
    """Return the address of a file of a repository at a commit."""
    return github.url(release.github or "", release.revision or "", release.file or "")


def bring(release: Release, output: Path) -> None:
    """Write the released file to `output`.

    Raises:
        UserError: it cannot be fetched or read, or has another digest than the configuration pins.
    """
    if release.github:
        github.fetch(release.github, release.revision or "", release.file or "", release.digest, output)
        return
    with atomic(output) as temporary:
        try:
            temporary.write_bytes(Path(release.path or "").read_bytes())
        except OSError as error:
            raise UserError(f"{release.path}: cannot be read ({error})") from None
        if (actual := digest_as(temporary, release.digest)) != release.digest:
            has = f"{release.path} has the {kind(release.digest)} {actual}"
            raise UserError(f"{has}; the configuration pins {release.digest}")
