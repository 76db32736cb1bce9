"""A table of chains: what each link adds, by hand."""

import json
import re

import pytest


@pytest.fixture()
def table(paper, measured):
    """`control` has means 1 on the original queries and .5 and .75, together .625, on the variations."""
    ranks = {"dev.original": [1] * 40, "dev.misspell": [2] * 40, "dev.swap_words": [1, 2] * 20}
    paper.measures[measured("control", ranks)] = "key"
    labels = {"dr_oq": "DR_OQ", "control": "Control", "rodr": "RoDR"}
    names = {"dr_oq": "dr_oq", "control": "control", "rodr": "align"}

    def table(reasons=(), **spec):
        spec = {**paper.specs["decomposition"], **spec}
        return paper.table("decomposition", spec=spec, labels=labels, names=names, reasons=dict(reasons))

    return table


def lines(files):
    return [line for line in files["md"].read_text(encoding="utf-8").splitlines() if re.match(r"\| |# |- ", line)]


def test_each_link_adds_the_difference_of_two_neighbours(table):
    title, head, _, *rows = lines(table())[:7]
    assert title == "# A toy paper: What gains are made of" and head.startswith(
        "| System |  | steps | negatives | loss |"
    )
    # Original: 1 − .75; the differences 0 and .5 deviate by .25 √(40/39), so ± 2.0227 · .2532 / √40 = .081.
    # Means of the variations by query: .75 and .375; .75 and .5; 1 and .375. The differences deviate by .0625, .1875
    # and .125, so that 2.0227 · √(40/39) / √40 of each is .020, .061 and .040.
    assert [row.split(" | ")[0].strip("| ") for row in rows] == ["RoDR, original", "", "RoDR, variations_mean", ""]
    assert rows[1] == "|  | reproduced | – | +25.0 [+16.9, +33.1] | -25.0 [-33.1, -16.9] | +0.0 [-7.2, +7.2] |"
    assert rows[3] == "|  | reproduced | – | +6.2 [+4.2, +8.3] | +6.2 [+0.2, +12.3] | +12.5 [+8.5, +16.5] |"


def test_printed_steps_are_differences_of_printed_cells(table):
    rows = lines(table())[3:7]
    assert rows[0] == "| RoDR, original | reported | – | – | – | +1.0 |"  # 71.0 − 70.0 of table2; of Control nothing
    assert rows[2].endswith("| – | – | – | +10.0 |")  # 60.0 − 50.0 of table1
    assert lines(table(reported=["table1"]))[3].endswith("+1.0 |") and "+" not in lines(table(reported=None))[3]


def test_a_chain_in_words(table):
    assert "- A row begins with DR_OQ (negatives: Control, loss: RoDR)." in lines(table())


def test_what_a_dash_and_an_interval_say(table):
    notes = lines(table())
    assert (
        "- –: counted in the next column, for the method takes both at once; as reported also where one of the two "
        "systems is not printed." in notes
    )
    assert (
        "- Each cell: a difference of the measure ×100, in brackets its 95 % interval over queries (one training run)."
        in notes
    )


def test_what_was_not_run_takes_its_links_along(table):
    table_lines = lines(table(reasons={"control": "too dear"}))
    assert table_lines[4].count("not run") == 2 and "- Not run: too dear" in table_lines


def test_cells_name_both_systems_and_the_interval(table):
    cells = json.loads(table()["json"].read_text(encoding="utf-8"))["cells"]
    cell = next(cell for cell in cells if cell["system"] == "control" and cell["query_set"] == "original")
    assert (cell["against"], cell["value"], cell["queries"], cell["seeds"]) == ("dr_oq", "difference", 40, 1)
    assert cell["difference_low"] == pytest.approx(0.25 - 0.08097, abs=1e-5)
