"""What a word is, for texts of any language: letters and digits with the marks that belong to them.

Python's `\\w` has no marks: without them हिन्दी would be three words, and so would be a name whose accents stand
apart. Where a text has no marks, the patterns are those of `\\w`.
"""

import re
from itertools import chain
from unicodedata import category, is_normalized, normalize

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\uff07", "'"))
_JOINERS = "\u200c\u200d"  # between letters of a word, as in Persian and Indic scripts


def _marks() -> str:
    """Return all marks and joiners as the inside of a character class."""
    planes = chain(range(0x300, 0x20000), range(0xE0100, 0xE01F0))  # that have marks
    ranges: list[list[int]] = []
    for code in planes:
        if category(chr(code))[0] != "M":
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return _JOINERS + "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


MARKS = _marks()
# Letters and digits with their marks, and the same with underscores.
LETTERS = rf"[^\W_]+(?:[{MARKS}]+[^\W_]*)*"
CHARACTERS = rf"\w[\w{MARKS}]*"
# Whatever stands between words.
BETWEEN = rf"(?:^|[^\w{MARKS}])\W*"


_CHARACTER = re.compile(rf".[{MARKS}]*", re.DOTALL)


def characters(word: str) -> list[str]:
    """Return the characters of a word, each with its combining marks."""
    return _CHARACTER.findall(word)


def composed(text: str) -> str:
    """Return a text in Unicode's composed form (NFC), in which equal letters are equal characters."""
    return text if is_normalized("NFC", text) else normalize("NFC", text)


def composed_if(text: str, original: str) -> str:
    """Return a text in the composed form if the original is in it; else the text."""
    return composed(text) if is_normalized("NFC", original) else text


def folded(word: str) -> str:
    """Return a word as lists of words have it: lower case, with straight apostrophes."""
    return word.lower().translate(_APOSTROPHES)
