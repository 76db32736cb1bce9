"""Rules for many languages: what they need of each, its keyboard, its stop words, and its marks."""

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from unicodedata import name as unicode_name

from robustdr.core.errors import UserError, unknown
from robustdr.core.languages import ENGLISH, NAMES, OTHERWISE, UNSPACED
from robustdr.core.words import folded
from robustdr.variations import edits, kind, lexicon, names
from robustdr.variations.base import Variation
from robustdr.variations.keyboards import KEYBOARDS

QWERTY_TOO = ("id", "nl", "sw", "vi")  # languages that are typed on the English keyboard
# Lists of stop words in bm25s, which are NLTK's; those of other languages are spaCy's, which has none of Swahili.
OF_BM25S = {
    "da": "DANISH", "de": "GERMAN", "en": "EN_PLUS", "es": "SPANISH", "fr": "FRENCH", "it": "ITALIAN", "ko": "KOREAN",
    "nl": "DUTCH", "no": "NORWEGIAN", "pt": "PORTUGUESE", "ru": "RUSSIAN", "sv": "SWEDISH", "tr": "TURKISH",
}  # fmt: skip
# Patterns of stop words before an apostrophe, as in l'eau.
ELIDED = {"ca": "[dlmnst]", "fr": "[cdjlmnst]|qu", "it": "[clmnstv]|un|gl|[ds]|(?:a|da|de|ne|su)ll|que(?:st|ll)"}
QUESTION_MARKS = {"ar": "؟", "el": ";", "fa": "؟", "ja": "？", "ur": "؟", "zh": "？"}  # others: ?
_TURKISH = str.maketrans({"İ": "i", "I": "ı"})


def has_stopwords(language: str) -> bool:
    """Whether there is a list of stop words, and blanks that tell them from other words."""
    return language not in UNSPACED and language != "sw"


def reads_spacy(language: str) -> bool:
    """Whether the list of stop words is spaCy's."""
    return has_stopwords(language) and language not in OF_BM25S


def keyboard(language: str) -> tuple[str, ...] | None:
    """The rows of the usual keyboard, without the shift key; None where an input method makes characters of keys."""
    return edits.QWERTY if language in (ENGLISH, *QWERTY_TOO) else KEYBOARDS.get(language)


def lower(text: str, language: str) -> str:
    """The text in lower case."""
    return (text.translate(_TURKISH) if language == "tr" else text).lower()


@dataclass(frozen=True)
class Spoken(Variation):
    """A generator for several languages."""

    language: str = field(default=ENGLISH, metadata={"implied": True})

    def __post_init__(self) -> None:
        if self.language != ENGLISH and not self.speaks(self.language):
            raise unknown(f"variation {self.name}: language", self.language, list(filter(self.speaks, NAMES)))

    @property
    def pins(self) -> tuple[str, ...]:
        if not reads_spacy(self.language):
            return self.packages
        return tuple(lexicon.STOPWORDS_OF_SPACY if pin == lexicon.STOPWORDS else pin for pin in self.packages)

    @property
    def resource(self) -> str:
        if not has_stopwords(self.language):
            return self.needs.replace(lexicon.NLTK, "nothing")
        return self.needs.replace(lexicon.NLTK, lexicon.SPACY) if reads_spacy(self.language) else self.needs

    @cached_property
    def stopwords(self) -> frozenset[str]:
        """Function words of the language, lower case; none if there is no list, or if words have no blanks."""
        if not has_stopwords(self.language):
            return frozenset()
        if reads_spacy(self.language):
            return lexicon.stopwords_of_spacy(self.language)
        return lexicon.stopwords(OF_BM25S[self.language])

    def is_stopword(self, word: str) -> bool:
        """Whether a word is a function word, whatever its case."""
        return folded(lower(word, self.language)) in self.stopwords

    @cached_property
    def elided(self) -> re.Pattern[str]:
        """Stop words that an apostrophe joins to the next word, with it."""
        return re.compile(rf"\b(?:{ELIDED.get(self.language, '(?!)')})['\u2019](?=\w)", re.IGNORECASE)


@dataclass(frozen=True)
class Typed(Spoken):
    """A generator of slips on the keyboard of a language."""

    @classmethod
    def speaks(cls, language: str) -> bool:
        return keyboard(language) is not None

    def keyboard_of(self, word: str) -> tuple[str, ...] | None:
        """The keyboard on which a word of a query was typed: the language's, or the English one for a word in Latin
        letters; None for a word of another script."""
        rows = keyboard(self.language) or edits.QWERTY
        scripts = {*map(_script, filter(str.isalpha, word))}
        if not scripts or _script(edits.letters(rows)[0]) in scripts:
            return rows
        return edits.QWERTY if _script("a") in scripts else None


@cache
def _script(letter: str) -> str:
    """The script of a letter by Unicode's name of it, e.g. LATIN."""
    return unicode_name(letter, "unnamed").partition(" ")[0]


def spoken(name: str, language: str) -> dict[str, object]:
    """The parameters with which the generator `name` varies queries of a language.

    Raises:
        UserError: it does not apply to them; lists those that do.
    """
    if not kind(name).speaks(language):
        allowed = [allowed_name for allowed_name in names() if kind(allowed_name).speaks(language)]
        refusal = f"variation {name}: not for {NAMES[language]} queries ({language}); {OTHERWISE}"
        raise UserError(f"{refusal}; allowed: {', '.join(allowed)}")
    of_language = issubclass(kind(name), Spoken) and language != ENGLISH
    return {"language": language} if of_language else {}
