"""Files of a source, wherever they are: the user's own, in a data set of the hub, or in a repository of GitHub."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from robustdr.collections.reading import checked
from robustdr.collections.settings import SourceFile
from robustdr.core import hub
from robustdr.core.downloads import fetch, github_url
from robustdr.core.errors import UserError
from robustdr.core.files import digest_as


def own_file(file: SourceFile) -> list[Path]:
    """Return the user's file; none if the file comes from elsewhere."""
    return [Path(file["path"])] if "path" in file else []


def remote_files(entry: Any) -> Iterator[SourceFile]:
    """Yield the files that an entry of collections.yaml, or a part of it, names and that come from elsewhere."""
    if isinstance(entry, Mapping):
        if "github" in entry or "hub" in entry:
            yield cast(SourceFile, entry)
        else:
            for value in entry.values():
                yield from remote_files(value)


def github_copy(file: SourceFile) -> Path:
    """Return where a file of a repository is kept on this machine once it was brought."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "robustdr" / "github" / file["sha256"] / Path(file["file"]).name


def bring(file: SourceFile, checksums: Mapping[str, str]) -> Path:
    """Return the file on this machine. What comes from elsewhere is kept in a cache; a damaged copy is fetched anew.

    Args:
        checksums: SHA-256 of the user's own files, by path.

    Raises:
        UserError: the file is missing, cannot be fetched, or has another SHA-256.
    """
    if "path" in file:
        return checked(file["path"], checksums)
    if "github" in file:
        path = github_copy(file)
        if not path.is_file() or digest_as(path, file["sha256"]) != file["sha256"]:
            try:
                fetch(github_url(file["github"], file["revision"], file["file"]), path, file["sha256"], {})
            except UserError as error:
                copy = "fetch the file elsewhere and name it as `path` in place of `github`, `revision` and `file`"
                raise UserError(f"{error}; run again with the network, or {copy}") from None
        return path
    from huggingface_hub import hf_hub_download

    source_name = f"{file['hub']}@{file['revision']}: {file['file']}"
    with hub.fetching(source_name):
        path = Path(hf_hub_download(file["hub"], file["file"], repo_type="dataset", revision=file["revision"]))
    if "sha256" in file:
        hub.check(path, file["sha256"], source_name, cached=True)
    else:
        hub.check_cached(path, source_name)
    return path
