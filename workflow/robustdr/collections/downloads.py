"""What the passages of a collection are read from and comes from elsewhere: brought here before they are read."""

from collections.abc import Mapping
from typing import Any

from robustdr.collections import deciding_keys, irds
from robustdr.collections.located import bring, remote_files
from robustdr.collections.settings import Source


def has_downloads(source: Mapping[str, Any]) -> bool:
    """Whether passages of a source are read from files that come from elsewhere."""
    return source["kind"] == "irds" or any(remote_files(deciding_keys(source, None)))


def download_passages(source: Source) -> list[str]:
    """Bring the files of a source's passages that come from elsewhere; `write_corpus` then needs no network.

    Returns:
        their names; not of those that ir_datasets keeps.

    Raises:
        UserError: a file cannot be fetched, or has another SHA-256 than the configuration says.
    """
    if source["kind"] == "irds":
        irds.download_passages(source)
    names = []
    for file in remote_files(deciding_keys(source, None)):
        bring(file, {})
        names.append(f"{file.get('hub') or file['github']}@{file['revision']}: {file['file']}")
    return names
