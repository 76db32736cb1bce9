"""The stand-in for a language model: five different rewordings, the same in every run."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.variations.base import WORD, Draws
from robustdr.variations.rewordings import OPENINGS, rewordings

DRAWS = Draws(1, "llm", {})


def test_no_opening_begins_another():
    assert not [pair for pair in permutations(OPENINGS, 2) if pair[0].startswith(pair[1])]


@given(st.text(min_size=1).filter(WORD.search))
def test_five_differ_from_each_other_and_from_the_query(text):
    found = rewordings(text, DRAWS("", text))
    assert len({*found, text}) == 6
    assert found == rewordings(text, DRAWS("", text))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("what is the meaning of dog", "what is meant by dog"),
        ("what does the word dog mean", "what dog means"),
        ("how would you describe a dog", "how dog is defined"),
        ("what kind of animal is a dog", "which kind of animal a dog belongs to"),
        ("how do i feed dogs", "how one can feed dogs"),
        ("who was hamlet", "which person hamlet was"),
        ("who wrote hamlet", "the person who wrote hamlet"),
        ("where was gandhi born?", "in which place gandhi was born?"),
        ("where is ghana", "where to find ghana"),
        ("what is benin known for", "what it is that benin is known for"),
        ("what are mormons?", "something about mormons?"),
        ("what is clinic in connection with a building", "in connection with a building, "),
        ("mormons", "something about mormons"),
        ("why is ice cold", ": for what reason is ice cold"),
    ],
)
def test_what_is_asked_for(question, asked):
    found = [text for seed in range(20) for text in rewordings(question, Draws(seed, "llm", {})("", question))]
    assert any(asked in text for text in found), found
