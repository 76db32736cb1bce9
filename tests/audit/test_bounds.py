"""Ranges, order by depth, bold for the best, equal rows: what one cell breaks and the others obey."""

import pytest

from robustdr.audit.audited import audit


def kinds(paper, cells, names=("RR@10", "R@5", "R@20"), **more):
    table = {"columns": [{"measure": name} for name in names], "row": "system", "cells": cells, **more}
    return [
        (finding.kind, finding.severity, finding.flaws[0].cell.printed) for finding in audit(paper(t=table)).findings
    ]


GOOD = """\
a | 31.2 | 45.1 | 60.3
b | 22.8 | 40.7 | 51.9
c | 44.6 | 58.2 | 71.4
d | 18.3 | 29.9 | 44.8
e | 35.5 | 47.0 | 63.6
"""


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "severity"),
    [
        ("44.6", "144.6", "out_of_range", "impossible"),
        ("44.6", "-44.6", "out_of_range", "impossible"),
        ("51.9", "40.1", "out_of_order", "inconsistent"),
    ],
)
def test_the_one_cell_is_found(paper, right, wrong, kind, severity):
    assert kinds(paper, GOOD) == []
    assert [finding[:2] for finding in kinds(paper, GOOD.replace(right, wrong))] == [(kind, severity)]


def test_a_measure_that_is_mostly_outside_of_its_range_is_another_one(paper):
    assert kinds(paper, "a | 310.2\nb | 220.8\nc | 44.6\nd | 180.3\n", ["R"]) == []
    shares = "".join(f"s{number} | 0.{number}1\n" for number in range(1, 10))
    assert [kind[2] for kind in kinds(paper, f"{shares}t | 1.62\n", ["R@1"])] == ["1.62"]
    assert kinds(paper, f"{shares}t | 1.62\nu | 2.81\n", ["R@1"]) == []  # small percentages


def test_bold_that_is_not_the_best(paper):
    names = ["RR@10", "nDCG@10", "P@10", "AP@10", "R@10"]
    rows = [
        "a | 31.2 | 45.1 | 60.3 | 21.5 | 33.3",
        "b | 22.8 | 40.7 | 51.9 | 18.8 | 28.6",
        "c | 34.6 | 48.2 | 62.4 | 23.1 | 35.7",
        "d | 18.3 | 29.9 | 44.8 | 11.2 | 20.4",
        "e | 35.5^ | 49.0^ | 63.6^ | 24.9^ | 36.2^",
        "f | 30.1 | 41.3 | 58.0 | 20.7 | 31.9",
        "g | 12.4 | 25.5 | 37.1 | 9.3 | 15.8",
        "h | 27.7 | 39.9 | 55.2 | 19.6 | 30.0",
    ]
    cells = "\n".join(rows) + "\n"
    marks = {"marks": {"^": "bold"}}
    assert kinds(paper, cells, names, **marks) == []
    assert kinds(paper, cells.replace("62.4", "64.4"), names, **marks) == [("bold_not_best", "suspicious", "63.6")]
    other = "c | 34.6 | 48.2 | 64.4^ | 23.1 | 35.7"  # two that are bold, the best among them
    assert kinds(paper, cells.replace(rows[2], other), names, **marks) == []
    lowest = cells.replace("63.6^", "63.6").replace("37.1", "37.1^")  # a measure whose best is the lowest
    assert kinds(paper, lowest, names, **marks) == []
    mixed = cells.replace("62.4", "64.4%")  # of another unit
    assert kinds(paper, mixed, names, **marks) == []
    few = "\n".join(rows[:6]) + "\n"  # five rows of six columns are enough if all bold ones are the largest
    assert kinds(paper, few.replace("62.4", "64.4"), names, **marks) == [("bold_not_best", "suspicious", "63.6")]


STARRED = """\
a | 31.2*  | 0.031
b | 22.8** | 0.004
c | 24.6   | 0.44
d | 18.3*  | 0.012
e | 35.5   | 0.21
f | 29.1** | <0.001
g | 25.5   | 0.09
h | WRONG  | 0.73
"""


@pytest.mark.parametrize(("printed", "wrong"), [("27.7", False), ("27.7*", True), ("27.7**", True)])
def test_marks_beside_values_of_p(paper, printed, wrong):
    columns = [{"measure": "EM"}, {"quantity": "p-value"}]
    table = {"columns": columns, "row": "system", "cells": STARRED.replace("WRONG", printed), "marks": {"*": "see"}}
    table["caption"] = "Results; * marks p < 0.05, ** p < 0.01"
    marked = [(finding.kind, finding.flaws[0].cell.printed) for finding in audit(paper(t=table)).findings]
    assert marked == ([("marked_wrongly", "27.7")] if wrong else [])
    assert audit(paper(t={**table, "caption": "Results"})).findings == []


def test_two_rows_of_equal_numbers(paper):
    assert [kind[0] for kind in kinds(paper, GOOD + "f | 31.2 | 45.1 | 60.3\n")] == ["equal_rows"]
    rows = GOOD + "{} | 31.2 | 45.1 | 60.3\n"
    assert kinds(paper, rows.format("a #2")) == []  # a system that is printed twice
    assert kinds(paper, rows.format("f"), caption="Ablation") == []  # the whole system
    total = GOOD + "f | 31.2^ | 45.1^ | 60.3^\n"
    assert kinds(paper, total, marks={"^": "bold"}) == []  # the total of a group of one
    assert kinds(paper, rows.format("a (large)")) == []  # an addition that changes nothing here
    assert kinds(paper, rows.format("f") + "g | 31.2 | 45.1 | 61.3\n") == []  # a third row has two: what they share
    assert kinds(paper, rows.format("f").replace("31.2", "31.0").replace("45.1", "45.0")) == []
    groups = (
        GOOD.replace("a |", "g | a |").replace("b |", "g | b |").replace("c |", "g | c |").replace("d |", "g | d |")
    )
    cells = groups.replace("e |", "g | e |") + "{} | 31.2 | 45.1 | 60.3\n"
    two_labels = {"row": ["category", "system"]}
    assert [kind[0] for kind in kinds(paper, cells.format("h | a"), **two_labels)] == ["equal_rows"]
    assert kinds(paper, cells.format("h | x"), **two_labels) == []  # a setting that two groups have in common
