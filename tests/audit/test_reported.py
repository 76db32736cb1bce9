"""A reported.yaml: what a cell is, how it is found, and what is refused."""

from decimal import Decimal
from math import inf
from pathlib import Path

import pytest

from robustdr.audit.cells import parse
from robustdr.audit.reported import load, load_paper
from robustdr.core.errors import UserError

GOOD = """\
paper: mine
title: A paper
tables:
  table1:
    caption: Results
    where: {collection: antique}
    unit: percent
    marks: {"†": better}
    row: query_set
    columns:
      - {quantity: changed, unit: count}
      - {system: a, measure: RR@10, and: drop}
      - {system: b, measure: RBP@10, unit: fraction, and: [residual, {query_set: typo}]}
    cells: |
      original | 1,200 | 32.4 | 0.070 + 0.000 (0.226)

      misspell | -     | 15.5†/-52.0% | ?
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "reported.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_cell_keeps_its_text_mark_unit_decimals_and_line(tmp_path):
    paper = load(write(tmp_path, GOOD))
    cell = paper.find("table1", query_set="misspell", system="a", measure="RR@10")
    assert (cell.printed, cell.mark, cell.unit, cell.number, cell.decimals) == (
        "15.5",
        "†",
        "percent",
        Decimal("15.5"),
        1,
    )
    assert (cell.paper, cell.table, cell.line) == ("mine", "table1", 17)
    assert cell.coordinates["collection"] == "antique"
    assert cell.value == pytest.approx(0.155)
    assert cell.interval == pytest.approx((0.1545, 0.156))
    drop = paper.find("table1", query_set="misspell", system="a", measure="RR@10", value="drop")
    assert (drop.printed, drop.interval) == ("-52.0%", pytest.approx((-0.521, -0.5195)))


def test_the_values_of_one_cell_are_kept_apart(tmp_path):
    paper = load(write(tmp_path, GOOD))
    place = {"system": "b", "measure": "RBP@10"}
    assert paper.find("table1", query_set="original", **place).printed == "0.070"
    assert paper.find("table1", query_set="original", value="residual", **place).printed == "0.000"
    assert paper.find("table1", query_set="typo", **place).printed == "0.226"
    assert paper.find("table1", query_set="original", system="a", value="drop") is None
    assert paper.find("table1", quantity="changed", query_set="original").interval == (1200, 1200)


def test_what_is_not_printed_and_what_is_lost_are_different(tmp_path):
    table = load(write(tmp_path, GOOD)).tables["table1"]
    assert [place["query_set"] for place in table.blank] == ["misspell"]
    assert {place["system"] for place in table.lost_places} == {"b"}


def test_find_refuses_an_unknown_table_and_an_ambiguous_place(tmp_path):
    paper = load(write(tmp_path, GOOD))
    with pytest.raises(UserError, match=r"no table 'table9'; the paper has table1"):
        paper.find("table9")
    with pytest.raises(UserError, match=r"3 cells of table1 stand at original; name more coordinates"):
        paper.find("table1", query_set="original")


@pytest.mark.parametrize(
    ("printed", "interval"),
    [
        ("over 50%", (0.5, inf)),
        ("fewer than 38%", (-inf, 0.38)),
        ("about 30%", (0.25, 0.4)),  # the last digit that is not 0 is the rounded one
        ("≈ 20%", (0.15, 0.3)),
        ("9.17 million", (9.165e6, 9.18e6)),
        ("31.7k", (31650, 31800)),
        ("-0.00%", (-0.0001, 0.0001)),
        ("\N{MINUS SIGN}1.0", (-1.1, -0.95)),
        (".4730", (0.47295, 0.4731)),
        ("1.5 hours", (1.45, 1.6)),
    ],
)
def test_hedges_scales_and_signs(tmp_path, printed, interval):
    head = "paper: p\ntitle: t\ntables:\n  t:\n    caption: c\n    row: quantity\n    columns: [{}]\n    cells: |\n"
    assert load(write(tmp_path, f"{head}      q | {printed}\n")).cells[0].interval == pytest.approx(interval)


def test_a_cell_without_its_further_value():
    assert [value.printed for value in parse("f:1", "12.5", 2, {})] == ["12.5"]


@pytest.mark.parametrize("minus", ["-", "\N{MINUS SIGN}", "\N{EN DASH}"])
def test_a_minus_is_printed_in_three_ways(minus):
    assert [float(value.number) for value in parse("f:1", f"67.8 ({minus}14.9%)", 2, {})] == [67.8, -14.9]


REFUSED = {
    "unknown key": (
        "    unit: percent",
        "    units: percent",
        r":7: tables.table1: key: 'units' is unknown \(did you mean unit, runs\?\); allowed: caption, cells",
    ),
    "unknown column key": (
        "quantity: changed,",
        "quantities: changed,",
        r":11: tables.table1.columns.0.quantities: 'quantities' should be 'collection', ",
    ),
    "unknown unit": (
        "unit: percent",
        "unit: percents",
        r":7: tables.table1.unit: 'percents' is unknown \(did you mean percent\?\)",
    ),
    "unknown coordinate": (
        "row: query_set",
        "row: queryset",
        r":9: tables.table1.row: 'queryset' is unknown",
    ),
    "unparsable cell": ("32.4 ", "32,4 ", r":15: tables.table1.cells: '32,4' is not a printed number; allowed: 26.1"),
    "undeclared mark": (
        "15.5†",
        "15.5*",
        r":17: tables.table1.cells: '15.5\*/-52.0%' is not a printed number.*its marks \(†\)",
    ),
    "too many values": ("32.4 ", "32.4/1/2 ", r":15: .*'32.4/1/2' has 3 values; its column allows 1 or 2"),
    "too few fields": ("1,200 | ", "", r":15: .*3 fields; a line has 4: query_set and 3 columns"),
    "empty field": ("1,200", "", r":15: .*empty field; write `-`"),
    "huge exponent": ("32.4 ", "1e999 ", r":15: .*'1e999' is not a printed number"),
    "duplicate table": (
        "  table1:",
        "  table1: {}\n  table1:",
        r":5: tables: 'table1' is given twice, first on li",
    ),
    "bad table id": ("  table1:", "  Table 1:", r": tables: key 'Table 1' is no name; allowed: small letters"),
    "no rows": (GOOD[GOOD.index("      original") :], "", r":14: tables.table1.cells: no rows"),
    "missing key": ("    caption: Results\n", "", r":4: tables.table1: 'caption' is missing"),
    "a key that YAML reads as no text": (
        "    unit: percent",
        "    0: percent",
        r":7: tables.table1: key: '0' is unknown",
    ),
    "no mapping": (GOOD, "- paper: mine", r": empty or no mapping; see docs/reference"),
    "not YAML": ("title: A paper", "title: [A paper", r":\d+: not YAML: "),
    "anchor in itself": (
        "where: {collection: antique}",
        "where: &a {collection: *a}",
        r":6: the anchor of 'collection' is used inside itself",
    ),
}


@pytest.mark.parametrize(("old", "new", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_bad_input_is_one_line_with_file_line_key_and_what_is_allowed(tmp_path, old, new, message):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(UserError, match=message) as error:
        load(path)
    assert str(error.value).startswith(f"{path}:") and "\n" not in str(error.value)


def test_an_empty_file_another_encoding_and_no_file(tmp_path):
    path = write(tmp_path, "")
    with pytest.raises(UserError, match=r": empty or no mapping; see docs/reference"):
        load(path)
    path.write_bytes(GOOD.replace("†", "*").replace("A paper", "Ä").encode("latin-1"))
    with pytest.raises(UserError, match=r"not UTF-8"):
        load(path)
    with pytest.raises(UserError, match="no such file"):
        load(tmp_path / "absent.yaml")


def test_the_tables_stage_finds_a_cell_and_its_drop():
    rodr = load_paper("rodr")
    place = {"query_set": "variations_mean", "system": "rodr", "measure": "RR@10"}
    assert rodr.find("table2", **place).printed == "30.4"
    assert rodr.find("table2", **place).mark == "†"
    assert rodr.find("table2", value="drop", **place).printed == "-13.0%"
