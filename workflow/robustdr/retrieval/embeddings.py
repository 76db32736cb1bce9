"""Passage vectors on disk: shards of the corpus as memory-mapped .npy files, each with a file of docids."""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

from robustdr.collections.rows import Corpus
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, read_lines, write_text
from robustdr.encoding import hardware
from robustdr.encoding.directory import DOCUMENT
from robustdr.encoding.encoder import Encoder
from robustdr.retrieval.settings import EmbedSettings

CHUNK = 65536  # passages in memory at once
Vectors = TypeVar("Vectors")  # vectors of a shard: an array, or an index


def shard_bounds(passages: int, shard: int, shards: int) -> tuple[int, int]:
    """Start and end (exclusive) of one shard in the corpus; the sizes of shards differ by at most one."""
    return passages * shard // shards, passages * (shard + 1) // shards


def encode_passages(
    encoder: Encoder, passages: Iterator[tuple[str, str]], length: int
) -> Iterator[tuple[np.ndarray, list[str]]]:
    """Encode (docid, text) pairs; yields chunks of (vectors [n, dimension], docids).

    Raises:
        UserError: a vector is not finite (names the passage).
    """
    while chunk := list(islice(passages, CHUNK)):
        docids = [docid for docid, _ in chunk]
        vectors = encoder.encode([text for _, text in chunk], length, progress="passages")
        broken = ~np.isfinite(vectors).all(axis=1)
        if broken.any():
            raise UserError(
                f"the vector of passage {docids[int(broken.argmax())]!r} is not finite; train the model again"
            )
        yield vectors, docids


def write_embeddings(
    settings: EmbedSettings, model: Path, corpus: Path, passages: int, shard: int, shards: int, output: Path
) -> None:
    """Encode one shard of a corpus; memory does not grow with the corpus.

    Args:
        model: sentence-transformers directory. corpus: corpus.jsonl with `passages` lines.
        shard: number of the shard, from 0; shards: number of shards.
        output: the .npy file, [passages of the shard, dimension]; `output` with suffix .ids gets the docids.

    Raises:
        UserError: see `encode_passages`.
    """
    hardware.start(settings.threads)
    encoder = Encoder(model, settings.precision, route=DOCUMENT)
    first, last = shard_bounds(passages, shard, shards)
    texts = ((passage.docid, passage.joined(encoder.separator)) for passage in Corpus(corpus).span(first, last))
    ids: list[str] = []
    with atomic(output) as temporary:
        vectors = np.lib.format.open_memmap(temporary, "w+", settings.stored, (last - first, encoder.dimension))
        # Reserve the space now: with a full disk this raises an error; writing to the mapping would be a bus error.
        with open(temporary, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, os.path.getsize(temporary))
        for encoded, docids in encode_passages(encoder, texts, settings.passage_length):
            vectors[len(ids) : len(ids) + len(docids)] = encoded
            ids += docids
        vectors.flush()
        del vectors
        write_text(output.with_suffix(".ids"), "".join(f"{docid}\n" for docid in ids))


def read_embeddings(path: Path) -> tuple[np.ndarray, list[str]]:
    """(memory-mapped vectors [n, dimension], docids) of one shard.

    Raises:
        UserError: the file is damaged, or vectors and docids differ in number.
    """
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise UserError(f"{path}: damaged embeddings ({error}); delete the file and run again") from error
    ids = [docid for _, docid in read_lines(path.with_suffix(".ids"))]
    if len(ids) != len(vectors):
        raise UserError(f"{path}: {len(vectors)} vectors but {len(ids)} docids; delete both files and run again")
    return vectors, ids


def iterate(
    shards: Iterable[Path], corpus: Corpus, read_shard: Callable[[Path], tuple[Vectors, list[str]]]
) -> Iterator[tuple[Vectors, list[str]]]:
    """Yield (vectors, docids) of each shard of a corpus, in its order.

    Args:
        read_shard: reads a shard and its docids: `read_embeddings`, or `compressed.read_index` with its settings.

    Raises:
        UserError: a shard is missing, damaged or not of the next rows; see also `read_shard`.
    """
    start = 0
    for path in shards:
        vectors, ids = read_shard(path)
        if not corpus.docids[start : start + len(ids)].equals(pa.chunked_array([ids], pa.large_string())):
            raise UserError(
                f"{path}: its {len(ids)} vectors are not those of {corpus.path} from row {start} on: an earlier shard "
                "is missing, or this one is of another corpus; run again with all shards"
            )
        start += len(ids)
        yield vectors, ids
    if start < len(corpus):
        raise UserError(f"{corpus.path}: {start} of {len(corpus)} passages have vectors; the last shards are missing")


class PassageVectors:
    """Vectors of a corpus, read by row; the shards come in the order of the corpus, see `iterate`."""

    def __init__(self, shards: Iterable[Path], corpus: Corpus):
        self.vectors, self.ends = [], [0]
        for vectors, _ in iterate(shards, corpus, read_embeddings):
            self.vectors.append(vectors)
            self.ends.append(self.ends[-1] + len(vectors))

    def __getitem__(self, rows: list[int]) -> np.ndarray:
        """Vectors of these rows, [rows, dimension], float32."""
        shards = (np.searchsorted(self.ends, rows, side="right") - 1).tolist()
        vectors = [self.vectors[shard][row - self.ends[shard]] for shard, row in zip(shards, rows, strict=True)]
        return np.stack(vectors).astype(np.float32)
