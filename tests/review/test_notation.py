"""Statistics against their p: statcheck's published examples, others by hand, in prose and in tables."""

import json

import pytest

from robustdr.audit.audited import audit
from robustdr.cli import main
from robustdr_review import prose
from robustdr_review.notation import judged
from robustdr_review.prose import AGREES, DIFFERS, UNTIED

# What statcheck 1.5 says in its own tests: -: no error, E: an error, D: an error that changes the decision at .05.
# `t(28) = 2.20, p = .018` is an error, and none if the text says that tests are one-tailed.
STATCHECK = """
t(28) = 2.20, p = .06 | D
t(28) = 2.20, p = .03 | E
t(28) = -2.20, p = .03 | E
t(28) = 1.20, p = .03 | D
t(28) = 2.20, p = .05 | E
t(28) = 2.20, p = .30 | D
t(28) = 2.20, ns | D
t(28) = 2.20, p > .05 | D
t(28) = 2.0, p < .05 | -
t(28) = 2, p = .02 | -
t(28) = 2, p = .14 | -
t(28) = 2.2, p = .03 | -
t(28) = 2.2, p = .04 | -
t(28) = 2.20, p = .036 | -
t(28) = 2.20, p = .037 | -
t(28) = 2.20, p = .018 | E
t(28) = 2.20, p = .018, one-tailed | -
t(28) = 2.20, p = .018, one-sided | -
t(28) = 2.20, p = .018, directional | -
t(28) = 2.20, p = .01, one-tailed | E
t(28) = 22.20, p < .000 | E
t(28.1) = 2.20, p = .04 | -
t(553) = − 4.46, p < .0001 | -
F(2, 28) = 2.20, p = .15 | E
F(2, 28) = 22.20, p = .06 | D
F ( 2 , 28 ) = 2.20 , p = .03 | D
F(2,28)=2.20,p=.03 | D
F(l, 76) = 23.95, p <.001 | -
r(28) = .22, p = .26 | E
r(28) = .22, p = .03 | D
r(28) = .52, p = .06 | D
chi2(28) = 22.20, p = .77 | -
chi2(28) = 22.20, p = .79 | E
chi2(28) = 2.20, p = .03 | D
X2(28) = 52.20, p = .06 | D
chi2(1, N = 11,455) = 16.78, p <.001 | -
chi2(1, n = 81) = 3.25, p = 0.07 | -
z = 2.20, p = .04 | E
z = 1.20, p = .03 | D
Z = -2.42, p = 0.016 | -
Q(28) = 22.20, p = .79 | E
Qwithin(2) = 2.20, p = .03 | D
Q-between(2) = 2.20, p = .03 | D
"""


def outcome(sentence):
    [(_, found)] = judged(sentence)
    return {"fits": "-", "wrong": "E", "decision": "D"}[found.outcome]


@pytest.mark.parametrize("example", STATCHECK.strip().split("\n"))
def test_the_examples_of_statcheck(example):
    sentence, expected = example.split(" | ")
    assert outcome(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The groups differed (t[40] = 2.71; p = .010).", "-"),  # 2 · P(T40 > 2.71) = .0099
        ("χ²(1, N = 90) = 3.84, p = .050", "-"),
        ("χ2(2) = 9.21, p = .001", "E"),  # .010
        ("t = 2.31, df = 58, p = .024", "-"),
        ("F(1, 58) = 5.34, MSE = 1.2, p = .024", "-"),
        ("r(98) = .31, 95% CI [.12, .48], p = .12", "D"),  # .0017
        ("t(28) = 22.20, p = .000", "-"),  # as programs print it
    ],
)
def test_other_notations(sentence, expected):
    assert outcome(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "T(28) = 2.20, p = .03",
        "t(2, 28) = 2.20, p = .03",
        "see p. 01",
        "t(28) = 2.20 was large",
        "rate r = 8",
        "t(4) = 1 1 . 4 2 0 , p < 0 . 0 1",
    ],
)
def test_what_is_no_statistic_with_a_p_is_left_alone(sentence):
    assert [*judged(sentence)] == []


def test_a_correction_may_raise_p_but_not_lower_it():
    assert [
        tie.verdict for tie in prose.tested(1, "Bonferroni-corrected: t(28) = 2.60, p = .044; t(28) = 1.10, p = .02")
    ] == [
        UNTIED,
        DIFFERS,
    ]
    assert prose.tested(1, "r(16) = 26.05, p = .10")[0].verdict == UNTIED


def statistics_in(paper, heads, rows, caption="Tests"):
    columns = [head if isinstance(head, dict) else {"system": head} for head in heads]
    table = {"columns": columns, "row": "category", "caption": caption, "cells": rows, "unit": "number"}
    table["marks"] = {"*": "see"}
    return [(one.kind, one.flaws[0].cell.printed) for one in audit(paper(t=table)).findings]


@pytest.mark.parametrize(
    ("heads", "right", "wrong", "kind", "printed"),
    [
        (["t", "df", "p"], "a | 2.31 | 58 | .024", "a | 2.31 | 58 | .240", "p_and_decision", ".240"),
        (["t", "df", "p"], "a | 2.31 | 58 | .024", "a | 3.21 | 58 | .024", "p_and_statistic", ".024"),
        (["t(58)", "p"], "a | 2.31 | .024", "a | 1.32 | .024", "p_and_decision", ".024"),
        (["F(1, 40)", "p-value"], "a | 4.40 | .042", "a | 4.40 | .240", "p_and_decision", ".240"),
        (["χ²", "df", "p"], "a | 9.21 | 2 | .010", "a | 9.21 | 2 | .100", "p_and_decision", ".100"),
        (["z", "p"], "a | 1.20 | .230", "a | 1.20 | <.05", "p_and_decision", "<.05"),
        (["n", "r", "p"], "a | 60 | .31 | .016", "a | 60 | .13 | .016", "p_and_decision", ".016"),
        (["t", "p"], "a | 2.31 | .024", "a | 2.31 | .004", "p_and_statistic", ".004"),
        (["b", "SE", "p"], "a | 0.52* | 0.20 | .011", "a | 0.52* | 0.20 | .110", "mark_and_p", "0.52"),
        (["b", "SE"], "a | 0.52* | 0.20", "a | 0.25* | 0.20", "mark_and_p", "0.25"),
    ],
)
def test_columns_of_statistics(paper, heads, right, wrong, kind, printed):
    caption = "Tests; * p < .05"
    assert statistics_in(paper, heads, right, caption) == []
    assert (kind, printed) in statistics_in(paper, heads, wrong, caption)


def test_a_page_without_tables_is_reviewed(tmp_path, capsys):
    sentences = "They differed, t(44) = 1.01, p = .004. It held, <i>F</i>(1, 44) = 8.1, p = .007."
    page = f"<html><body><p>{sentences}</p></body></html>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    assert main(["review", str(tmp_path / "a.html"), "-o", str(tmp_path / "out")]) == 0
    ties = json.loads((tmp_path / "out" / "review.json").read_text(encoding="utf-8"))["prose"]
    assert [(tie["verdict"], tie["number"][0]) for tie in ties] == [(DIFFERS, "t"), (AGREES, "F")]
    assert "the decision changes" in ties[0]["cells"] and ".316" in ties[0]["given"]
    (tmp_path / "a.html").write_text("<html><body><p>Nothing.</p></body></html>", encoding="utf-8")
    assert main(["review", str(tmp_path / "a.html"), "-o", str(tmp_path / "out")]) == 2
    assert "no table with numbers" in capsys.readouterr().err
