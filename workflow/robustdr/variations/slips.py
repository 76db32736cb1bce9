"""Slips: misspelled words by kind, letter, place and word, and how far those of a generator are from people's."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from robustdr import variations
from robustdr.core.markup import table_row
from robustdr.variations import edits, lexicon
from robustdr.variations.base import Variation, plain

TOKEN = re.compile(r"[^\s.,;:?!\"“”()/]+")
FEATURES: Mapping[str, Sequence[str]] = {
    "kind": ("insert", "delete", "substitute", "transpose", "space", "several"),
    "letter": ("double", "neighbour", "other"),
    "place": ("first", "inner", "last"),
    "length": ("1–3", "4–5", "6–7", "8–9", "10+"),
    "word": ("stop", "content"),
    "result": ("real", "nonword"),
    "count": ("1", "2", "3+"),
}
RESAMPLES = 2000  # of the bootstrap
DRAWS = 2000  # varied queries of a generator
VARIANTS = {"misspell": "released", "human_misspelling": "people", "human_misspelling_learned": "people"}


class Slip(NamedTuple):
    """A word that is written in another way. Each field has one of the values of `FEATURES`, or none.

    Attributes:
        kind: one character inserted, deleted or substituted; two neighbours transposed; a space lost, added or moved;
            or several of these.
        letter: of one inserted, deleted or substituted character. double: one of two equal characters in a row comes
            or goes. neighbour: the new character is on a key beside that of the old one, or of one beside it.
        place: of an edit of one or two characters: it touches the first character of the word, the last, or neither.
        length: characters of the right word. word: whether it is in NLTK's list of stop words.
        result: whether what is written is a word of SymSpell's dictionary.
    """

    kind: str
    letter: str | None
    place: str | None
    length: str
    word: str
    result: str


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return [word for token in TOKEN.findall(text.lower()) if (word := token.strip("'’-"))]


def slips(correct: str, wrong: str) -> list[Slip]:
    """The slips of a query, in its order; a word that only one of the two texts has is none.

    Wrong words side by side are one slip if they are more or fewer than the right ones.
    """
    correct_words, wrong_words = words(correct), words(wrong)
    query_slips: list[Slip] = []
    for change, start, end, begin, stop in SequenceMatcher(
        None, correct_words, wrong_words, autojunk=False
    ).get_opcodes():
        if (
            change == "replace"
            and end - start == stop - begin
            and "".join(correct_words[start:end]) != "".join(wrong_words[begin:stop])
        ):
            query_slips += map(slip, correct_words[start:end], wrong_words[begin:stop])
        elif change == "replace":
            query_slips.append(slip(" ".join(correct_words[start:end]), " ".join(wrong_words[begin:stop])))
    return query_slips


def common_prefix_length(first: str, second: str) -> int:
    """The length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def slip(correct: str, wrong: str) -> Slip:
    """The slip that turns a word, or words with blanks between them, into others."""
    start = common_prefix_length(correct, wrong)
    rest, wrong_rest = correct[start:], wrong[start:]
    suffix_length = common_prefix_length(rest[::-1], wrong_rest[::-1])
    old, new = rest[: len(rest) - suffix_length], wrong_rest[: len(wrong_rest) - suffix_length]
    before, after = correct[:start][-1:], rest[len(old) :][:1]
    letter = None
    if correct.replace(" ", "") == wrong.replace(" ", ""):
        kind = "space"
    elif len(old) == 2 and old == new[::-1]:
        kind = "transpose"
    elif len(old) > 1 or len(new) > 1:
        kind = "several"
    else:
        kind = "substitute" if old and new else "insert" if new else "delete"
        keys = "".join(edits.TOUCHING.get(key, "") for key in ([old] if old else [before, after]))
        double = kind != "substitute" and old + new == before
        letter = "double" if double else "neighbour" if new and new in keys else "other"
    place = None
    if kind not in ("space", "several"):
        place = "first" if not start else "last" if start + len(old) == len(correct) else "inner"
    return Slip(
        kind,
        letter,
        place,
        FEATURES["length"][min(max(len(correct) - 2, 0) // 2, 4)],
        "stop" if correct in lexicon.stopwords() else "content",
        "real" if lexicon.dictionary().issuperset(wrong.split()) else "nonword",
    )


def counts(queries: Iterable[Sequence[Slip]]) -> dict[str, np.ndarray]:
    """How often each value of each feature occurs, by feature: [queries with a slip, values]."""
    queries = [slips for slips in queries if slips]
    table = {
        feature: [
            [[getattr(query_slip, feature) for query_slip in slips].count(value) for value in values]
            for slips in queries
        ]
        for feature, values in FEATURES.items()
        if feature != "count"
    }
    table["count"] = [[min(len(slips), 3) == number for number in (1, 2, 3)] for slips in queries]
    return {
        feature: np.array(rows, dtype=float).reshape(len(queries), len(FEATURES[feature]))
        for feature, rows in table.items()
    }


def shares(counted: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The shares of the values of each feature, by feature: [values]; nan if the feature has none."""
    return {feature: _normed(table.sum(0)) for feature, table in counted.items()}


def _normed(totals: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return totals / totals.sum(-1, keepdims=True)


@cache
def drawn(size: int) -> np.ndarray:
    """How often each of `size` queries is drawn in each resample of the bootstrap: [resamples, queries]."""
    return np.random.default_rng(1).multinomial(size, np.full(size, 1 / size), size=RESAMPLES).astype(float)


def distance(people: np.ndarray, generator_shares: np.ndarray) -> tuple[float, float, float]:
    """Total variation between the shares of a feature, with a 95 % interval.

    The queries of people are drawn again (bootstrap); the others' shares stay.

    Args:
        people: counts, [queries, values]. generator_shares: [values].

    Returns:
        The distance, 0 to 1, and the ends of its interval; nan if one of the two has no value.
    """
    distances = np.abs(_normed(drawn(len(people)) @ people) - generator_shares).sum(-1) / 2
    low, high = np.quantile(
        distances[np.isfinite(distances)] if np.isfinite(distances).any() else np.nan, (0.025, 0.975)
    )
    return float(np.abs(_normed(people.sum(0)) - generator_shares).sum() / 2), float(low), float(high)


def generated(variation: Variation, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """The shares of the values of each feature in about `DRAWS` variations of these texts, by feature: [values]."""
    queries = {str(number): plain(text) for number, text in enumerate(texts)}
    varied = (pair for seed in range(-(-DRAWS // len(queries))) for pair in variation.vary(queries.items(), seed + 1))
    return shares(counts(slips(queries[qid], text) for qid, text in varied))


def generators() -> dict[str, Variation]:
    """The generators of misspellings, and their other variants, by the name in tables."""
    variations_by_name = {
        name: variations.create(name) for name in variations.names() if variations.kind(name).category == "misspelling"
    }
    for name, variant in VARIANTS.items():
        variations_by_name[f"{name}, {variant}"] = variations.create(name, {"variant": variant})
    return variations_by_name


def as_text(people: dict[str, np.ndarray], shares_of: Mapping[str, Mapping[str, np.ndarray]]) -> str:
    """Two Markdown tables: the shares of the values of each feature, and how far the others' are from people's.

    Args:
        people: counts, see `counts`. shares_of: shares by feature and by name, see `generated`.
    """
    people_shares = shares(people)
    head = [f"{feature}: {' · '.join(values)}" for feature, values in FEATURES.items()]
    lines = [table_row(["% of the slips", *head]), table_row(["---"] * (len(head) + 1))]
    for name, feature_shares in {"people": people_shares, **shares_of}.items():
        columns = [feature_shares[feature] for feature in FEATURES]
        cells = ["–" if np.isnan(c).any() else " · ".join(f"{100 * share:.0f}" for share in c) for c in columns]
        lines.append(table_row([name, *cells]))
    lines += ["", table_row(["distance from people", *FEATURES]), table_row(["---"] * (len(head) + 1))]
    for name, feature_shares in {"the same people, drawn again": people_shares, **shares_of}.items():
        distances = [distance(people[feature], feature_shares[feature]) for feature in FEATURES]
        cells = ["–" if np.isnan(m) else f"{m:.2f} ({low:.2f}–{high:.2f})" for m, low, high in distances]
        lines.append(table_row([name, *cells]))
    return "".join(f"{line}\n" for line in lines)
