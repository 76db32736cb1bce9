"""Punctuation, stopwords and word order on hand-worked queries."""

import pytest

from robustdr import variations


def one(name: str, text: str, script, *choices: int) -> str:
    return variations.create(name).rewrite(text, script(*choices))


def test_the_original_is_the_identity(script):
    assert one("original", "  What? ", script) == "  What? "


@pytest.mark.parametrize(("mark", "count", "end"), [(0, 0, ","), (1, 2, "..."), (2, 1, "??"), (3, 0, "!")])
def test_extra_punctuation_ends_the_query(script, mark, count, end):
    assert one("extra_punctuation", "what is a cat ", script, mark, count) == f"what is a cat{end}"


def test_extra_punctuation_has_twelve_endings():
    queries = [(str(qid), "cat") for qid in range(600)]
    endings = {text for _, text in variations.create("extra_punctuation").vary(queries, 1)}
    assert endings == {f"cat{mark * count}" for mark in ",.?!" for count in (1, 2, 3)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what is paula deen's brother", "paula deen 's brother"),  # as in rodr's released set
        ("why don't cats like water?", "n't cats like water ?"),  # do is a stopword, n't is none
        ("What IS the Zip-Code of Rome", "Zip-Code Rome"),
        ("cats", "cats"),
        ("what is it?", "what is it?"),  # nothing would be left
    ],
)
def test_stopwords_go(script, text, expected):
    assert one("no_stopwords", text, script) == expected


def test_qvg_removes_stopwords_from_the_prepared_query(script):
    assert one("remove_stopwords", "What's the Zip-code (of) Rome?", script) == "zip code rome"
    assert one("remove_stopwords", "Zip-code?", script) == "Zip-code?"


def test_two_words_swap(script):
    assert one("swap_words", "what  is, a cat?", script, 3, 0) == "cat  is, a what?"
    assert one("swap_words", "a b a", script, 0, 0) == "b a a"  # the only word that differs from a
    assert one("swap_words", "cat Cat?", script) == "cat Cat?"
    assert one("random_order_swap", "What's NEW?", script, 2, 0) == "new s what"
    assert one("reorder_words", "big cat", script, 0, 0) == "cat big"
