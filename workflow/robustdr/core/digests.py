"""Digests of files in the forms in which upstream gives them: SHA-256, MD5, and the name that git gives contents."""

import hashlib
from pathlib import Path

from robustdr.core.files import sha256

KINDS = {32: "MD5", 40: "git name", 64: "SHA-256"}  # by the number of digits


def kind(digest: str) -> str:
    """Return what a digest is, in words."""
    return KINDS.get(len(digest), "SHA-256")


def digest_as(file: Path, digest: str) -> str:
    """Return the digest of a file, of the kind of `digest`."""
    if (name := kind(digest)) == "SHA-256":
        return sha256(file)
    hashed = hashlib.new("md5" if name == "MD5" else "sha1", usedforsecurity=False)
    if name == "git name":
        hashed.update(f"blob {file.stat().st_size}\0".encode())
    with open(file, "rb") as opened:
        while block := opened.read(2**20):
            hashed.update(block)
    return hashed.hexdigest()
