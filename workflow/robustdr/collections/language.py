"""The language and the script of queries."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any

from robustdr.core.errors import unknown

ENGLISH = "en"
NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "sw": "Swahili", "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "yo": "Yoruba", "zh": "Chinese",
}  # fmt: skip
UNSPACED = {"ja", "th", "zh"}  # no blanks between words
READ = 1000  # queries from which the language is found
OTHERWISE = "`--language` of evaluate and vary sets another one"
CERTAIN = 0.5  # least probability of a language


def find(texts: Iterable[str]) -> str | None:
    """The language of texts together, as ISO 639-1 code of `NAMES`; None if it is not recognised.

    The first thousand texts are read, by the naive Bayes model of langid (Lui & Baldwin, 2012; py3langid).
    """
    code, probability = _identifier().classify("\n".join(islice(texts, READ)))
    return code if probability >= CERTAIN else None


def script(texts: Iterable[str]) -> str:
    """The script of most letters, by Unicode's names of characters, e.g. Latin, Arabic or Cjk; "" without letters."""
    letters = Counter(letter for text in islice(texts, READ) for letter in text if letter.isalpha())
    scripts: Counter[str] = Counter()
    for letter, count in letters.items():
        scripts[unicodedata.name(letter, "unnamed").partition(" ")[0]] += count
    return scripts.most_common(1)[0][0].capitalize() if scripts else ""


def given_or_found(code: str | None, texts: list[str]) -> tuple[str, str]:
    """(the language `code`, or without it that of `texts`; a sentence about it). What is not recognised is English.

    Raises:
        UserError: `code` is not in `NAMES`.
    """
    if code and code not in NAMES:
        raise unknown("--language", code, NAMES)
    found, script_of = code or find(texts), script(texts)
    written = f"{script_of} script" if script_of else "no letters"
    if found is None:
        return ENGLISH, f"language of the queries: not recognised ({written}), taken for English; {OTHERWISE}"
    how = "as --language says" if code else OTHERWISE
    return found, f"language of the queries: {NAMES[found]} ({found}), {written}; {how}"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # imported here: its model is read in half a second

    made = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    made.set_languages(NAMES)
    return made
