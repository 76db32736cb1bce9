"""Words with marks; where there are none, the patterns are those of `\\w`."""

import re
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.words import BETWEEN, CHARACTERS, LETTERS, MARKS, composed, folded

PLAIN = st.text(st.sampled_from("abc XYZ .,-'’_12éßñ中字½²ª~?!/()\n\t"))
PAIRS = [(LETTERS, r"[^\W_]+"), (CHARACTERS, r"\w+"), (rf"\w[\w{MARKS}]+", r"(?u)\b\w\w+\b")]


@given(PLAIN)
def test_without_marks_words_are_python_s(text):
    for pattern, usual in PAIRS:
        assert re.findall(pattern, text) == re.findall(usual, text)
    assert re.sub(BETWEEN, " ", text).split() == re.sub(r"\W+", " ", text).split()


def test_marks_belong_to_their_letters():
    text = "हिन्दी भाषा, का इतिहास! विश्व का सबसे ऊँचा पर्वत"
    assert re.findall(CHARACTERS, text) == text.replace(",", "").replace("!", "").split()
    assert re.sub(BETWEEN, " ", text).split() == re.findall(LETTERS, text)
    assert re.findall(LETTERS, normalize("NFD", "où est Émile?")) == normalize("NFD", "où est Émile").split()
    assert re.findall(LETTERS, "می\u200cخواهم ক্\u200dষ") == ["می\u200cخواهم", "ক্\u200dষ"]
    assert re.findall(LETTERS, "\u0301a ❤\ufe0f b") == ["a", "b"]


def test_letters_are_composed_and_words_folded():
    assert composed(normalize("NFD", "crème brûlée")) == "crème brûlée"
    assert {folded(f"Don{mark}t") for mark in "'’‘ʼ＇"} == {"don't"}
