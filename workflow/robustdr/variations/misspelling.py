"""rodr's four types of misspelling, and people's misspellings; those for evaluation are never used for training."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from robustdr.core.words import folded
from robustdr.variations import edits, lexicon
from robustdr.variations.base import WORD, Draw, Variation, one_of, splice
from robustdr.variations.slips import common_prefix_length, slip

LONGEST = 4  # most letters of a slip with its two neighbours; longer slips occur in one word only
_NEEDS = f"a list of misspellings ({lexicon.MISSPELLINGS})"


def spelling(word: str, draw: Draw) -> str | None:
    """A listed misspelling of this word, with a capital first letter if the word has one; None if none is listed."""
    misspellings = lexicon.misspellings().get(word.lower())
    if not misspellings:
        return None
    wrong = draw.choice(misspellings)
    return wrong.capitalize() if word[0].isupper() else wrong


KINDS: tuple[edits.Edit, ...] = (
    edits.confuse,
    edits.touch_key,
    spelling,
    edits.one_of(edits.insert, edits.delete, edits.substitute, edits.swap_neighbours),
)
# How often 156 slips of people in LiveQA and StackFAQ have a kind and a place; the others are lost or added blanks.
PEOPLE = {
    ("insert", "inner"): 18,
    ("insert", "last"): 2,
    ("delete", "inner"): 52,
    ("delete", "last"): 8,
    ("substitute", "first"): 3,
    ("substitute", "inner"): 32,
    ("substitute", "last"): 7,
    ("transpose", "first"): 2,
    ("transpose", "inner"): 8,
    ("several", None): 18,
}
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

    `variant` people: the kind of the slip and its place in the word are as frequent as in what people typed (`PEOPLE`),
    and a word is drawn in proportion to its length. With `listed`, they are as in the list, and each word is as likely.
    """

    name = "human_misspelling"
    listed = 37
    category = "misspelling"
    papers = ("toroder",)
    needs = f"stand-in: people's misspellings of other queries ({lexicon.MISSPELLINGS}, {lexicon.STOPWORDS})"
    packages = (lexicon.MISSPELLINGS, lexicon.STOPWORDS)

    learned: ClassVar[bool] = False

    variant: str = field(default="listed", metadata={"implied": True})

    def __post_init__(self) -> None:
        one_of(self, "variant", ("listed", "people"))

    def rewrite(self, text: str, draw: Draw) -> str:
        candidates = (word for word in WORD.finditer(text) if len(word[0]) >= 3 and word[0].isalpha())
        words = [word for word in candidates if folded(word[0]) not in lexicon.stopwords()]
        if self.variant == "people":
            slips = {word: slips_of(word[0].lower(), self.learned) for word in words}
            possible = {kind for kinds in slips.values() for kind in kinds}
            kinds = [kind for kind, count in PEOPLE.items() if kind in possible for _ in range(count)]
            if not kinds:
                return text
            kind = draw.choice(kinds)
            word = draw.choice([word for word in words if kind in slips[word] for _ in word[0]])
            return _replaced(text, word, draw.choice(slips[word][kind]))
        for word in draw.shuffled(words):
            if wrong := human(word[0].lower(), self.learned):
                return _replaced(text, word, draw.choice(wrong))
        return text


def _replaced(text: str, word: re.Match[str], wrong: str) -> str:
    """A text with a word misspelled, with a capital first letter if the word has one."""
    return splice(text, *word.span(), wrong.capitalize() if word[0][0].isupper() else wrong)


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
    bounded, variants = f"^{word}$", []
    for start in range(len(bounded)):
        for end in range(start + 2, min(start + LONGEST, len(bounded)) + 1):
            variants += [
                bounded[:start] + wrong + bounded[end:] for wrong in _slips(learned).get(bounded[start:end], ())
            ]
    excluded = human(word) if learned else lexicon.misspellings().get(word, ())
    return tuple(wrong for wrong in (text.strip("^$") for text in variants) if wrong not in {word, *excluded})


@cache
def slips_of(word: str, learned: bool) -> dict[tuple[str, str | None], tuple[str, ...]]:
    """The misspellings of `human` by the kind and the place of the slip."""
    slips_by_kind: dict[tuple[str, str | None], list[str]] = {}
    for wrong in human(word, learned):
        kind, _, place, *_ = slip(word, wrong)
        slips_by_kind.setdefault((kind, place), []).append(wrong)
    return {kind: tuple(wrong) for kind, wrong in slips_by_kind.items()}


@cache
def _slips(learned: bool) -> dict[str, tuple[str, ...]]:
    """The list's slips with their two unchanged neighbours, e.g. {"liev": ("leiv", …)}; `^`, `$` are word ends."""
    wrong_parts: dict[str, list[str]] = {}
    for word, listed in lexicon.misspellings(ambiguous=not learned).items():
        for misspelt in listed:
            correct, wrong = f"^{word}$", f"^{misspelt}$"
            begin = common_prefix_length(correct, wrong)
            end = min(common_prefix_length(correct[::-1], wrong[::-1]), len(correct) - begin, len(wrong) - begin)
            part = correct[begin - 1 : len(correct) - end + 1]
            if len(part) <= LONGEST:
                wrong_parts.setdefault(part, []).append(wrong[begin - 1 : len(wrong) - end + 1])
    return {part: tuple(wrong) for part, wrong in wrong_parts.items()}
