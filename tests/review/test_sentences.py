"""The numbers of sentences."""

from math import inf

import pytest

from robustdr_review.sentences import figures, sentences, tables_named


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It rises from 31.2 to 33.4 [12, 13] (Doe, 2020).", [("value", 31.2), ("value", 33.4)]),
        ("4.2 Results on MRR@10 and BM25 in Table 2 and Figures 3.1 and 4.2 of 2021", []),
        ("p < 0.01, and p-value<.05", [("level", 0.01), ("level", 0.05)]),
        ("best on 11 of 13, and on two of the three", [("count", 11), ("count", 2)]),
        ("an RR@10 of 31.2, 1.10 of 20, 10 of 20.5", [("value", 31.2), ("value", 1.1), ("value", 20.5)]),
        ("a 12.3\\% gain, 4 percent, 3 points", [("share", 12.3), ("share", 4), ("points", 3)]),
        ("6%-12%", [("share", 6), ("share", 12)]),
        ("9.17 million passages, 1,234.5 of them", [("value", 9.17e6), ("value", 1234.5)]),
    ],
)  # fmt: skip
def test_what_counts_as_a_number(sentence, expected):
    found = figures(sentence)
    assert [figure.kind for figure in found] == [kind for kind, _ in expected]
    assert all(f.interval.low <= number <= f.interval.high for f, (_, number) in zip(found, expected, strict=True))


def test_a_hedge_widens_a_number():
    over, nearly, at_most = figures("over 50%, nearly 30% and up to 12%")
    assert figures("a ~2% outlier")[0].hedge == "~"
    assert figures("surpassing 50%")[0].interval == (50, inf)
    assert over.interval == (50, inf) and at_most.interval == (0, 12)
    assert nearly.interval.low == 25 and nearly.interval.high == 40


def test_sentences_end_at_points_that_are_no_abbreviation():
    text = "We win (e.g. by 2.5 points), as Doe et al. Do.\nSee Fig. 3. It falls."
    assert [*sentences(text)] == [
        (0, "We win (e.g. by 2.5 points), as Doe et al. Do."),
        (1, "See Fig. 3."),
        (1, "It falls."),
    ]
    assert tables_named("As in Tables 2, 3 and 11, and Table A.1") == ["2", "3", "11", "A.1"]
