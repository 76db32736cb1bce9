"""Slips of spelling that sound alike."""

import re
from dataclasses import dataclass

from robustdr.core.words import folded
from robustdr.variations import lexicon
from robustdr.variations.base import WORD, Draw, Variation, splice

# A spelling, as a pattern inside a lower-case word, and another one that sounds like it.
SOUNDS_ALIKE = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"ph", "f"),
        (r"ck", "k"),
        (r"ie(?!$)", "ei"),
        (r"ei", "ie"),
        (r"ee", "ea"),
        (r"ea", "ee"),
        (r"oo", "u"),
        (r"ai", "a"),
        (r"tion", "sion"),
        (r"(?<=s)sion", "tion"),
        (r"able$", "ible"),
        (r"ible$", "able"),
        (r"ance$", "ence"),
        (r"ence$", "ance"),
        (r"ant$", "ent"),
        (r"ent$", "ant"),
        (r"(?<=[a-z]{2})er$", "or"),
        (r"(?<=[a-z]{2})or$", "er"),
        (r"(?<=[a-z]{2})al$", "le"),
        (r"^kn", "n"),
        (r"^wr", "r"),
        (r"^wh", "w"),
        (r"^ps", "s"),
        (r"mb$", "m"),
        (r"gh(?=t)", ""),
        (r"sc(?=[eiy])", "s"),
        (r"(?<!s)c(?=[eiy])", "s"),
        (r"c(?=[aou])", "k"),
        (r"(?<=[a-z])x", "ks"),
        (r"qu", "kw"),
        (r"(?<=[aeiou])z(?=[aeiou])", "s"),
        (r"([bdfglmnprt])\1", r"\1"),  # a double consonant
        (r"(?<=[aeiou])([lmnprt])(?=[aeiou])", r"\1\1"),  # a single one
    )
)


@dataclass(frozen=True)
class PhoneticSlip(Variation):
    """One random word is spelled as it sounds: one of its letters or groups of letters by others of the same sound.

    Words as in `typo`: at least three letters, not in NLTK's list of stopwords.

    >>> PhoneticSlip().rewrite("the Phone number", Draw(bytes([0])))  # the first word in random order, its first slip
    'the Fone number'
    """

    name = "phonetic_slip"
    category = "misspelling"
    papers = ()
    needs = lexicon.NLTK
    packages = (lexicon.STOPWORDS,)

    def rewrite(self, text: str, draw: Draw) -> str:
        words = [
            word for word in WORD.finditer(text) if len(word[0]) > 2 and folded(word[0]) not in lexicon.stopwords()
        ]
        for word in draw.shuffled(words):
            if slips := _slips(word[0]):
                return splice(text, *word.span(), draw.choice(draw.choice(slips)))
        return text


def _slips(word: str) -> list[list[str]]:
    """The spellings of a word with one group of letters replaced, by kind of slip; a capital at its start stays."""
    lower = word.lower()
    if len(lower) != len(word):
        return []
    by_kind = []
    for pattern, spelling in SOUNDS_ALIKE:
        slips = [splice(word, *match.span(), match.expand(spelling)) for match in pattern.finditer(lower)]
        by_kind.append([slip[:1].upper() + slip[1:] if word[0].isupper() else slip for slip in slips])
    return [slips for slips in by_kind if slips]
