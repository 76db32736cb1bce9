"""Near-duplicates: what another split has too, but for a few words."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from robustdr.core.words import CHARACTERS

WORD = re.compile(CHARACTERS)
Run = tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation; the text itself if it has none."""
    return WORD.findall(text.lower()) or [text]


def runs(text: str) -> set[Run]:
    """Return the runs of three words of a text; a shorter text is one run."""
    text_words = words(text)
    return set(zip(text_words, text_words[1:], text_words[2:], strict=False)) or {tuple(text_words)}


def same_words(texts: Iterable[str], reference_texts: Iterable[str]) -> int:
    """Return how many of the `texts` have the same set of words as one of the others."""
    sets = {frozenset(words(text)) for text in reference_texts}
    return sum(frozenset(words(text)) in sets for text in texts)


def count_near_duplicates(groups: Mapping[str, Sequence[str]], reference_texts: Iterable[str]) -> dict[str, int]:
    """Return how many texts of each group share four fifths of their runs of three words, or more, with an other text.

    Shared runs are counted against the runs of both texts together (Jaccard). All such pairs are found: a text lacks at
    most a fifth of its runs in the other one. So of any runs that are more than a fifth, the other one has one.
    The rarest runs of each text are looked up.
    """
    texts = {text: runs(text) for group in groups.values() for text in group}
    frequency = Counter(run for text_runs in texts.values() for run in text_runs)
    having: dict[Run, list[str]] = defaultdict(list)
    for text, text_runs in texts.items():
        for run in sorted(text_runs, key=frequency.__getitem__)[: len(text_runs) // 5 + 1]:
            having[run].append(text)
    looked_up, duplicates = set(having), set[str]()
    for reference_runs in map(runs, reference_texts):
        for text in {text for run in reference_runs & looked_up for text in having[run]} - duplicates:
            shared = len(texts[text] & reference_runs)
            if 5 * shared >= 4 * (len(texts[text]) + len(reference_runs) - shared):
                duplicates.add(text)
    return {name: sum(text in duplicates for text in group) for name, group in groups.items()}
