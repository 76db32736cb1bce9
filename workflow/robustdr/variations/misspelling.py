"""Misspellings of rodr's four kinds, and those that people made; none that is evaluated on is trained on."""

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import ClassVar

from robustdr.variations import edits, lexicon
from robustdr.variations.base import WORD, Draw, Variation, one_of, splice

LONGEST = 4  # letters that a slip needs around it and replaces; longer ones are of one word
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
    listed = 7
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
    """A misspelling that people make, in one random word that is eligible for a `typo`, from codespell's list.

    A word that the list lacks gets what somebody made of the same letters in another word of the list, one letter on
    either side (word ends included) being the same too. Only misspellings that may stand for several words are used,
    none of the others, which `misspell` draws from: no retriever is evaluated on misspellings that it has learned.
    Stands for the human misspellings of DL-Typo and of a search log (toroder, section 5) where these are not at hand.
    """

    name = "human_misspelling"
    listed = 37
    category = "misspelling"
    papers = ("toroder",)
    needs = f"stand-in: people's misspellings of other queries ({lexicon.MISSPELLINGS}, {lexicon.STOPWORDS})"
    packages = (lexicon.MISSPELLINGS, lexicon.STOPWORDS)

    learned: ClassVar[bool] = False

    def rewrite(self, text: str, draw: Draw) -> str:
        words = (word for word in WORD.finditer(text) if len(word[0]) >= 3 and word[0].isalpha())
        for word in draw.shuffled([word for word in words if word[0].lower() not in lexicon.stopwords()]):
            if wrong := human(word[0].lower(), self.learned):
                chosen = draw.choice(wrong)
                return splice(text, *word.span(), chosen.capitalize() if word[0][0].isupper() else chosen)
        return text


class LearnedMisspelling(HumanMisspelling):
    """As `human_misspelling`, from the other misspellings of the list and none that `human_misspelling` may write.

    Stands for the misspellings of a search log that a retriever is trained on (toroder, section 5).
    """

    name = "human_misspelling_learned"
    listed = 38
    learned = True


@cache
def human(word: str, learned: bool = False) -> tuple[str, ...]:
    """What people make of a lower-case word, each as often as they make it: listed for it, or else for its parts.

    Those that are `learned` and those that are evaluated on share none.
    """
    if listed := lexicon.misspellings(ambiguous=not learned).get(word):
        return listed
    bounded, made = f"^{word}$", []
    for start in range(len(bounded)):
        for end in range(start + 2, min(start + LONGEST, len(bounded)) + 1):
            made += [bounded[:start] + wrong + bounded[end:] for wrong in _slips(learned).get(bounded[start:end], ())]
    others = human(word) if learned else lexicon.misspellings().get(word, ())
    return tuple(wrong for wrong in (text.strip("^$") for text in made) if wrong not in {word, *others})


@cache
def _slips(learned: bool) -> dict[str, tuple[str, ...]]:
    """What becomes of some letters between two that stay, in the list: {"ie" with both: ("ei" with both, ...)}."""
    found: dict[str, list[str]] = {}
    for word, listed in lexicon.misspellings(ambiguous=not learned).items():
        for misspelt in listed:
            right, wrong = f"^{word}$", f"^{misspelt}$"
            begin = _alike(right, wrong)
            end = min(_alike(right[::-1], wrong[::-1]), len(right) - begin, len(wrong) - begin)
            part = right[begin - 1 : len(right) - end + 1]
            if len(part) <= LONGEST:
                found.setdefault(part, []).append(wrong[begin - 1 : len(wrong) - end + 1])
    return {part: tuple(wrong) for part, wrong in found.items()}


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with together."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
