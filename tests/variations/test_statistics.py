"""Statistics with hand-worked numbers, and properties of the distance."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer

from robustdr.variations.similarity import write_similarity
from robustdr.variations.statistics import count_lost, describe, jaccard, levenshtein, neutral, tally


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("sunday", "saturday", 3), ("ab", "ba", 2)],
)
def test_levenshtein(one, two, expected):
    assert levenshtein(one, two) == expected


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=10))
def test_levenshtein_agrees_with_the_table_and_is_a_distance(one, two, three):
    row = list(range(len(two) + 1))
    for at, character in enumerate(one, 1):
        diagonal, row[0] = row[0], at
        for to, other in enumerate(two, 1):
            diagonal, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, diagonal + (character != other))
    assert levenshtein(one, two) == row[-1] == levenshtein(two, one)
    assert (levenshtein(one, two) == 0) == (one == two)
    assert levenshtein(one, two) <= levenshtein(one, three) + levenshtein(three, two)


def test_jaccard_and_neutral():
    assert jaccard("What is a cat", "what is the CAT") == 3 / 5
    assert jaccard("", " ") == 1.0
    assert neutral("  What's (it)? ") == "what s it" == neutral("what_s it")


ORIGINALS = {"1": "what is a cat", "2": "big dog", "3": "fish"}
VARIED = {"1": "What is a cat??", "2": "big dgo", "3": "fish"}
PAIRS = [(text, VARIED[qid]) for qid, text in ORIGINALS.items()]


def test_statistics_of_three_queries():
    totals = tally(PAIRS, lambda text: [len(word) for word in text.lower().split()])
    assert describe({**totals, "lost": count_lost(ORIGINALS, VARIED)}) == {
        "queries": 3,
        "unchanged": 1,
        "changed": 2,
        "changed_in_case_alone": 0,
        "changed_ignoring_case_and_punctuation": 1,
        "changed_after_tokenising": 1,  # cat?? is longer than cat; dgo is as long as dog
        "characters_edited": (3 + 2 + 0) / 3,
        "word_jaccard": (3 / 5 + 1 / 3 + 1) / 3,
        "characters": (15 + 7 + 4) / 3,
        "words": 7 / 3,
        "lost": 0,
    }


def test_capital_letters_and_punctuation_are_counted_apart():
    found = tally([("what is WHO", "What is who"), ("a cat", "A cat?"), ("fish", "fish"), ("Dog", "dig")])
    assert (found["unchanged"], found["changed"], found["changed_in_case_alone"]) == (1, 3, 1)
    assert found["changed_ignoring_case_and_punctuation"] == 1


def test_a_question_is_lost_that_keeps_none_of_its_uncommon_words():
    originals = {"bank": "what is a bank?", "sea": "what is a sea anemone", "common": "what is"}
    originals |= {str(n): f"what is word{n}" for n in range(197)}
    varied = {
        **originals,
        "bank": "what is river",
        "sea": "what a sea aneomne",
        "common": "who was",
        "0": "what word0",
    }
    assert count_lost(originals, varied) == 1  # bank; sea keeps `sea`


def test_a_word_is_common_that_more_than_one_query_in_a_hundred_has():
    originals = {str(n): "a" if n < 3 else f"word{n}" for n in range(200)}
    assert count_lost(originals, {**originals, "0": "b"}) == 0 and count_lost(originals, {**originals, "9": "b"}) == 1


def test_without_a_tokenizer_its_count_is_none():
    assert describe(tally(PAIRS))["changed_after_tokenising"] is None
    assert describe(tally([]))["queries"] == 0


def test_semantic_similarity_is_the_mean_cosine():
    vectors = {"what is a cat": [1, 0], "What is a cat??": [3, 4], "big dog": [0, 2], "big dgo": [0, -1]}
    encoders = {"model": lambda texts: np.array([vectors[text] for text in texts])}
    found = describe(tally(PAIRS, encoders=encoders))
    assert found["semantic_similarity"] == {"model": pytest.approx((0.6 - 1 + 1) / 3)}


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), min_size=1, max_size=12), st.integers(0, 12))
def test_tallies_of_parts_add_up(pairs, at):
    whole, first, rest = tally(pairs), tally(pairs[:at]), tally(pairs[at:])
    added = {key: first[key] + rest[key] for key in whole}
    assert describe(added) == pytest.approx(describe(whole), abs=1e-9)


def test_the_similarity_of_query_sets_is_the_mean_over_their_queries(tiny_model, tmp_path):
    """Varied files have their queries in another order; what does not change has the similarity 1."""
    originals = {"1": "red river", "2": "old tree"}
    sets = {"same": originals, "half": {"2": "old tree", "1": "granite salt"}}
    paths = []
    for name, texts in {"queries": originals, **sets}.items():
        paths.append(tmp_path / f"{name}.tsv")
        paths[-1].write_text("".join(f"{qid}\t{text}\n" for qid, text in texts.items()), encoding="utf-8")
    threads = torch.get_num_threads()
    write_similarity(threads + 1, tiny_model, paths[0], paths[1:], tmp_path / "found.json")
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert torch.get_num_threads() == threads + 1
    torch.set_num_threads(threads)
    one, two = SentenceTransformer(str(tiny_model), local_files_only=True).encode(["red river", "granite salt"])
    other = one @ two / np.linalg.norm(one) / np.linalg.norm(two)
    assert found == pytest.approx({"same": 1.0, "half": (1 + other) / 2}, abs=1e-6) and other < 0.999
