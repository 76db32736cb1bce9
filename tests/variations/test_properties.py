"""What must hold for every generator, whatever the text."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustdr import variations
from robustdr.core.seeds import Draw
from robustdr.variations.base import WORD
from robustdr.variations.statistics import levenshtein, tally

FAST = [name for name in variations.names() if name not in ("released", "logged", "swap_synonym_omw")]  # need a file
DISTANCE = {
    **dict.fromkeys(("rand_insert", "rand_delete", "rand_substitute", "swap_adjacent_key", "random_char"), 1),
    **dict.fromkeys(("keyboard_char", "delete_char"), 1),
    "swap_neighbour_chars": 2,
    "typo": 2,
    "original": 0,
    "extra_punctuation": 3,
}
FIXED = {
    "original",
    "case_punctuation",
    "no_stopwords",
    "remove_stopwords",
    "t5_description_to_title",
}  # nothing is drawn
WORDS = st.sampled_from(
    ["what", "is", "the", "meaning", "of", "Photosynthesis", "don't", "x-ray", "churches", "was", "3/5", "café"]
)
TEXTS = st.one_of(
    st.lists(WORDS, min_size=1, max_size=8).map(" ".join),
    st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=40),
)


@pytest.mark.parametrize("name", FAST)
@settings(max_examples=40)
@given(texts=st.lists(TEXTS, min_size=1, max_size=6), seed=st.integers(0, 2**40))
def test_any_text_is_varied_without_harm(name, texts, seed):
    queries = [(f"q{at}", text) for at, text in enumerate(texts)]
    variation = variations.create(name)
    varied = list(variation.vary(queries, seed))
    assert [qid for qid, _ in varied] == [qid for qid, _ in queries]
    assert varied == list(variation.vary(queries, seed))
    shuffled = random.Random(seed).sample(queries, len(queries))
    assert dict(variation.vary(shuffled, seed)) == dict(varied)
    found = tally((one, two) for (_, one), (_, two) in zip(queries, varied, strict=True))
    assert found["changed"] == sum(one != two for (_, one), (_, two) in zip(queries, varied, strict=True))
    for (_, one), (_, two) in zip(queries, varied, strict=True):
        assert two.strip() or not one.strip()
        assert "\n" not in two and "\t" not in two
        if name in DISTANCE:
            # White space at the end of a query may go, beside the edit.
            assert min(levenshtein(one, two), levenshtein(one.rstrip(), two)) <= DISTANCE[name]
        if name in ("swap_words", "reorder_words"):
            assert sorted(one) == sorted(two)


@pytest.fixture
def draws(monkeypatch):
    """The choices that are drawn."""
    made, draw = [], Draw.integer_below
    monkeypatch.setattr(Draw, "integer_below", lambda self, n: made.append(n) or draw(self, n))
    return made


@pytest.mark.parametrize("name", FAST)
def test_seeds_and_ids_give_other_variations_where_something_is_drawn(draws, name):
    query = "what does it mean to eat the churches of beautiful women running singing dancing cities, dogs, goats, hens"
    queries = [(str(qid), query) for qid in range(40)]
    variation = variations.create(name)
    one, two = dict(variation.vary(queries, 1)), dict(variation.vary(queries, 2))
    drawn = bool(draws)
    assert drawn != (name in FIXED) or not (drawn or variations.kind(name).papers)  # one of no paper may be fixed
    assert (len(set(one.values())) > 1) == (one != two) == drawn


@pytest.mark.parametrize("name", ["", " ", "…", "?!"])
def test_queries_without_a_word_stay(name):
    """But for rules that add marks, and leave the words of a query as they are."""
    for variation in map(variations.create, FAST):
        ((_, varied),) = variation.vary([("1", "what is a cat")], 1)
        if varied == "what is a cat" or WORD.findall(varied) != WORD.findall("what is a cat"):
            assert list(variation.vary([("1", name)], 1)) == [("1", name)]
