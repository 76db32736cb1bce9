"""Brings a released file of query sets: from GitHub at a pinned commit, or from the user's own copy."""

from pathlib import Path

from robustdr.core import github
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, sha256
from robustdr.variations.settings import Release


def url(release: Release) -> str:
    """Return the address of a file of a repository at a commit."""
    return github.url(release.github or "", release.revision or "", release.file or "")


def bring(release: Release, output: Path) -> None:
    """Write the released file to `output`.

    Raises:
        UserError: it cannot be fetched or read, or has another SHA-256 than the configuration pins.
    """
    if release.github:
        github.fetch(release.github, release.revision or "", release.file or "", release.sha256, output)
        return
    with atomic(output) as temporary:
        try:
            temporary.write_bytes(Path(release.path or "").read_bytes())
        except OSError as error:
            raise UserError(f"{release.path}: cannot be read ({error})") from None
        if (actual := sha256(temporary)) != release.sha256:
            raise UserError(f"{release.path} has the SHA-256 {actual}; the configuration pins {release.sha256}")
