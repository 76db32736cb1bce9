"""Misspellings of rodr's four kinds, and those that people made."""

from dataclasses import dataclass

from robustdr import lexicon
from robustdr.variations import edits
from robustdr.variations.base import WORD, Draw, Variation, one_of, splice

_NEEDS = f"a list of misspellings ({lexicon.MISSPELLINGS})"


def spelling(word: str, draw: Draw) -> str | None:
    """A misspelling that people made of this word; a capital first letter stays. None when none is listed."""
    known = lexicon.misspellings().get(word.lower())
    if not known:
        return None
    wrong = draw.choice(known)
    return wrong.capitalize() if word[0].isupper() else wrong


KINDS: dict[str, edits.Edit] = {
    "ocr": edits.confuse,
    "keyboard": edits.touch_key,
    "spelling": spelling,
    "typo": edits.one_of(edits.insert, edits.delete, edits.substitute, edits.swap_neighbours),
}
VARIANTS = {"paper": tuple(KINDS), "released": ("keyboard",)}


@dataclass(frozen=True)
class Misspell(Variation):
    """rodr, section 2.1, MISPELL: one of four kinds of misspelling, drawn at random, in one random word.

    The kinds: OCR (a character becomes one that optical recognition confuses with it), keyboard (a touching QWERTY key,
    digits included), spelling error (from a list of misspellings that people made) and typo (two neighbours swapped, or
    one character inserted, deleted or substituted). Words are tried in random order until the kind changes one; when it
    changes none, the next kind is tried. `variant` released: keyboard alone, as in rodr's released sets.
    """

    name = "misspell"
    category = "misspelling"
    papers = ("rodr",)
    needs = _NEEDS
    packages = (lexicon.MISSPELLINGS,)

    variant: str = "paper"

    def __post_init__(self) -> None:
        one_of(self, "variant", VARIANTS)

    def rewrite(self, text: str, draw: Draw) -> str:
        words = draw.shuffled(list(WORD.finditer(text)))
        for kind in draw.shuffled(VARIANTS[self.variant]):
            for word in words:
                if (wrong := KINDS[kind](word[0], draw)) is not None:
                    return splice(text, *word.span(), wrong)
        return text


@dataclass(frozen=True)
class HumanMisspelling(Variation):
    """A misspelling that real people made, from codespell's list, in one random word that the list knows.

    Stands for the human misspellings of DL-Typo (toroder, section 4.1) where those queries are not at hand.
    """

    name = "human_misspelling"
    category = "misspelling"
    papers = ("toroder",)
    needs = _NEEDS
    packages = (lexicon.MISSPELLINGS,)

    def rewrite(self, text: str, draw: Draw) -> str:
        for word in draw.shuffled(list(WORD.finditer(text))):
            if (wrong := spelling(word[0], draw)) is not None:
                return splice(text, *word.span(), wrong)
        return text
