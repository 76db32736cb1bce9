"""Rules for several languages: what they need of each, its keyboard and its stop words."""

from dataclasses import dataclass, field
from typing import NamedTuple

from robustdr.core.errors import UserError, unknown
from robustdr.core.languages import ENGLISH, NAMES, OTHERWISE
from robustdr.variations import kind, lexicon, names
from robustdr.variations.base import Variation
from robustdr.variations.edits import QWERTY


class Language(NamedTuple):
    """What rules need of a language.

    Attributes:
        keyboard: the rows of its usual keyboard, without the shift key. listed: its list of stop words in bm25s, which
            is NLTK's. elided: pattern of its stop words before an apostrophe, as in l'eau.
    """

    keyboard: tuple[str, ...]
    listed: str
    elided: str = "(?!)"  # none

    @property
    def stopwords(self) -> frozenset[str]:
        """Function words, lower case."""
        return lexicon.stopwords(self.listed)


LANGUAGES = {
    ENGLISH: Language(QWERTY, "EN_PLUS"),
    "de": Language(("1234567890ß", "qwertzuiopü", "asdfghjklöä", "yxcvbnm"), "GERMAN"),
    "fr": Language(("&é\"'(-è_çà", "azertyuiop", "qsdfghjklmù", "wxcvbn"), "FRENCH", "[cdjlmnst]|qu"),
    "es": Language(("1234567890", "qwertyuiop", "asdfghjklñ", "zxcvbnm"), "SPANISH"),
}


@dataclass(frozen=True)
class Spoken(Variation):
    """A generator for the languages of `LANGUAGES`."""

    language: str = field(default=ENGLISH, metadata={"implied": True})

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise unknown(f"variation {self.name}: language", self.language, LANGUAGES)

    @classmethod
    def speaks(cls, language: str) -> bool:
        return language in LANGUAGES

    @property
    def speech(self) -> Language:
        """What the rule needs of its language."""
        return LANGUAGES[self.language]


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
