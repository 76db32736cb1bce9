"""Edits of one character of one word, shared by every generator of misspellings.

An edit takes a word of at least one character and the random choices of its query; it returns the changed word, or None
where it does not apply. The result differs from the word in more than case.
"""

import string
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from robustdr.variations.base import Draw

Edit = Callable[[str, Draw], str | None]

_KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")  # the rows of a QWERTY keyboard
# Characters that optical recognition takes for each other.
_CONFUSED = ("0oqd", "1li", "2z", "5s", "6bg", "8b", "9gq", "4a", "7t", "ce", "uv", "vy", "hb", "nm", "rn", "fp", "ij")


def _linked(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Character -> the characters linked with it, in both directions."""
    links: dict[str, set[str]] = {}
    for one, two in pairs:
        links.setdefault(one, set()).add(two)
        links.setdefault(two, set()).add(one)
    return {character: "".join(sorted(others)) for character, others in links.items()}


def _touching() -> Iterable[tuple[str, str]]:
    """Keys side by side, and keys next to each other from one row to the next, which is shifted by about half a key."""
    for row in _KEYS:
        yield from pairwise(row)
    for upper, lower, reach in zip(_KEYS, _KEYS[1:], ((0, 1), (-1, 0, 1), (0, 1)), strict=False):
        for at, key in enumerate(lower):
            yield from ((key, upper[at + step]) for step in reach if 0 <= at + step < len(upper))


TOUCHING = _linked(_touching())
TOUCHING_LETTERS = {key: "".join(filter(str.isalpha, others)) for key, others in TOUCHING.items() if key.isalpha()}
CONFUSED = _linked((one, two) for group in _CONFUSED for one in group for two in group if one < two)


def insert(word: str, draw: Draw) -> str:
    """A random letter a-z comes in before a random character."""
    at = draw.below(len(word))
    return word[:at] + draw.choice(string.ascii_lowercase) + word[at:]


def delete(word: str, draw: Draw) -> str | None:
    """A random character goes; None for a word of one."""
    at = draw.below(len(word))
    return word[:at] + word[at + 1 :] or None


def substitute_from(letters: str) -> Edit:
    """An edit that turns a random character into another one of `letters`."""

    def substitute(word: str, draw: Draw) -> str:
        at = draw.below(len(word))
        old = word[at].lower()
        return word[:at] + draw.choice([new for new in letters if new.lower() != old]) + word[at + 1 :]

    return substitute


def swap_neighbours(word: str, draw: Draw) -> str | None:
    """Two characters side by side change places; None when no two differ in more than case."""
    places = [at for at, (one, two) in enumerate(pairwise(word)) if one != two and one.lower() != two.lower()]
    if not places:
        return None
    at = draw.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def replace_from(table: Mapping[str, str]) -> Edit:
    """An edit that turns a random character that `table` knows into one of those it lists, in the same case."""

    def replace(word: str, draw: Draw) -> str | None:
        places = [at for at, character in enumerate(word) if character.lower() in table]
        if not places:
            return None
        at = draw.choice(places)
        new = draw.choice(table[word[at].lower()])
        return word[:at] + (new.upper() if word[at].isupper() else new) + word[at + 1 :]

    return replace


def one_of(*edits: Edit) -> Edit:
    """An edit that makes one of `edits`, uniform; where that one does not apply, another."""

    def edit(word: str, draw: Draw) -> str | None:
        return next((wrong for one in draw.shuffled(edits) if (wrong := one(word, draw)) is not None), None)

    return edit


substitute = substitute_from(string.ascii_lowercase)
touch_letter = replace_from(TOUCHING_LETTERS)
touch_key = replace_from(TOUCHING)
confuse = replace_from(CONFUSED)
FIVE = (insert, delete, substitute, swap_neighbours, touch_letter)  # of Zhuang & Zuccon
