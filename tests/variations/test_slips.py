"""Slips of hand-worked words and queries, and distances of shares worked by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr import variations
from robustdr.variations import misspelling
from robustdr.variations.slips import (
    FEATURES,
    Slip,
    as_text,
    common_prefix_length,
    counts,
    distance,
    generated,
    shares,
    slip,
    slips,
)


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "letter", "place"),
    [
        ("tanning", "taning", "delete", "double", "inner"),
        ("homes", "omes", "delete", "other", "first"),
        ("heart", "hear", "delete", "other", "last"),
        ("lily", "lilly", "insert", "double", "inner"),
        ("stomach", "stomache", "insert", "other", "last"),
        ("cat", "caty", "insert", "neighbour", "last"),  # y touches t
        ("cat", "scat", "insert", "other", "first"),  # s does not touch c
        ("please", "pkease", "substitute", "neighbour", "inner"),
        ("latter", "letter", "substitute", "other", "inner"),
        ("Casino", "casion", "transpose", None, "last"),
        ("field", "filed", "transpose", None, "inner"),
        ("form", "ofrm", "transpose", None, "first"),
        ("effects", "efectes", "several", None, None),
        ("even though", "eventhough", "space", None, None),
        ("whatever", "what ever", "space", None, None),
        ("a go", "ago", "space", None, None),
        ("a", "b", "substitute", "other", "first"),
    ],
)
def test_kind_letter_and_place(right, wrong, kind, letter, place):
    assert slip(right.lower(), wrong)[:3] == (kind, letter, place)


@pytest.mark.parametrize(
    ("right", "wrong", "rest"),
    [
        ("their", "theur", ("4–5", "stop", "nonword")),
        ("rid", "ride", ("1–3", "content", "real")),
        ("photosynthesis", "photosyntesis", ("10+", "content", "nonword")),
        ("whatever", "what ever", ("8–9", "content", "real")),
        ("me", "my", ("1–3", "stop", "real")),
    ],
)
def test_word_and_result(right, wrong, rest):
    assert slip(right, wrong)[3:] == rest


def test_every_length_has_its_name():
    names = [slip("x" * size, "y").length for size in range(1, 12)]
    assert names == ["1–3"] * 3 + ["4–5"] * 2 + ["6–7"] * 2 + ["8–9"] * 2 + ["10+"] * 2


def test_the_slips_of_a_query():
    found = slips("How do I clean my own fan, even though?", "how do i claen my onw fan eventhough")
    assert [one.kind for one in found] == ["transpose", "transpose", "space"]
    assert slips("Is it so?", "is it SO") == [] == slips("red river", "the red river")
    assert [one.kind for one in slips("one two three", "won tow")] == ["several"]  # three words are two


@given(st.text("abc ", max_size=12), st.text("abc ", max_size=12))
def test_every_value_is_one_of_its_feature(right, wrong):
    for one in slips(right, wrong):
        assert all(value in (*FEATURES[feature], None) for feature, value in one._asdict().items())
    assert bool(slips(right, right)) is False and common_prefix_length(right, wrong) == common_prefix_length(
        wrong, right
    ) <= len(right)


ONE = Slip("insert", "double", "inner", "4–5", "content", "real")
TWO = Slip("several", None, None, "10+", "content", "nonword")


def test_counts_and_shares():
    found = counts([[ONE], [], [TWO, TWO, ONE]])
    assert found["kind"].tolist() == [[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 2]]
    assert found["letter"].tolist() == [[1, 0, 0], [1, 0, 0]] and found["count"].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert shares(found)["kind"].tolist() == [0.5, 0, 0, 0, 0, 0.5]
    assert np.isnan(shares(counts([[TWO]]))["place"]).all()


def test_a_distance_is_half_the_sum_of_the_differences():
    people = np.array([[1.0, 0.0]] * 3 + [[0.0, 1.0]])
    middle, low, high = distance(people, np.array([0.25, 0.75]))
    assert middle == 0.5 and low < 0.5 < high <= 0.75
    assert distance(people, people.mean(0))[0] == 0 and distance(people, people.mean(0))[2] > 0
    assert distance(people, np.array([0.25, 0.75])) == (middle, low, high)  # the same draws
    assert np.isnan(distance(np.zeros((3, 2)), np.array([0.5, 0.5]))).all()


def test_a_value_that_some_resamples_lack_leaves_an_interval():
    assert np.isfinite(distance(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0.5, 0.5]))).all()


def test_the_interval_has_the_truth_as_often_as_it_says():
    """For shares far from the others', where the distance has no bias."""
    random = np.random.default_rng(3)
    truth, others = np.array([0.8, 0.2]), np.array([0.1, 0.9])
    ends = [distance(np.eye(2)[random.choice(2, 60, p=truth)], others)[1:] for _ in range(200)]
    assert 0.90 <= np.mean([low <= 0.7 <= high for low, high in ends]) <= 0.99


def test_what_a_generator_makes_of_texts():
    found = generated(variations.create("rand_delete"), ["The photosynthesis cycle!"])
    assert found["kind"][1] == 1 and found["word"].tolist() == [0, 1] and found["count"].tolist() == [1, 0, 0]
    assert found["place"] == pytest.approx([0.14, 0.72, 0.14], abs=0.03)  # of 14 and of 5 characters


def test_tables_have_a_row_for_each_and_a_dash_where_a_feature_has_no_value():
    text = as_text(counts([[ONE], [ONE]]), {"swaps": shares(counts([[TWO]]))})
    rows = {line.split(" | ")[0].strip("| "): line.split(" | ")[1:] for line in text.splitlines() if "---" not in line}
    assert rows["people"][0] == "100 · 0 · 0 · 0 · 0 · 0"
    assert rows["the same people, drawn again"][0] == "0.00 (0.00–0.00)"
    assert rows["swaps"][:3] == ["1.00 (1.00–1.00)", "–", "–"]


def test_the_variant_people_makes_slips_as_people_do():
    """Kinds and places are as frequent as in `PEOPLE` where the list has them; the default keeps its bytes."""
    texts = ["how do I forward several messages to another account", "who discovered the treatment of kidney disease"]
    for name in ("human_misspelling", "human_misspelling_learned"):
        queries = {str(number): texts[number % 2] for number in range(2000)}
        varied = variations.create(name, {"variant": "people"}).vary(queries.items(), 1)
        made = [one for qid, text in varied for one in slips(queries[qid], text)]
        assert len(made) == 2000
        found = Counter((one.kind, one.place) for one in made)
        for kind, count in misspelling.PEOPLE.items():
            assert found[kind] / 2000 == pytest.approx(count / sum(misspelling.PEOPLE.values()), abs=0.04), kind


def test_the_variant_people_never_shares_a_misspelling_with_training():
    text = "photosynthesis of tropical plants in the garden"
    made = [
        {
            text
            for _, text in variations.create(name, {"variant": "people"}).vary([(str(n), text) for n in range(900)], 1)
        }
        for name in ("human_misspelling", "human_misspelling_learned")
    ]
    assert len(made[0]) > 20 and len(made[1]) > 20 and made[0] & made[1] <= {text}


def test_the_default_of_human_misspelling_does_not_name_its_variant():
    """Its draws, and so its bytes, are those of a generator without parameters."""
    assert variations.create("human_misspelling").parameters == {}
    assert variations.create("human_misspelling", {"variant": "people"}).parameters == {"variant": "people"}
