"""Typos: toroder's five types (Zhuang & Zuccon), and the character edits of qvg and capot."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import ClassVar

from robustdr.core.words import MARKS, composed_if
from robustdr.variations import edits, lexicon
from robustdr.variations.base import WORD, Draw, Plain, in_range, splice
from robustdr.variations.languages import Typed


@dataclass(frozen=True)
class Typo(Typed):
    """toroder, section 3.1, after Zhuang & Zuccon (2021): one of five types of typo, at random, in one random word.

    Eligible words have at least three characters and are not in NLTK's English list of stopwords; their first and last
    characters may change. With `share` > 0, this share of the query's words (rounded half up) gets one typo each, if
    enough words are eligible (toroder, Figure 2); otherwise `words` words do.
    """

    name = "typo"
    listed = 6
    category = "misspelling"
    papers = ("toroder",)
    needs = lexicon.NLTK
    packages = (lexicon.STOPWORDS,)
    kinds: ClassVar[Sequence[str]] = ("insert", "delete", "substitute", "swap_neighbours", "touch_letter")
    shortest: ClassVar[int] = 3

    words: int = 1
    share: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        in_range(self, "words", 1, 1000)
        in_range(self, "share", 0.0, 1.0)

    def eligible(self, word: re.Match[str]) -> bool:
        """Whether a word of a text can get a typo."""
        typed = self.keyboard_of(word[0]) is not None
        return len(word[0]) >= self.shortest and not self.is_stopword(word[0]) and typed

    def rewrite(self, text: str, draw: Draw) -> str:
        words = list(WORD.finditer(text))
        target = floor(self.share * len(words) + 0.5) if self.share else self.words
        wrong: dict[tuple[int, int], str] = {}
        for word in draw.shuffled(list(filter(self.eligible, words))):
            if len(wrong) == target:
                break
            edit_of = edits.on_keyboard(self.keyboard_of(word[0]) or ())
            if (changed := edits.one_of(*(edit_of[kind] for kind in self.kinds))(word[0], draw)) is not None:
                wrong[word.span()] = composed_if(changed, word[0])
        for span in sorted(wrong, reverse=True):
            text = splice(text, *span, wrong[span])
        return text


class RandInsert(Typo):
    """toroder, RandInsert: a random letter a-z is inserted before a random character. Words as in `typo`."""

    name = "rand_insert"
    listed = 1
    kinds = ("insert",)


class RandDelete(Typo):
    """toroder, RandDelete: a random character of the word is deleted. Words as in `typo`."""

    name = "rand_delete"
    listed = 2
    kinds = ("delete",)


class RandSubstitute(Typo):
    """toroder, RandSub: a random character of the word becomes another letter a-z. Words as in `typo`."""

    name = "rand_substitute"
    listed = 3
    kinds = ("substitute",)


class SwapNeighbourChars(Typo):
    """toroder, SwapNeighbor: two different neighbouring characters are swapped. Words as in `typo`."""

    name = "swap_neighbour_chars"
    listed = 4
    kinds = ("swap_neighbours",)


class SwapAdjacentKey(Typo):
    """toroder, SwapAdjacent: a letter becomes a neighbouring letter on a QWERTY keyboard. Words as in `typo`."""

    name = "swap_adjacent_key"
    listed = 5
    kinds = ("touch_letter",)


class NeighbourCharSwap(Plain, SwapNeighbourChars):
    """qvg, section 3.2, NeighbCharSwap: two neighbouring characters of one random non-stopword are swapped. A changed
    query loses punctuation and capitals."""

    name = "neighbour_char_swap"
    listed = 16
    papers = ("qvg",)
    shortest = 2


class RandomCharSubstitution(Plain, Typo):
    """qvg, section 3.2, RandomCharSub: one character of one random non-stopword becomes another ASCII letter of any
    case. A changed query loses punctuation and capitals."""

    name = "random_char_substitution"
    listed = 17
    papers = ("qvg",)
    shortest = 2
    kinds = ("substitute_any_case",)


class QwertyCharSubstitution(Plain, SwapAdjacentKey):
    """qvg, section 3.2, QWERTYCharSub: one character of one random non-stopword becomes a neighbouring one on a QWERTY
    keyboard. A changed query loses punctuation and capitals."""

    name = "qwerty_char_substitution"
    listed = 18
    papers = ("qvg",)
    shortest = 2


_CHARACTER, _MARK = re.compile(rf"[^\W_][{MARKS}]*"), re.compile(f"[{MARKS}]")


@dataclass(frozen=True)
class RandomChar(Typed):
    """capot, section 3.1, RCS: a random letter a-z is inserted before or after a random letter or digit of the query,
    or replaces it. All three have equal probability."""

    name = "random_char"
    listed = 30
    category = "misspelling"
    papers = ("capot",)

    def noise(self, character: str, rows: tuple[str, ...], draw: Draw) -> str:
        """The character to insert next to `character` or to replace it; `rows`: its keyboard."""
        return draw.choice(edits.letters(rows).replace(character.lower(), ""))

    def places(self, text: str) -> list[tuple[re.Match[str], tuple[str, ...]]]:
        """The letters and digits of a text with their marks, and the keyboard of each."""
        characters = _CHARACTER.finditer(text)
        return [(character, rows) for character in characters if (rows := self.keyboard_of(character[0][0]))]

    def rewrite(self, text: str, draw: Draw) -> str:
        places = self.places(text)
        if not places:
            return text
        character, rows = draw.choice(places)
        old = character[0]
        new = self.noise(old[0], rows, draw)
        changed = (new + old, old + new, new + old[1:])[draw.integer_below(3)]
        return splice(text, *character.span(), composed_if(changed, old))


class KeyboardChar(RandomChar):
    """capot, section 3.1, KCS: as RCS, but the new character is a neighbour of the chosen one on a QWERTY keyboard.

    For a character that is on no letter or digit key, it is any letter a-z.
    """

    name = "keyboard_char"
    listed = 31

    def noise(self, character: str, rows: tuple[str, ...], draw: Draw) -> str:
        touched = edits.touching(rows).get(character.lower(), "")
        alone = [other for other in touched if not other.isspace() and not _MARK.match(other)]
        return draw.choice("".join(alone) or edits.letters(rows))


class DeleteChar(RandomChar):
    """capot, section 3.1, CD: a random letter or digit of the query is deleted, unless it is the only one."""

    name = "delete_char"
    listed = 32

    def rewrite(self, text: str, draw: Draw) -> str:
        places = self.places(text)
        if len(places) < 2:
            return text
        return splice(text, *draw.choice(places)[0].span(), "")
