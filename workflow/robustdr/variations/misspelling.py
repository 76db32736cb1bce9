"""rodr's four types of misspelling, and people's misspellings; those for evaluation are never used for training."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import ClassVar

from robustdr.variations import edits, lexicon
from robustdr.variations.base import WORD, Draw, Variation, one_of, splice

LONGEST = 4  # most letters of a slip with its two neighbours; longer slips occur in one word only
_NEEDS = f"a list of misspellings ({lexicon.MISSPELLINGS})"


def spelling(word: str, draw: Draw) -> str | None:
    """A listed misspelling of this word, with a capital first letter if the word has one; None if none is listed."""
    known = lexicon.misspellings().get(word.lower())
    if not known:
        return None
    wrong = draw.choice(known)
    return wrong.capitalize() if word[0].isupper() else wrong


KINDS: tuple[edits.Edit, ...] = (
    edits.confuse,
    edits.touch_key,
    spelling,
    edits.one_of(edits.insert, edits.delete, edits.substitute, edits.swap_neighbours),
)
RELEASED = 4  # characters from which a word is misspelled in rodr's released sets


@dataclass(frozen=True)
class Misspell(Variation):
    """rodr, section 2.1, MISPELL: one of four types of misspelling, drawn at random, in one random word.

    The types: OCR (a character becomes one that optical recognition confuses with it), keyboard (a neighbouring QWERTY
    key, also digits), spelling error (from a list of people's misspellings) and typo (two neighbours swapped, or one
    character inserted, deleted or substituted). Words are tried in random order until the type changes one; if it
    changes none, the next type is tried.

    `variant` released: one neighbouring key, with or without the shift key, as in 98 % of rodr's released set of MS
    MARCO's development queries, where six in ten are a capital, a digit or a symbol. Words of less than four
    characters, 16 % of the misspelled ones there, are tried last. A stop word is then misspelled in 18 % of these
    queries; in the released set it is 25 %, under `paper` 43 %.
    """

    name = "misspell"
    listed = 7
    category = "misspelling"
    papers = ("rodr",)
    needs = _NEEDS
    packages = (lexicon.MISSPELLINGS,)

    variant: str = "paper"

    def __post_init__(self) -> None:
        one_of(self, "variant", ("paper", "released"))

    def rewrite(self, text: str, draw: Draw) -> str:
        words = draw.shuffled(list(WORD.finditer(text)))
        kinds: Sequence[edits.Edit] = (edits.touch_shifted_key,)
        if self.variant == "paper":
            kinds = draw.shuffled(KINDS)
        else:
            words.sort(key=lambda word: len(word[0]) < RELEASED)
        for kind in kinds:
            for word in words:
                if (wrong := kind(word[0], draw)) is not None:
                    return splice(text, *word.span(), wrong)
        return text


@dataclass(frozen=True)
class HumanMisspelling(Variation):
    """People's misspellings, from codespell's list, in one random word that is eligible for `typo`.

    For a word that is not in the list, the same letters are misspelled as in another word of the list that also has the
    same letter (or word end) on both sides. Only misspellings with several possible corrections are used; `misspell`
    uses only the others, so no retriever is evaluated on misspellings from its training. It is a stand-in for human
    misspellings from DL-Typo and a search log (toroder, section 5).
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
    """As `human_misspelling`, but from the list's other misspellings; the two never share a misspelling of a word.

    It is a stand-in for training on the misspellings of a search log (toroder, section 5).
    """

    name = "human_misspelling_learned"
    listed = 38
    learned = True


@cache
def human(word: str, learned: bool = False) -> tuple[str, ...]:
    """Misspellings of a lower-case word: those listed for it; else from slips in other words, each as often as there.

    Misspellings for training (`learned`) and for evaluation have none in common.
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
    """The list's slips with their two unchanged neighbours, e.g. {"liev": ("leiv", …)}; `^`, `$` are word ends."""
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
    """The length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
