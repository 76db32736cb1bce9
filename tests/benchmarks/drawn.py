"""Texts that are drawn, in the lengths of MS MARCO's, and files of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.collections.rows import rows_of, write_rows

WORDS, SPREAD = 56, 6  # of a passage on average, and the shape of the lengths' gamma distribution: as MS MARCO's
COMPOUND = 0.2  # share of the words that the vocabulary does not hold: two words in one


def draw(tokenizer: Any, count: int, words: float, seed: int) -> list[str]:
    """Texts of words of the vocabulary: a word's frequency is in inverse proportion to its rank."""
    rng = np.random.default_rng(seed)
    ranked = sorted(tokenizer.get_vocab().items(), key=lambda piece: piece[1])
    known = np.array([word for word, _ in ranked if word.isascii() and word.isalpha()], object)

    def drawn(number: int) -> np.ndarray:
        return known[(len(known) ** rng.random(number)).astype(int) - 1]

    lengths = rng.gamma(SPREAD, words / SPREAD, count).astype(int) + 1
    first, second = drawn(lengths.sum()), drawn(lengths.sum())
    chosen = np.where(rng.random(len(first)) < COMPOUND, first + second, first)
    return [" ".join(of) for of in np.split(chosen, lengths.cumsum()[:-1])]


def write_examples(folder: Path, tokenizer: Any, queries: int, passages: int) -> tuple[list[str], list[list[str]]]:
    """Write data.jsonl and corpus.jsonl with its index: queries, and so many passages for each."""
    asked, texts = draw(tokenizer, queries, 6, 2), draw(tokenizer, queries * passages, WORDS, 3)
    of = [texts[first : first + passages] for first in range(0, len(texts), passages)]
    with open(folder / "data.jsonl", "w") as data, open(folder / "corpus.jsonl", "w") as corpus:
        for number, (query, mine) in enumerate(zip(asked, of, strict=True)):
            names = {str(number * passages + row): number * passages + row for row in range(passages)}
            for docid, text in zip(names, mine, strict=True):
                corpus.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
            positive, *negatives = names.items()
            line = {"query_id": str(number), "query": query, "positive_passages": dict([positive])}
            data.write(json.dumps({**line, "negative_passages": dict(negatives)}) + "\n")
    write_rows(folder / "corpus.jsonl", rows_of(folder / "corpus.jsonl"))
    return asked, of
