"""Counts in a sentence that say a thing twice: shares with their part and whole, and the parts of a split."""

import pytest

from robustdr_review.amounts import amounts


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("Of 160 participants, 44 (27.5%) finished.", [("27.5%", True)]),
        ("Of 160 participants, 44 (25.7%) finished.", [("25.7%", False)]),
        ("In total, 97 of 196 (49.5%) answers are correct.", [("49.5%", True)]),
        ("They agree on 97 out of 196 items (45.9%).", [("45.9%", False)]),
        ("They agree on 1,097 of the 2,196 items (49.95%).", [("49.95%", True)]),
        ("Of 160 participants, 80 were women, and 44 (55%) of them finished.", []),
        ("We found 44 (27.5%).", []),
        ("The set has 1,000 questions: 800 for training, 150 for development and 50 for testing.", [("1,000", True)]),
        ("The set has 1,100 questions: 800 for training, 150 for development and 50 for testing.", [("1,100", False)]),
        ("We split 1,000 examples into 800 training, 150 validation and 50 test examples.", [("1,000", True)]),
        ("We split 1,000 examples into 800 training and 150 test examples.", []),  # and the rest?
        ("Of 9,000 questions we take 800 for training, 150 for development and 50 for testing.", []),
    ],
)
def test_the_parts_of_a_sentence(sentence, numbers):
    assert [(one.number, one.agrees) for one in amounts(sentence)] == numbers
