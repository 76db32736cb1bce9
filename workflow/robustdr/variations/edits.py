"""Edits of one character in one word, for all generators of misspellings.

An edit takes a non-empty word and the random choices of its query. It returns the changed word, or None if it does not
apply. The result differs from the word in more than case.
"""

import string
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from robustdr.variations.base import Draw

Edit = Callable[[str, Draw], str | None]

_SHIFTED = dict(zip("1234567890", "!@#$%^&*()", strict=True))  # what digits' keys give with the shift key
_KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")  # the rows of a QWERTY keyboard
# Groups of characters that optical recognition confuses with each other.
_CONFUSED = ("0oqd", "1li", "2z", "5s", "6bg", "8b", "9gq", "4a", "7t", "ce", "uv", "vy", "hb", "nm", "rn", "fp", "ij")


def _linked(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each character to the characters linked with it, in both directions."""
    links: dict[str, set[str]] = {}
    for one, two in pairs:
        links.setdefault(one, set()).add(two)
        links.setdefault(two, set()).add(one)
    return {character: "".join(sorted(others)) for character, others in links.items()}


def _touching() -> Iterable[tuple[str, str]]:
    """Pairs of neighbouring keys, in one row or in two rows; each row is shifted by about half a key."""
    for row in _KEYS:
        yield from pairwise(row)
    for upper, lower, reach in zip(_KEYS, _KEYS[1:], ((0, 1), (-1, 0, 1), (0, 1)), strict=False):
        for at, key in enumerate(lower):
            yield from ((key, upper[at + step]) for step in reach if 0 <= at + step < len(upper))


TOUCHING = _linked(_touching())
TOUCHING_LETTERS = {key: "".join(filter(str.isalpha, others)) for key, others in TOUCHING.items() if key.isalpha()}
TOUCHING_SHIFTED = {
    key: others + "".join(_SHIFTED.get(other, other.upper()) for other in others) for key, others in TOUCHING.items()
}
CONFUSED = _linked((one, two) for group in _CONFUSED for one in group for two in group if one < two)


def insert(word: str, draw: Draw) -> str:
    """Insert a random letter a-z before a random character."""
    at = draw.below(len(word))
    return word[:at] + draw.choice(string.ascii_lowercase) + word[at:]


def delete(word: str, draw: Draw) -> str | None:
    """Delete a random character; None for a word of one character."""
    at = draw.below(len(word))
    return word[:at] + word[at + 1 :] or None


def substitute_from(letters: str) -> Edit:
    """An edit that replaces a random character by another one of `letters`."""

    def substitute(word: str, draw: Draw) -> str:
        at = draw.below(len(word))
        old = word[at].lower()
        return word[:at] + draw.choice([new for new in letters if new.lower() != old]) + word[at + 1 :]

    return substitute


def swap_neighbours(word: str, draw: Draw) -> str | None:
    """Swap two neighbouring characters that differ in more than case; None if there are none."""
    places = [at for at, (one, two) in enumerate(pairwise(word)) if one != two and one.lower() != two.lower()]
    if not places:
        return None
    at = draw.choice(places)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def replace_from(table: Mapping[str, str]) -> Edit:
    """An edit that replaces a random character in `table` by one of its entries, in the same case; None if none is."""

    def replace(word: str, draw: Draw) -> str | None:
        places = [at for at, character in enumerate(word) if character.lower() in table]
        if not places:
            return None
        at = draw.choice(places)
        new = draw.choice(table[word[at].lower()])
        return word[:at] + (new.upper() if word[at].isupper() else new) + word[at + 1 :]

    return replace


def one_of(*edits: Edit) -> Edit:
    """An edit that applies one of `edits`, drawn uniformly; if it does not apply, another one."""

    def edit(word: str, draw: Draw) -> str | None:
        return next((wrong for one in draw.shuffled(edits) if (wrong := one(word, draw)) is not None), None)

    return edit


substitute = substitute_from(string.ascii_lowercase)
touch_letter = replace_from(TOUCHING_LETTERS)
touch_key = replace_from(TOUCHING)
touch_shifted_key = replace_from(TOUCHING_SHIFTED)
confuse = replace_from(CONFUSED)
FIVE = (insert, delete, substitute, swap_neighbours, touch_letter)  # of Zhuang & Zuccon
