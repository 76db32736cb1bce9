"""Statistics of the differences between varied and original queries."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from robustdr.core.words import MARKS

Tokenize = Callable[[str], list[int]]
Statistics = dict[str, float | dict[str, float] | None]
Encode = Callable[[list[str]], np.ndarray]  # texts -> one vector each

_NEUTRAL = re.compile(rf"(?:^|[^\w{MARKS}]|_)[\W_]*")
_MEANS = ("characters_edited", "word_jaccard", "characters", "words")


def levenshtein(original: str, varied: str) -> int:
    """The smallest number of inserted, deleted and substituted characters that turns `original` into `varied`.

    Hyyrö's bit-parallel form of Myers' algorithm (2003): two integers hold one column of the table, a bit per row.
    """
    if not original:
        return len(varied)
    places: dict[str, int] = {}
    for position, character in enumerate(original):
        places[character] = places.get(character, 0) | 1 << position
    rows, last = (1 << len(original)) - 1, 1 << len(original) - 1
    rises, falls, distance = rows, 0, len(original)
    for character in varied:
        equal = places.get(character, 0) | falls
        diagonal = ((equal & rises) + rises ^ rises) | equal
        up, down = falls | ~(diagonal | rises) & rows, rises & diagonal
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        rises, falls = (down << 1 | ~(diagonal | up)) & rows, up & diagonal
    return distance


def jaccard(original: str, varied: str) -> float:
    """The Jaccard similarity of the sets of lower-case words (intent, Table 3); 1 if both are empty."""
    first, second = set(original.lower().split()), set(varied.lower().split())
    return len(first & second) / len(first | second) if first | second else 1.0


def neutral(text: str) -> str:
    """The text in lower case, without punctuation."""
    return _NEUTRAL.sub(" ", text.lower()).strip()


def cosine(first: np.ndarray, second: np.ndarray) -> float:
    """The sum of the cosine similarities of matching rows: [n, d], [n, d] -> number."""
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return float(np.sum(np.einsum("ij,ij->i", first, second, dtype=np.float64) / norms))


def tally(
    pairs: Iterable[tuple[str, str]], tokenizer: Tokenize | None = None, encoders: Mapping[str, Encode] | None = None
) -> dict[str, float]:
    """Counts and sums over (original, varied) texts; the results for parts of a set add up to the whole set's.

    Args:
        tokenizer: from text to token ids, of the model that reads the queries; if None, nothing is counted with it.
        encoders: embedding models by name, for the semantic similarity (intent, Table 2).
    """
    pairs = list(pairs)
    different = [(original, changed) for original, changed in pairs if original != changed]
    totals: dict[str, float] = {
        "queries": len(pairs),
        "unchanged": len(pairs) - len(different),
        "changed": len(different),
        "changed_in_case_alone": sum(original.lower() == changed.lower() for original, changed in different),
        "changed_ignoring_case_and_punctuation": sum(
            neutral(original) != neutral(changed) for original, changed in different
        ),
        "characters_edited": sum(levenshtein(original, changed) for original, changed in different),
        "word_jaccard": sum(jaccard(original, text) for original, text in pairs),
        "characters": sum(len(text) for _, text in pairs),
        "words": sum(len(text.split()) for _, text in pairs),
    }
    if tokenizer:
        totals["changed_after_tokenising"] = sum(
            tokenizer(original) != tokenizer(changed) for original, changed in different
        )
    for name, encode in (encoders or {}).items():
        similar = (
            cosine(encode([original for original, _ in different]), encode([changed for _, changed in different]))
            if different
            else 0
        )
        totals[f"similarity {name}"] = similar + len(pairs) - len(different)
    return totals


def count_lost(originals: Mapping[str, str], varied: Mapping[str, str]) -> int:
    """The number of queries whose variation keeps none of their uncommon words: it asks another question.

    An uncommon word occurs in at most one query in a hundred, or in only one query.
    """
    counts = Counter(word for text in originals.values() for word in set(neutral(text).split()))
    common = {word for word, count in counts.items() if count > max(1, len(originals) / 100)}
    uncommon = ((qid, set(neutral(text).split()) - common) for qid, text in originals.items())
    return sum(bool(words) and not words.intersection(neutral(varied[qid]).split()) for qid, words in uncommon)


def describe(totals: Mapping[str, float]) -> Statistics:
    """The statistics of a query set from its totals: those of `tally`, and `lost` (see `count_lost`).

    Returns:
        Counts: queries, unchanged (the rule did not apply), changed, changed queries that differ in case alone, those
        that still differ if case and punctuation are ignored, or after tokenising (None without a tokenizer), and lost.
        Means over all queries: characters_edited (Levenshtein distance), word_jaccard (similarity of the word sets),
        characters and words of the varied query, and semantic_similarity (cosine) by encoder.
    """
    count = max(totals["queries"], 1)
    means: Statistics = {key: value for key, value in totals.items() if key not in _MEANS and " " not in key}
    means.setdefault("changed_after_tokenising", None)
    means |= {key: totals[key] / count for key in _MEANS}
    similar = {key.partition(" ")[2]: value / count for key, value in totals.items() if " " in key}
    return means | {"semantic_similarity": similar} if similar else means
