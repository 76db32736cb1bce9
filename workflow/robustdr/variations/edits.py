"""Edits of one character in one word, for all generators of misspellings.

An edit takes a non-empty word and the random choices of its query. It returns the changed word, or None if it does not
apply. The result differs from the word in more than case. A character has its combining marks: an edit moves and
deletes them with it, and a letter that is replaced leaves them to the new one.
"""

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from robustdr.core.words import characters
from robustdr.variations.base import Draw

Edit = Callable[[str, Draw], str | None]

_SHIFTED = dict(zip("1234567890", "!@#$%^&*()", strict=True))  # what digits' keys give with the shift key
QWERTY = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")  # the rows of a keyboard
# Groups of characters that optical recognition confuses with each other.
_CONFUSED = ("0oqd", "1li", "2z", "5s", "6bg", "8b", "9gq", "4a", "7t", "ce", "uv", "vy", "hb", "nm", "rn", "fp", "ij")


def _linked(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each character to the characters linked with it, in both directions."""
    links: dict[str, set[str]] = {}
    for first, second in pairs:
        links.setdefault(first, set()).add(second)
        links.setdefault(second, set()).add(first)
    return {character: "".join(sorted(linked)) for character, linked in links.items()}


@cache
def touching(rows: Sequence[str]) -> dict[str, str]:
    """The keys that each key of a keyboard touches, in its row or in the next ones, shifted by about half a key."""
    pairs = [pair for row in rows for pair in pairwise(row)]
    for upper, lower, reach in zip(rows, rows[1:], ((0, 1), (-1, 0, 1), (0, 1)), strict=False):
        for position, key in enumerate(lower):
            pairs += [(key, upper[position + step]) for step in reach if 0 <= position + step < len(upper)]
    return _linked(pairs)


def _is_letter(key: str) -> bool:
    return key.isalpha() and key not in "ªº"


def touching_letters(rows: Sequence[str]) -> dict[str, str]:
    """The letters that each letter of a keyboard touches."""
    letters = {key: "".join(filter(_is_letter, touched)) for key, touched in touching(rows).items() if _is_letter(key)}
    return {key: touched for key, touched in letters.items() if touched}


@cache
def letters(rows: Sequence[str]) -> str:
    """The letters of a keyboard, in the order of their code points."""
    return "".join(sorted(filter(_is_letter, "".join(rows))))


TOUCHING = touching(QWERTY)
TOUCHING_SHIFTED = {
    key: touched + "".join(_SHIFTED.get(character, character.upper()) for character in touched)
    for key, touched in TOUCHING.items()
}
CONFUSED = _linked((first, second) for group in _CONFUSED for first in group for second in group if first < second)


def _with_base(parts: Sequence[str], position: int, base: str) -> str:
    """The word of these characters, where the one at `position` has another base and the same marks."""
    return "".join([*parts[:position], base + parts[position][1:], *parts[position + 1 :]])


def insert_from(letters: str) -> Edit:
    """An edit that inserts one of `letters` before a random character."""

    def insert(word: str, draw: Draw) -> str:
        parts = characters(word)
        position = draw.integer_below(len(parts))
        return "".join([*parts[:position], draw.choice(letters), *parts[position:]])

    return insert


def delete(word: str, draw: Draw) -> str | None:
    """Delete a random character; None for a word of one character."""
    parts = characters(word)
    position = draw.integer_below(len(parts))
    return "".join(parts[:position] + parts[position + 1 :]) or None


def substitute_from(letters: str) -> Edit:
    """An edit that replaces a random character by another one of `letters`."""

    def substitute(word: str, draw: Draw) -> str:
        parts = characters(word)
        position = draw.integer_below(len(parts))
        new = draw.choice([letter for letter in letters if letter.lower() != parts[position][0].lower()])
        return _with_base(parts, position, new)

    return substitute


def swap_neighbours(word: str, draw: Draw) -> str | None:
    """Swap two neighbouring characters that differ in more than case; None if there are none."""
    parts = characters(word)
    places = [
        place
        for place, (left_character, right_character) in enumerate(pairwise(parts))
        if left_character != right_character and left_character.lower() != right_character.lower()
    ]
    if not places:
        return None
    position = draw.choice(places)
    return "".join([*parts[:position], parts[position + 1], parts[position], *parts[position + 2 :]])


def replace_from(table: Mapping[str, str]) -> Edit:
    """An edit that replaces a random character in `table` by one of its entries, in the same case; None if none is."""

    def replace(word: str, draw: Draw) -> str | None:
        parts = characters(word)
        places = [place for place, part in enumerate(parts) if part[0].lower() in table]
        if not places:
            return None
        position = draw.choice(places)
        old = parts[position][0]
        new = draw.choice(table[old.lower()])
        return _with_base(parts, position, new.upper() if old.isupper() else new)

    return replace


def one_of(*edits: Edit) -> Edit:
    """An edit that applies one of `edits`, drawn uniformly; if it does not apply, another one."""

    def edit(word: str, draw: Draw) -> str | None:
        return next((wrong for candidate in draw.shuffled(edits) if (wrong := candidate(word, draw)) is not None), None)

    return edit


@cache
def on_keyboard(rows: Sequence[str]) -> dict[str, Edit]:
    """The edits by name; `insert`, the two `substitute` and `touch_letter` use the letters of a keyboard."""
    lower = letters(rows)
    upper = "".join(letter.upper() for letter in lower if len(letter.upper()) == 1)  # not so: the German sharp s
    return {
        "insert": insert_from(lower),
        "delete": delete,
        "substitute": substitute_from(lower),
        "swap_neighbours": swap_neighbours,
        "touch_letter": replace_from(touching_letters(rows)),
        "substitute_any_case": substitute_from(lower + upper),
    }


insert = insert_from(string.ascii_lowercase)
substitute = substitute_from(string.ascii_lowercase)
touch_key = replace_from(TOUCHING)
touch_shifted_key = replace_from(TOUCHING_SHIFTED)
confuse = replace_from(CONFUSED)
