"""What two tables of one paper print at the same labels."""

import pytest

from robustdr.audit.audited import audit

NAMES = ["RR@10", "R@5", "R@20", "nDCG@10"]
FIRST = """\
bm25 | 31.2 | 45.1 | 60.3 | 38.8
dpr  | 22.8 | 40.7 | 51.9 | 29.5
"""
SECOND = """\
bm25 | 31.2 | 45.1 | 60.3 | 38.8
ours | 44.6 | 58.2 | 71.4 | 50.1
"""


def found(paper, second, names=NAMES, **more):
    tables = {"first": FIRST, "second": second}
    columns = [{"measure": name} for name in names]
    drafts = {id: {"columns": columns, "row": "system", "cells": cells, **more} for id, cells in tables.items()}
    return [
        (finding.kind, [flaw.cell.printed for flaw in finding.flaws]) for finding in audit(paper(**drafts)).findings
    ]


@pytest.mark.parametrize(
    ("printed", "pairs"),
    [
        ("45.1", []),
        ("45.12", []),  # it is rounded in the other table
        ("46.1", [("printed_twice", ["45.1", "46.1"])]),
        ("45.1 | 61.3 | 39.8", []),  # another experiment: two of four differ
        ("46.1 | 60.3 | 38.7", []),  # numbers that are only near differ too
    ],
)
def test_a_number_that_two_tables_print_differently(paper, printed, pairs):
    rest = printed if "|" in printed else f"{printed} | 60.3 | 38.8"
    assert found(paper, SECOND.replace("45.1 | 60.3 | 38.8", rest)) == pairs


def test_a_place_without_a_head_is_no_label(paper):
    second = SECOND.replace("45.1", "46.1")
    assert found(paper, second, [f"column {number}" for number in range(1, 5)]) == []
    cells = "cited | 31.2\nfiled | 22.8\nread | {}\n"
    tables = {id: {"columns": [{}], "row": "system", "cells": cells.format(id)} for id in ("33.0", "38.0")}
    assert audit(paper(first=tables["33.0"], second=tables["38.0"])).findings == []


def test_one_common_number_says_nothing(paper):
    row = "bm25 | 31.2 | 46.1 | 61.3 | 39.8"
    assert found(paper, SECOND.replace("bm25 | 31.2 | 45.1 | 60.3 | 38.8", row)) == []
    assert found(paper, "bm25 | 31.2 | 46.1 | - | -\nours | 44.6 | 58.2 | 71.4 | 50.1\n") == []


def test_a_setting_and_a_number_of_another_column_are_not_printed_differently(paper):
    names = ["epochs", "R@5", "R@20", "nDCG@10"]
    second = SECOND.replace("bm25 | 31.2", "bm25 | {}")

    def pairs(first, other):
        cells = {"first": FIRST.replace("31.2", first), "second": second.format(other)}
        columns = [{"quantity": name} for name in names]
        tables = {id: {"columns": columns, "row": "system", "cells": text} for id, text in cells.items()}
        return [finding.kind for finding in audit(paper(**tables)).findings]

    assert pairs("31.2", "33.2") == ["printed_twice"]
    assert pairs("30", "80") == []
    assert pairs("31.2", "60.3") == []  # the first table has it in another column


def test_a_label_that_stands_twice_where_another_table_has_two(paper):
    second = "dpr | 44.6 | 58.2 | 71.4 | 50.1\ndpr #2 | 48.7 | 61.9 | 75.3 | 55.2\n"
    assert found(paper, second) == [("repeated_label", ["48.7", "61.9", "75.3", "55.2"])]
    assert found(paper, second.replace("dpr", "ours")) == []


def test_numbers_of_several_rows_are_in_common(paper):
    first = "bm25 | 31.2\ndpr | 22.8\nance | 33.0\n"
    second = "bm25 | 31.2\ndpr | 22.8\nance | {}\nours | 44.6\n"
    tables = {"first": first, "second": second}

    def printed(number):
        drafts = {
            id: {"columns": [{"measure": "RR@10"}], "row": "system", "cells": cells.format(number)}
            for id, cells in tables.items()
        }
        return [flaw.cell.printed for finding in audit(paper(**drafts)).findings for flaw in finding.flaws]

    assert printed("33.0") == [] and printed("38.0") == ["33.0", "38.0"]


def test_a_column_that_differs_throughout_is_another_quantity(paper):
    second = SECOND + "dpr | 22.8 | 40.7 | 51.9 | 29.5\n"
    assert found(paper, second.replace("38.8", "83.8").replace("29.5", "95.2")) == []
