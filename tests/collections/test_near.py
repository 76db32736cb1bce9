"""Near-duplicates between splits, counted by hand: questions by their words, passages by their runs of three words."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.collections.near import count_near_duplicates, runs, same_words, words

TEN = "one two three four five six seven eight nine ten"  # eight runs of three words


@pytest.mark.parametrize(
    ("question", "other", "number"),
    [
        ("What is Gout?", "what is (are) gout", 0),
        ("What is gout ?", "gout, what IS", 1),
        ("is is gout what", "What is gout?", 1),
        ("What is gout", "What is flu", 0),
        ("???", "!", 0),
        ("???", "???", 1),
    ],
)
def test_questions_with_the_same_set_of_words_are_near_duplicates(question, other, number):
    assert same_words([question], [other]) == same_words([question], ["Else", other]) == number


def test_each_question_counts_once():
    assert same_words(["a b", "b a", "c"], ["A b", "a, b", "d"]) == 2


@pytest.mark.parametrize(
    ("passage", "number"),
    [
        (TEN.upper().replace(" ", ", "), 1),
        (f"{TEN} eleven twelve", 1),  # 8 of 10 runs
        (f"{TEN} eleven twelve thirteen", 0),  # 8 of 11
        (TEN.replace("ten", "other"), 0),  # 7 of 9
        (TEN.replace("five", "other"), 0),  # 5 of 11
        ("one two three", 0),
    ],
)
def test_passages_that_share_four_fifths_of_their_runs_are_near_duplicates(passage, number):
    assert count_near_duplicates({"test": [TEN]}, ["Other words here", passage]) == {"test": number}
    assert count_near_duplicates({"test": [passage]}, ["Other words here", TEN]) == {"test": number}


def test_groups_are_counted_apart_and_a_text_of_both_in_both():
    groups = {"dev": [TEN, "one two"], "test": [TEN, "two one", "three"], "none": []}
    assert count_near_duplicates(groups, [TEN, "One Two!", "Three four"]) == {"dev": 2, "test": 1, "none": 0}


def test_a_short_text_is_one_run_and_marks_alone_are_a_word():
    assert runs("One two") == {("one", "two")} and runs("…") == {("…",)} and words("don't") == ["don", "t"]


TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), max_size=6)


@given(TEXTS, TEXTS)
def test_what_is_looked_up_finds_all_pairs(texts, others):
    def share(text, other):
        return len(runs(text) & runs(other)) / len(runs(text) | runs(other))

    near = {text for text, other in product(texts, others) if share(text, other) >= 0.8}
    assert count_near_duplicates({"test": texts}, others) == {"test": sum(text in near for text in texts)}
