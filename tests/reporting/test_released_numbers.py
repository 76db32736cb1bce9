"""Printed numbers beside what the authors' own runs and models give."""

import pytest

from robustdr.audit.reported import load_paper
from robustdr.reporting.released_numbers import MODEL, RUN, ReleasedNumber, section


@pytest.fixture(scope="module")
def cells():
    """The printed cells of a row of RoDR's Table 2: 15.5 and -52.0%."""
    return [
        load_paper("rodr").find("table2", system="dr_oq", query_set="misspell", measure="RR@10", value=value)
        for value in ("value", "drop")
    ]


@pytest.mark.parametrize(
    ("given", "of", "difference"),
    [(0.15549, RUN, "="), (0.1545, RUN, "="), (0.1565, RUN, "+0.15"), (0.1432, RUN, "-1.18"), (0.1565, MODEL, "="),
     (0.1575, MODEL, "+0.25")],
)  # fmt: skip
def test_a_run_gives_what_rounds_to_it_and_a_model_what_is_near(cells, given, of, difference):
    assert ReleasedNumber(cells[0], given, of).difference == difference


def test_drops_compare_too(cells):
    assert ReleasedNumber(cells[1], -0.5198, RUN).difference == "="
    assert ReleasedNumber(cells[1], -0.5432, RUN).difference == "-2.32"
    assert ReleasedNumber(cells[1], -0.5432, RUN).finding == {
        "cell": "msmarco-passage · dev · misspell · dr_oq · RR@10 · drop",
        "printed": "-52.0%",
        "consistent": "-54.32%",
        "should be": "what the authors' own run gives",
    }


def test_the_section_counts_and_lists(cells):
    found = [
        ReleasedNumber(cells[0], 0.155, RUN),
        ReleasedNumber(cells[0], 0.20, RUN),
        ReleasedNumber(cells[0], 0.155, MODEL),
    ]
    text = "\n".join(section(found))
    assert "their runs give 1 of 2 and their models give 1 of 1" in text and "**inconsistent**, 1 cell\n" in text
    assert "| 15.5 | 20.00 | what the authors' own run gives |" in text
    assert "inconsistent" not in "\n".join(section(found[:1])) and section([]) == []
