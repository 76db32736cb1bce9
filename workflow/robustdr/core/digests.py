"""Digests of files in the two forms in which upstream gives them: SHA-256, and the name that git gives contents."""

import hashlib
from pathlib import Path

from robustdr.core.files import sha256

BLOB = 40  # digits of git's name


def kind(digest: str) -> str:
    """Return what a digest is, in words."""
    return "git name" if len(digest) == BLOB else "SHA-256"


def digest_as(file: Path, digest: str) -> str:
    """Return the digest of a file, of the kind of `digest`."""
    if len(digest) != BLOB:
        return sha256(file)
    hashed = hashlib.sha1(f"blob {file.stat().st_size}\0".encode(), usedforsecurity=False)
    with open(file, "rb") as opened:
        while block := opened.read(2**20):
            hashed.update(block)
    return hashed.hexdigest()
