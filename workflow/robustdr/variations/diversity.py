"""Similarity and diversity of rewordings beside their questions (intent, Tables 2 and 3), and what they change."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from robustdr.variations import lexicon
from robustdr.variations.base import Variation, plain
from robustdr.variations.slips import slips
from robustdr.variations.statistics import Encode, jaccard, levenshtein

Rewordings = Sequence[tuple[str, Sequence[str]]]  # questions, each with its rewordings

CHANGES = ("none", "spelling", "order", "stop words", "words lost", "words added", "some replaced", "all replaced")
MEASURES = ("similarity", "Jaccard", "Levenshtein", "characters", "words kept", *CHANGES)
SEEDS = (1, 2)  # of the variations of a generator


def content(text: str) -> set[str]:
    """The words of a text that are no stop words, in lower case."""
    return set(plain(text).split()) - lexicon.stopwords()


def change(question: str, reworded: str) -> str:
    """What a rewording changes, one of `CHANGES`; what comes first there is asked first.

    none: case and punctuation at most. spelling: each changed word has one slip. order: the same words. Of the words
    that are no stop words, the others keep all; keep some and add none; keep all and add some; keep some; keep none.
    """
    question, reworded = plain(question), plain(reworded)
    if question == reworded:
        return "none"
    before, after = Counter(question.split()), Counter(reworded.split())
    wrong = slips(question, reworded)
    of_one_word = len(wrong) == (before - after).total() == (after - before).total()
    if wrong and of_one_word and all(slip.kind not in ("space", "several") for slip in wrong):
        return "spelling"
    if before == after:
        return "order"
    question_words, reworded_words = content(question), content(reworded)
    if question_words == reworded_words:
        return "stop words"
    if reworded_words < question_words and reworded_words:
        return "words lost"
    if question_words < reworded_words:
        return "words added"
    return "some replaced" if question_words & reworded_words else "all replaced"


def measure(questions: Rewordings, encode: Encode | None = None) -> dict[str, tuple[float, float]]:
    """The mean of each of `MEASURES` over the questions, and half of its 95 % interval.

    Several rewordings of a question count as their mean. Similarity: the cosine; without `encode` there is none.
    Jaccard: of the sets of words, as intent splits them. words kept: the share of the question's words that are no stop
    words. The others are the shares of rewordings that change this.

    Args:
        encode: texts -> vectors, [texts, dimension].
    """
    pairs = [(question, text) for question, varied in questions for text in varied]
    rows = []
    for question, text in pairs:
        question_words, text_words = content(question), content(text)
        share_kept = len(question_words & text_words) / len(question_words) if question_words else 1.0
        changes = [float(change(question, text) == name) for name in CHANGES]
        rows.append([jaccard(question, text), levenshtein(question, text), len(text), share_kept, *changes])
    values = np.array(rows, dtype=float)
    if encode:
        places = {text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        vectors = np.asarray(encode(list(places)), dtype=float)
        first, second = (vectors[[places[pair[side]] for pair in pairs]] for side in (0, 1))
        cosines = (first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
        values = np.column_stack([cosines, values])
    ends = np.cumsum([len(varied) for _, varied in questions])
    means = np.array([part.mean(0) for part in np.split(values, ends[:-1])])
    half = 1.96 * means.std(0, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else np.full(means.shape[1], np.nan)
    return dict(
        zip(MEASURES[0 if encode else 1 :], zip(means.mean(0).tolist(), half.tolist(), strict=True), strict=True)
    )


def reworded(variation: Variation, questions: Sequence[str]) -> Rewordings:
    """The questions with their variations, one for each of `SEEDS`."""
    texts = {str(number): question for number, question in enumerate(questions)}
    varied = [dict(variation.vary(texts.items(), seed)) for seed in SEEDS]
    return [(question, [of_seed[qid] for of_seed in varied]) for qid, question in texts.items()]
