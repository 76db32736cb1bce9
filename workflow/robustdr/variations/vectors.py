"""A word's nearest neighbours among frequent words, by the packaged GloVe vectors or a file of vectors."""

from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from robustdr.encoding.wordvectors import read_glove, read_text
from robustdr.variations import lexicon


class Vectors:
    """The neighbours of a word by cosine.

    Candidates are those of the first `size` words that have at least three letters and are in WordNet. A neighbour
    shares a part of speech, but no lemma, with the word.
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

    @cache
    def neighbours(self, word: str, count: int, cosine: float) -> list[str]:
        """At most `count` neighbours of the lower-case `word` with at least this cosine, nearest first."""
        row, lemmas = self._row.get(word), _lemmas(word)
        if row is None or not lemmas:
            return []
        vector = np.asarray(self._vectors[row])
        similarity = self._candidates @ (vector / np.linalg.norm(vector))
        candidates = np.flatnonzero((similarity >= cosine) & (self._speech & _speech(word) > 0))
        ordered = candidates[np.lexsort((candidates, -similarity[candidates]))]
        neighbours = (self._words[row] for row in ordered)
        return list(islice((neighbour for neighbour in neighbours if lemmas.isdisjoint(_lemmas(neighbour))), count))


def _lemmas(word: str) -> set[str]:
    return {lemma for lemma, _ in lexicon.lemmas(word)}


def _speech(word: str) -> int:
    """The parts of speech of a word as bits."""
    return sum(1 << "nvar".index(letter) for letter in {letter for _, letter in lexicon.lemmas(word)})


@cache
def load(size: int, path: str = "", digest: str = "") -> Vectors:
    """The packaged GloVe vectors, or those of the text file `path` with this `digest`; read once."""
    words, vectors = read_text(Path(path), digest, 400_000) if path else read_glove()
    return Vectors(words, vectors, size)
