"""The language and the script of queries."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any

from robustdr.core.errors import unknown
from robustdr.core.languages import ENGLISH, NAMES, OTHERWISE

READ = 1000  # queries from which the language is found
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
    language, script_of = code or find(texts), script(texts)
    script_note = f"{script_of} script" if script_of else "no letters"
    if language is None:
        return ENGLISH, f"language of the queries: not recognised ({script_note}), taken for English; {OTHERWISE}"
    reason = "as --language says" if code else OTHERWISE
    return language, f"language of the queries: {NAMES[language]} ({language}), {script_note}; {reason}"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # imported here: its model is read in half a second

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(NAMES)
    return identifier
