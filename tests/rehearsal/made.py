"""A collection of MS MARCO's size, drawn: passages and queries from a Zipf vocabulary, vectors of low rank, rankings.

Words and ids have one width each, so that blocks of texts and of rankings are arrays of bytes. Each block is a function
of its place alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.common import write_base, write_bert
from robustdr.retrieval.best import docids_by_row
from robustdr.retrieval.runs import Run, write_run

PASSAGES, QUERIES, LOGGED = 8_841_823, 502_939, 1_000_000
MINED, SEARCHED = 20_000, 500
PASSAGE_WORDS, QUERY_WORDS = 56, 6  # on average, as in MS MARCO
SPREAD = 6  # shape of the lengths' gamma distribution: its deviation is 0.41 of its mean
VOCABULARY, LETTERS = 2_000_000, 5
LAYERS, DIMENSION, RANK = 2, 768, 64
BLOCK = 50_000
FIRST = 1_000_000  # of ids: all have seven digits
STRIDE = 7919  # between the passages of a ranking


def vocabulary() -> np.ndarray:
    """Words by rank, each with a space behind it: S6. Neighbours in rank are none in the alphabet."""
    codes = np.arange(VOCABULARY) * 7_654_321 % 26**LETTERS
    letters = [codes // 26**place % 26 + ord("a") for place in range(LETTERS)]
    return np.stack([*letters, np.full(VOCABULARY, ord(" "))], axis=1).astype(np.uint8).view(f"S{LETTERS + 1}")[:, 0]


def ids(first: int, last: int) -> np.ndarray:
    """The ids of some rows: S7."""
    return np.arange(FIRST + first, FIRST + last).astype("S7")


def blocks(first: int, last: int) -> Iterator[tuple[range, np.random.Generator]]:
    """Some rows block by block, and what draws each."""
    for start in range(first, last, BLOCK):
        yield range(start, min(start + BLOCK, last)), np.random.default_rng([start, last])


def write_texts(path: Path, count: int, mean: int) -> None:
    """`id<TAB>text` lines: lengths around `mean`, the frequency of a word in inverse proportion to its rank."""
    words = vocabulary()
    with open(path, "wb") as file:
        for rows, rng in blocks(0, count):
            lengths = rng.gamma(SPREAD, mean / SPREAD, len(rows)).astype(int) + 1
            ranks = VOCABULARY ** rng.random(lengths.sum(), dtype=np.float32)
            drawn, ends = words[ranks.astype(np.int32) - 1].tobytes(), (lengths.cumsum() * (LETTERS + 1)).tolist()
            starts = [0, *ends[:-1]]
            file.writelines(
                b"%d\t%b\n" % (FIRST + row, drawn[start : end - 1])
                for row, start, end in zip(rows, starts, ends, strict=True)
            )


def write_qrels(path: Path, queries: int, passages: int) -> None:
    """One relevant passage for every query."""
    with open(path, "w", encoding="ascii") as file:
        for rows, rng in blocks(0, queries):
            of = FIRST + rng.integers(passages, size=len(rows))
            file.writelines(f"{FIRST + row} 0 {docid} 1\n" for row, docid in zip(rows, of.tolist(), strict=True))


def write_vectors(paths: Sequence[Path], passages: int) -> None:
    """The vectors of the passages in shards, and their ids beside them."""
    from robustdr.retrieval.embeddings import shard_bounds  # slow to import, and not needed by all

    for shard, path in enumerate(paths):
        write_shard(path, *shard_bounds(passages, shard, len(paths)))


def write_shard(path: Path, first: int, last: int) -> None:
    """The vectors of passages `first` to `last`, [passages, DIMENSION] in half precision, in a basis of RANK."""
    basis = np.random.default_rng(0).standard_normal((RANK, DIMENSION), dtype=np.float32) / RANK
    with open(path, "wb") as file:
        about = {"descr": "<f2", "fortran_order": False, "shape": (last - first, DIMENSION)}
        np.lib.format.write_array_header_1_0(file, about)
        for rows, rng in blocks(first, last):
            drawn = rng.standard_normal((len(rows), RANK), dtype=np.float32)
            (drawn @ basis).astype(np.float16).tofile(file)
    path.with_suffix(".ids").write_bytes(b"\n".join([*ids(first, last).tolist(), b""]))


def write_rankings(path: Path, queries: int, passages: int, depth: int) -> None:
    """A run in arrays, `depth` passages for every query from anywhere in the collection."""
    first = np.random.default_rng(depth).integers(passages, size=(queries, 1), dtype=np.int32)
    rows = (first + STRIDE * np.arange(depth, dtype=np.int32)) % passages
    scores = np.broadcast_to(np.linspace(40, 36, depth, dtype=np.float32), rows.shape)
    qids = {str(qid): line for line, qid in enumerate(ids(0, queries).astype(int))}
    write_run(path, Run(qids, docids_by_row(ids(0, passages).astype(str)), rows, scores), {"tag": "drawn"})


def write_inputs(folder: Path, passages: int, splits: Mapping[str, int]) -> None:
    """What the collections are read from, splits with so many queries each, and an encoder with drawn weights."""
    with TemporaryDirectory() as mini:
        write_base(Path(mini))
        (folder / "base").mkdir(parents=True)
        write_bert(Path(mini), folder / "base", LAYERS)
    write_texts(folder / "passages.tsv", passages, PASSAGE_WORDS)
    for split, queries in splits.items():
        write_texts(folder / f"{split}.tsv", queries, QUERY_WORDS)
        write_qrels(folder / f"{split}.qrels", queries, passages)
