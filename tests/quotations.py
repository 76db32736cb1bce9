"""Quotations of the papers, looked up in their texts, which are not part of the project."""

import re
import unicodedata
from pathlib import Path

import pytest

TEXTS = Path(__file__).resolve().parents[2] / "shared" / "papers"
BESIDE = re.compile(r"(?m)^(?:\||Table \d|Figure \d|.*\t).*$")  # tables and captions, which interrupt sentences


def text_of(paper: str) -> str:
    """Return the text of a paper; a test that needs it is skipped where it is not there."""
    path = TEXTS / f"{paper}.txt"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path.read_text(encoding="utf-8")


def quotes(quotation: str, text: str) -> bool:
    """Whether a text has the parts of a quotation, which "[…]" separates, word for word and in their order."""
    parts = map(letters, quotation.split("[…]"))
    pattern = re.compile(".*?".join(map(re.escape, parts)))
    return any(pattern.search(letters(one)) for one in (text, BESIDE.sub("", text)))


def letters(text: str) -> str:
    """Return letters, digits and the marks of a sentence alone.

    Case, white space, hyphenation, ligatures, the form of quotation marks and the markup of a formula do not count.
    """
    plain = unicodedata.normalize("NFKC", text.replace("…", "...").replace("\\approx", "≈")).casefold()
    return "".join(one for one in plain if one.isalnum() or one in ".,;:()<%@+≈→↓")
