"""What the audit sees without any declaration, and what it does not take for suspicious."""

import pytest

from robustdr.audit.audited import audit

SEEDS = [{"seed": seed} for seed in range(1, 6)]


def kinds(paper):
    return [finding.kind for finding in audit(paper).findings]


def column(measure, numbers, relations=()):
    cells = "\n".join(f"v{index} | {number}" for index, number in enumerate(numbers))
    return {"columns": [{"measure": measure}], "cells": cells, "unit": "percent", "relations": list(relations)}


NUMBERS = ["32.39", "25.85", "20.63", "31.50", "26.87", "16.85", "16.00"]


def test_a_block_that_recurs_under_another_caption(paper):
    findings = audit(paper(one=column("RR@10", NUMBERS), two=column("Success@20", ["50.00", *NUMBERS]))).findings
    assert [finding.kind for finding in findings] == ["copied_block"]
    assert (findings[0].table, len(findings[0].flaws), findings[0].severity) == ("two", 7, "suspicious")
    assert findings[0].hypothesis == "copied from one, or one from two"


@pytest.mark.parametrize(
    "two",
    [
        column("Success@20", ["50.00", *NUMBERS[:5], "1.00"]),  # five only
        column(
            "Success@20", NUMBERS, [{"for": {"measure": "Success@20"}, "same_as": {"table": "one", "measure": "RR@10"}}]
        ),
        column("Success@20", ["32.40", *NUMBERS[1:3], "7.00", *NUMBERS[3:]]),
    ],
    ids=["five cells", "declared to be the same", "interrupted"],
)
def test_no_block(paper, two):
    assert kinds(paper(one=column("RR@10", NUMBERS), two=two)) == []


def test_a_table_that_repeats_another_is_no_copy(paper):
    def tables(caption):
        return {"one": column("RR@10", NUMBERS), "two": {**column("RR@10", NUMBERS), "caption": caption}}

    assert kinds(paper(**tables("All results"))) == []
    assert kinds(paper(**tables("Success@20 of all"))) == ["copied_block"]
    more = {**column("RR@10", NUMBERS), "where": {"category": "typos"}}  # a label that the other table does not need
    assert kinds(paper(one=column("RR@10", NUMBERS), two=more)) == []


def test_zeros_are_no_block(paper):
    zeros = ["0.000"] * 9
    assert kinds(paper(one=column("RR@10", zeros), two=column("Success@20", zeros))) == []


def seeds(measure, *rows):
    return {"columns": SEEDS, "where": {"measure": measure}, "cells": "\n".join(rows), "unit": "percent"}


AT_20 = ("q | 69.84 | 70.24 | {} | 70.09 | 69.99", "r | 61.91 | 61.88 | 61.70 | 61.81 | 61.95")
AT_200 = ("q | 92.68 | 92.71 | 92.35 | 92.65 | 92.48", "r | 84.74 | 84.83 | 84.30 | 84.91 | 84.70")


def test_a_run_that_its_siblings_make_implausible_and_that_stands_elsewhere(paper):
    findings = audit(
        paper(t=seeds("Success@20", AT_20[0].format("92.71"), AT_20[1]), u=seeds("Success@200", *AT_200))
    ).findings
    assert [(finding.kind, finding.flaws[0].cell.printed) for finding in findings] == [("implausible_seed", "92.71")]
    assert findings[0].hypothesis == "copied from u · Success@200 · seed 2 (92.71)"
    assert "robust z = " in findings[0].flaws[0].words


def test_an_outlier_that_stands_nowhere_else_is_no_finding(paper):
    assert (
        kinds(paper(t=seeds("Success@20", AT_20[0].format("92.70"), AT_20[1]), u=seeds("Success@200", *AT_200))) == []
    )


def test_a_plausible_run_that_stands_elsewhere_is_no_finding(paper):
    assert kinds(paper(t=seeds("Success@20", AT_20[0].format("69.99"), AT_20[1]))) == []


def test_a_row_identical_to_its_neighbour(paper):
    rows = (
        "q | 74.38 | 74.10 | 74.46 | 74.35 | 74.31",
        "r | 74.38 | 74.10 | 74.46 | 73.93 | 74.31",
        "s | 60.00 | 61.00 | 62.00 | 63.00 | 64.00",
    )
    findings = audit(paper(t=seeds("Success@20", *rows))).findings
    assert [(finding.kind, len(finding.flaws)) for finding in findings] == [("identical_rows", 4)]
    assert findings[0].flaws[0].words == "4 of 5 cells equal those of the row above (q)"
    depths = {"columns": [{"system": name} for name in "abcde"], "row": "measure"}
    deeper = (rows[0].replace("q", "R@5"), rows[1].replace("r", "R@10").replace("73.93", "74.93"), rows[2])
    assert kinds(paper(t={**depths, "cells": "\n".join(deeper)})) == []  # the greater depth may find nothing more
    three_equal = (rows[0], "r | 74.38 | 74.10 | 74.46 | 73.93 | 74.33")
    assert kinds(paper(t=seeds("Success@20", *three_equal))) == []


def test_a_label_printed_twice_and_a_gap_in_the_numbering(paper):
    twice = {"columns": [{"seed": seed} for seed in (1, 2, 3, 3, 5)], "cells": "q | 1.0 | 2.0 | 3.0 | 4.0 | 5.0"}
    findings = audit(paper(t=twice)).findings
    assert [(finding.kind, finding.hypothesis) for finding in findings] == [
        ("repeated_label", "seed 4, which no column has, is meant")
    ]
    gap = {"columns": [{"seed": seed} for seed in (1, 2, 4)], "cells": "q | 1.0 | 2.0 | 3.0"}
    assert [finding.flaws[0].words for finding in audit(paper(t=gap)).findings] == ["no column is labelled seed 3"]
    any_numbers = {"columns": [{"seed": seed} for seed in (13, 42, 100)], "cells": "q | 1.0 | 2.0 | 3.0"}
    assert kinds(paper(t=any_numbers)) == []
    rows = {"columns": [{"measure": "RR@10"}], "cells": "q | 1.0\nr | 2.0\nq | 3.0"}
    assert [finding.flaws[0].words for finding in audit(paper(t=rows)).findings] == ["the label q is printed twice"]
    assert kinds(paper(t={**rows, "cells": rows["cells"].replace("q", "second")})) == []  # none was read
    rows["cells"] = rows["cells"].replace("q", "4.1±0.2")  # a number that was taken for a label
    assert kinds(paper(t=rows)) == []


def test_two_measures_that_agree_in_one_place_and_nowhere_else(paper):
    relations = [{"for": {"measure": "Success@20"}, "at_most": {"table": "two", "measure": "Success@100"}}]
    numbers = ["71.13", "62.35", "53.57", "74.79", "65.91", "56.13", "67.24"]
    two = ["81.13", "72.36", "63.55", "84.77", "75.92", "66.11", "67.24"]
    findings = audit(paper(one=column("Success@20", numbers, relations), two=column("Success@100", two))).findings
    assert [(finding.kind, finding.flaws[0].cell.printed) for finding in findings] == [("equal_measures", "67.24")]
    similar = ["71.14", "62.35", "53.59", "74.79", "65.93", "56.13", "67.24"]
    assert kinds(paper(one=column("Success@20", numbers, relations), two=column("Success@100", similar))) == []
