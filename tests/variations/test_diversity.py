"""What a rewording changes, and the means over questions, worked by hand."""

import numpy as np
import pytest

from robustdr import variations
from robustdr.variations.diversity import CHANGES, MEASURES, change, measure, reworded

QUESTION = "How do I delete my Facebook account?"


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("how do i delete my facebook account", "none"),
        ("how do i delete my facebok account", "spelling"),
        ("how do i delet my facebok account", "spelling"),
        ("how do i delete my fbk account", "some replaced"),  # more than a slip
        ("account facebook delete my do I how", "order"),
        ("delete the facebook account", "stop words"),
        ("facebook account", "words lost"),
        ("how do I quickly delete my facebook account", "words added"),
        ("how can I remove my facebook account", "some replaced"),
        ("get rid of a profile", "all replaced"),
        ("how do I", "all replaced"),
    ],
)
def test_what_changes(text, changed):
    assert change(QUESTION, text) == changed


def test_means_are_over_questions():
    """Two rewordings of the first question count as one of the second."""
    questions = [("red river", ["red river", "blue sea"]), ("old tree", ["old trees"])]
    found = measure(questions, lambda texts: np.array([[1, 0] if "re" in text else [0, 1] for text in texts]))
    assert tuple(found) == MEASURES
    means = {key: mean for key, (mean, _) in found.items()}
    assert means["similarity"] == pytest.approx((0.5 + 1) / 2)
    assert means["Jaccard"] == pytest.approx((0.5 + 1 / 3) / 2) and means["words kept"] == pytest.approx(
        (0.5 + 0.5) / 2
    )
    assert means["characters"] == pytest.approx((8.5 + 9) / 2) and means["Levenshtein"] == pytest.approx((4 + 1) / 2)
    assert {key: means[key] for key in CHANGES if means[key]} == {"none": 0.25, "all replaced": 0.25, "spelling": 0.5}
    assert found["none"][1] == pytest.approx(1.96 * np.std([0.5, 0], ddof=1) / 2**0.5)


def test_without_an_encoder_there_is_no_similarity():
    assert "similarity" not in measure([("red river", ["blue river"])])


def test_generators_vary_each_question():
    [(question, varied), _] = reworded(variations.create("swap_words"), ["red river", "old tree"])
    assert question == "red river" and varied == ["river red", "river red"]
