"""What a number cannot be by definition, in tables of one to three rows: no neighbour, no chance."""

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.heads import role
from robustdr.audit.reported import load_paper


def found(paper, heads, rows, caption="Results", unit="number"):
    columns = [head if isinstance(head, dict) else {"system": head} for head in heads]
    table = {"columns": columns, "row": "category", "caption": caption, "cells": rows, "unit": unit}
    return [
        (one.kind, one.severity, one.flaws[0].cell.printed, one.flaws[0].words)
        for one in audit(paper(t=table)).findings
    ]


PAIR = {"system": "M (SD)", "and": "second"}
LIMITS = {"system": "95% CI", "and": "second"}
TALLY = {"system": "Cases (n = 160)", "and": "second"}

# head of columns, a row that can be, the same row with an error, kind, severity, what is printed wrongly
ROWS = [
    (["Pearson"], "a | 0.87", "a | 1.27", "out_of_range", "impossible", "1.27"),
    (["t", "df", "p"], "a | 0.40 | 20 | 0.69", "a | 0.40 | 20 | 6.90", "out_of_range", "impossible", "6.90"),
    (["Accuracy (%)"], "a | 91.2", "a | 191.2", "out_of_range", "impossible", "191.2"),
    (["Recall@5", "Recall@50"], "a | 33.1 | 61.0", "a | 33.1 | 16.0", "out_of_order", "inconsistent", "33.1"),
    (["P", "R", "F1"], "a | 51.3 | 74.9 | 60.9", "a | 51.3 | 74.9 | 69.0", "f1_of_p_and_r", "inconsistent", "69.0"),
    (["TP", "FP", "Precision"], "a | 33 | 11 | 75.0", "a | 33 | 11 | 57.0", "rate_of_counts", "inconsistent", "57.0"),
    (
        ["TP", "FP", "FN", "TN", "Accuracy"],
        "a | 12 | 3 | 5 | 30 | 0.84",
        "a | 12 | 3 | 5 | 30 | 0.48",
        "rate_of_counts",
        "inconsistent",
        "0.48",
    ),
    (["Min", "Median", "Max"], "a | 1.2 | 3.4 | 7.7", "a | 1.2 | 8.4 | 7.7", "not_between", "impossible", "8.4"),
    (["Min", "Mean", "Max"], "a | 1.21 | 3.40 | 7.70", "a | 1.21 | 0.34 | 7.70", "not_between", "impossible", "1.21"),
    (
        ["Mean", "Median", "SD"],
        "a | 3.40 | 2.71 | 1.10",
        "a | 3.40 | 7.21 | 1.10",
        "mean_and_median",
        "impossible",
        "3.40",
    ),
    (["Min", "Max", "SD"], "a | 1.0 | 5.0 | 1.41", "a | 1.0 | 5.0 | 4.11", "too_wide", "impossible", "4.11"),
    (["n", "SD", "SE"], "a | 36 | 4.21 | 0.70", "a | 36 | 4.21 | 0.07", "error_of_mean", "inconsistent", "0.07"),
    (["SD", "SE"], "a | 4.21 | 0.70", "a | 0.42 | 0.70", "error_of_mean", "impossible", "0.70"),
    (["OR", LIMITS], "a | 1.84 | 1.21 / 2.80", "a | 1.18 | 1.21 / 2.80", "outside_of_interval", "inconsistent", "1.18"),
    (["OR", LIMITS], "a | 1.84 | 1.21 / 2.80", "a | 1.84 | 2.80 / 1.21", "limits_reversed", "impossible", "2.80"),
    (
        ["b", "Lower", "Upper"],
        "a | -0.31 | -0.52 | -0.10",
        "a | -0.62 | -0.52 | -0.10",
        "outside_of_interval",
        "inconsistent",
        "-0.62",
    ),
    (
        ["b", "SE", "t"],
        "a | 0.62 | 0.20 | 3.10",
        "a | 0.62 | 0.20 | 1.30",
        "estimate_over_error",
        "inconsistent",
        "1.30",
    ),
    ([TALLY], "a, n (%) | 44 (27.5)", "a, n (%) | 44 (25.7)", "count_and_share", "inconsistent", "25.7"),
    (["MAE", "RMSE"], "a | 1.42 | 1.90", "a | 1.90 | 1.42", "absolute_and_squared", "impossible", "1.90"),
    (
        ["Correct", "Total", "Acc. (%)"],
        "a | 97 | 196 | 49.5",
        "a | 97 | 196 | 45.9",
        "rate_of_counts",
        "inconsistent",
        "45.9",
    ),
    (["Kendall τ"], "a | 0.41", "a | 1.41", "out_of_range", "impossible", "1.41"),
    (
        ["Estimate", "SE", LIMITS],
        "a | 0.62 | 0.20 | 0.23 / 1.01",
        "a | 0.62 | 0.20 | 0.23 / 1.31",
        "not_in_the_middle",
        "suspicious",
        "0.62",
    ),
    (["Sum", "p-value"], "a | 4.2 | 0.31", "a | 4.2 | 1.31", "out_of_range", "impossible", "1.31"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[3]} {row[5]}")
def test_one_row_is_enough(paper, row):
    heads, right, wrong, kind, severity, printed = row
    assert found(paper, heads, right) == []
    assert [one[:3] for one in found(paper, heads, wrong)] == [(kind, severity, printed)]


def test_numbers_that_are_not_of_their_heads(paper):
    heads = [{"query_set": name, "quantity": head} for name, head in ("xR", "xF", "yP", "yR", "yF", "xP")]
    cells = "a | 82.4 | {} | 79.9 | 68.6 | 73.8 | 65.5"  # the head of the first P was not read
    assert found(paper, heads, cells.format("83.6")) == []
    gains = "a | 51.3 | 74.9 | 60.9\nImprovement | 17.1 | 56.5 | 45.8"
    assert found(paper, ["P", "R", "F1"], gains) == []
    assert found(paper, ["25%", "75%"], "a | 83.5 | 80.0") == []  # of the data
    triples = "a | 2 / 5 / 40%\nb | 3 / 5 / 60%\nc | 40% / 2 / 5\nd | 60% / 3 / 5\ne | 20% / 1 / 5"
    assert found(paper, [{"system": "Hits", "and": ["second", "third"]}], triples) == []
    assert len(found(paper, ["Min", "25%", "75%"], "a | 10.0 | 83.5 | 80.0")) == 1
    for row in ("b | +120.4%", "b | -3.1%", "Method | 400"):
        assert found(paper, ["Accuracy (%)"], f"a | 91.2\n{row}") == []


def test_changes_may_fall_with_the_depth(paper):
    heads = ["Recall@5", "Recall@50"]
    assert [one[0] for one in found(paper, heads, "a | 9.3 | 7.3")] == ["out_of_order"]
    assert found(paper, heads, "a | +9.3 | +7.3") == []
    assert found(paper, heads, "a | 9.3 | 7.3", "Decrease (%) of the recall") == []


def test_f1_of_averages(paper):
    right = "a | 76.1 | 60.2 | 67.2\nb | 51.3 | 74.9 | 60.9\nc | 44.0 | 52.5 | 47.9\n"
    wrong = "d | 83.0 | 75.0 | 75.8\n"
    assert [one[2] for one in found(paper, ["P", "R", "F1"], right + wrong)] == ["75.8"]
    rows = "a | {} | 44 | 67 | 53\nb | 75 | 76 | 75 | 72\nc | 72 | 70 | 72 | 71\nd | 94 | 94 | 93 | 93\n"
    heads = ["Accuracy", "P", "R", "F1"]
    assert [one[2] for one in found(paper, heads, rows.format("61"))] == ["72"]
    assert found(paper, heads, rows.format("67")) == []  # over classes: the recall is the accuracy
    near = "d | 83.0 | 75.0 | 78.5\n"
    assert [one[2] for one in found(paper, ["P", "R", "F1"], right + near)] == ["78.5"]
    assert found(paper, ["P", "R", "F1"], right + near + "e | 62.0 | 40.0 | 48.4\n") == []  # over runs


def test_what_is_in_rows_is_tested_as_what_is_in_columns(paper):
    right = "Min | 1.2 | 2.3\nMedian | 3.4 | 4.4\nMax | 7.7 | 8.8"
    assert found(paper, ["a", "b"], right) == []
    assert [one[:3] for one in found(paper, ["a", "b"], right.replace("4.4", "9.4"))] == [
        ("not_between", "impossible", "9.4")
    ]


@pytest.mark.parametrize(
    ("caption", "rows", "kinds"),
    [
        ("Ratings", "a | 28 | 3.39 (1.07)\nb | 27 | 3.41 (0.97)", []),
        ("Ratings", "a | 28 | 3.37 (1.07)\nb | 27 | 3.41 (0.97)", [("no_such_mean", "3.37")]),
        ("Ratings", "a | 28 | 3.39 (1.01)\nb | 27 | 3.41 (0.97)", [("no_such_deviation", "1.01")]),
        ("Times in seconds", "a | 28 | 3.37 (1.07)\nb | 27 | 3.41 (0.97)", []),  # seconds are no whole numbers
        ("Ratings on a scale from 1 to 5", "a | 950 | 4.61 (0.62)", []),
        # 24 ratings with the sum 26: 1 and 2 alone have the deviation 0.28, a 3 among them 0.41
        ("Ratings on a scale from 1 to 5", "a | 24 | 1.08 (0.28)", []),
        ("Ratings on a scale from 1 to 5", "a | 24 | 1.08 (0.41)", []),
        ("Ratings on a scale from 1 to 5", "a | 24 | 1.08 (0.36)", [("no_such_deviation", "0.36")]),
        ("Ratings on a scale from 1 to 5", "a | 950 | 4.61 (2.62)", [("too_wide", "2.62")]),
        ("Ratings on a scale from 1 to 5", "a | 950 | 6.41 (0.62)", [("off_the_scale", "6.41")]),
    ],
)
def test_samples_of_whole_numbers(paper, caption, rows, kinds):
    assert [(one[0], one[2]) for one in found(paper, ["n", PAIR], rows, caption)] == kinds


@pytest.mark.parametrize(
    ("caption", "rows", "wrong"),
    [
        ("Answers (0 = no, 1 = yes)", "a | 80 | 0.35 (0.48)", []),  # √(0.35 · 0.65 · 80 / 79)
        ("Answers (0 = no, 1 = yes)", "a | 80 | 0.35 (0.84)", ["0.84"]),
        ("Answers", "a | 80 | 0.35 (0.84)", []),  # of what?
        ("Answers", "a | 80 | 0.35 (0.84)\nb | 80 | 0.20 (0.40)\nc | 80 | 0.51 (0.50)", ["0.84"]),
        ("Answers", "a | 80 | 0.35 (0.84)\nb | 80 | 0.20 (0.31)\nc | 80 | 0.51 (0.50)", []),
    ],
)
def test_the_deviation_of_a_share(paper, caption, rows, wrong):
    assert [one[2] for one in found(paper, ["n", PAIR], rows, caption)] == wrong


def test_the_deviation_of_runs(paper):
    heads = [*({"seed": str(number)} for number in (1, 2, 3)), {"value": "deviation"}]
    rows = "a | 50.3 | 48.5 | 52.0 | 1.75\nb | 50.6 | 48.4 | 50.0 | 1.14\nc | 49.4 | 51.8 | 50.2 | {}\n"
    assert found(paper, heads, rows.format("1.22")) == found(paper, heads, rows.format("1.00")) == []  # over 2, over 3
    assert [one[::2] for one in found(paper, heads, rows.format("2.21"))] == [("deviation_of_runs", "2.21")]


def test_several_numbers_out_of_a_range_are_another_measure(paper):
    rows = "a | 71.2\nb | 68.4\nc | {}\nd | {}\n"
    assert [one[0] for one in found(paper, ["Recall@128"], rows.format("104.1", "80.3"))] == ["out_of_range"]
    assert found(paper, ["Recall@128"], rows.format("104.1", "102.7")) == []
    assert found(paper, ["Latency [s]"], "success | 663.22\nfailure | 41.10") == []


def test_shares_of_a_whole_that_nothing_prints(paper):
    rows = "a, n (%) | 31 (25.8)\nb, n (%) | 60 (50.0)\nc, n (%) | 24 (20.0)\nd, n (%) | 101 (84.2)\ne, n (%) | {}\n"
    head = [{"system": "Cases", "and": "second"}]
    assert found(paper, head, rows.format("77 (64.2)")) == []
    assert [one[:3] for one in found(paper, head, rows.format("77 (46.2)"))] == [
        ("count_and_share", "suspicious", "46.2")
    ]


def test_shares_that_add_up_to_100(paper):
    rows = "a | 31.2 | 22.8 | 46.0\nb | 17.5 | 60.1 | 22.4\nc | 44.0 | 10.2 | {}\n"
    assert found(paper, ["low", "middle", "high share"], rows.format("45.8")) == []
    assert found(paper, ["low", "middle", "high share"], rows.format("54.8"))[0][:2] == ("not_to_100", "inconsistent")
    assert found(paper, ["low", "middle", "high share"], rows.format("845.8")) == []  # no shares
    assert found(paper, ["low", "middle", "high share"], rows.format("45.8") + "d | 10 | 20 | 30\n") == []  # a head
    estimates = "a | 0.01 | 0.00 | 1.00\nb | 0.00 | 0.00 | 1.00\nc | 0.00 | 0.00 | 1.00\nd | {} | 0.02 | 1.00\n"
    assert found(paper, ["low", "middle", "high share"], estimates.format("0.31")) == []  # one number is the whole
    shares = "a | 0.31 | 0.23 | 0.46\nb | 0.18 | 0.60 | 0.22\nc | {} | 0.61 | 0.40\nd | 0.20 | 0.31 | 0.88\n"
    for first, kinds in (("-0.01", []), ("0.00", ["not_to_100"])):  # no part is negative
        assert [one[0] for one in found(paper, ["low", "middle", "high share"], shares.format(first))] == kinds


def test_a_share_of_a_named_size_in_a_small_table(paper):
    rows = "a | 41.2 | 67.4 | 55.0\nb | 31.4 | 62.2 | 46.8\nc | 81.4 | {} | 66.2\n"
    assert found(paper, ["X", "Y", "Z"], rows.format("72.6"), "Accuracy (%) on 500 questions", "percent") == []
    [one] = found(paper, ["X", "Y", "Z"], rows.format("72.5"), "Accuracy (%) on 500 questions", "percent")
    assert one[:3] == ("not_of_whole", "suspicious", "72.5")


@pytest.mark.parametrize(
    ("label", "right", "wrong"),
    [
        ("Avg.", ["51.2", "40.0", "62.1"], "26.1"),
        ("Median", ["53.1", "38.4", "66.0"], "62.1"),
        ("Total", ["153.6", "119.9", "186.4"], "168.4"),
    ],
)
def test_an_aggregate_of_three_rows(paper, label, right, wrong):
    rows = "a | 53.1 | 60.2 | 40.3 | {}\nb | 38.4 | 51.0 | 30.5 | {}\nc | 66.0 | 70.2 | 50.2 | {}\n"
    heads = ["A", "B", "C", label]
    assert found(paper, heads, rows.format(*right)) == []
    assert [one[2] for one in found(paper, heads, rows.format(*right[:2], wrong))] == [wrong]


@pytest.mark.parametrize(
    ("heads", "rows"),
    [
        (["ΔAccuracy"], "a | -3.1"),
        (["Relative Accuracy (%)"], "a | 103.1"),
        (["Accuracy"], "a | 310\nb | 240\nc | 55"),  # another measure
        (["r", "x"], "a | 8 | 31.2\nb | 16 | 40.1"),  # a rank
        (["P", "R", "F1"], "Macro | 0.81 | 0.77 | 0.74"),
        (["P", "R", "F1"], "a | 0.81 | 0.77 | 0.74\nb | 0.61 | 0.57 | 0.51"),  # averages of classes
        (["OR", "SE", "z"], "a | 1.84 | 0.21 | 2.90"),  # the error of its logarithm
        (["OR", LIMITS], "a | 2 | 2.1 / 2.9"),  # 2 may be 2.4
        (["Max", "Min"], "a | 1 | 1.4"),  # and 1 may be 1.9
        (["R@1", "R@2"], "ROUGE | 44.1 | 21.0"),
        (["n", "Mean"], "a | 7 | 3.35"),
    ],
)
def test_what_may_be_is_left_alone(paper, heads, rows):
    assert found(paper, heads, rows) == []


def test_labels_say_what_numbers_are():
    assert [role("M (SD)", place, 2) for place in (0, 1)] == ["mean", "sd"]
    assert role(f"{'word ' * 10_000}, mean") == ""  # a label of this length is a mistake, and slow to search
    assert [role("Age, mean ± SD", place, 2) for place in (0, 1)] == ["mean", "sd"]
    assert [role("OR [95% CI]", place, 3) for place in (0, 1, 2)] == ["estimate", "low", "high"]
    assert [role("Male, n (%)", place, 2) for place in (0, 1)] == ["n", "percent"]
    assert [role(label) for label in ("p", "P", "r", "R", "Model", "DA")] == ["p", "precision", "r", "recall", "", ""]


def test_the_five_papers_break_no_definition():
    kinds = {row[3] for row in ROWS} | {"not_to_100", "off_the_scale", "no_such_mean"}
    for name in ("rodr", "capot", "qvg", "toroder", "intent"):
        assert not kinds & {finding.kind for finding in audit(load_paper(name)).findings}


@pytest.mark.parametrize(
    ("wrong", "printed"), [("0.87 (26/30)", []), ("0.78 (26/30)", ["0.78"]), ("0.87 (62/30)", ["0.87"])]
)
def test_a_share_beside_its_fraction(paper, wrong, printed):
    fractions = {"system": "Right", "and": ["second", "value_3"]}
    rows = f"a | 0.40 (12/30)\nb | 1.00 (30/30)\nc | {wrong}\n"
    assert [one[2] for one in found(paper, [fractions], rows, unit="fraction")] == printed


def test_a_row_of_negative_shares_is_one_of_changes(paper):
    heads = [{"measure": f"P@{depth}"} for depth in (1, 5, 20)]
    rows = "a | 61.0 | 58.2 | 51.7\nD(u) | {} | {} | {}\n"
    assert found(paper, heads, rows.format("-2.1", "-11.7", "-4.1")) == []
    assert [one[2] for one in found(paper, heads, rows.format("-2.1", "11.7", "4.1"))] == ["-2.1"]
    rows = "P@1 | 61.0 | -2.1\nP@5 | 58.2 | {}\nP@20 | 51.7 | -4.1\n"
    table = {"columns": [{"system": "a"}, {"system": "D(u)"}], "row": "measure", "cells": rows.format("-11.7")}
    assert audit(paper(t=table)).findings == []
