"""Tables: reported beside reproduced, the same cells four times."""

import csv
import json
import re
from math import inf, isfinite

import numpy as np
import pytest
from markdown_it import MarkdownIt

from robustdr.claims.effects import ORIGINAL
from robustdr.claims.intervals import Interval
from robustdr.evaluation.estimates import Estimate
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.quotients import drop_ratio
from robustdr.keys.integrity import digest, record
from robustdr.reporting.grid import agreement


def cells(files):
    """The cells of a table's JSON by (system, query set)."""
    records = json.loads(files["json"].read_text(encoding="utf-8"))["cells"]
    return {(cell["system"], cell["query_set"]): cell for cell in records}


def rows(files):
    """The fields of the lines of a Markdown table, escapes undone."""
    lines = [line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    split = [[field.strip().replace(r"\|", "|") for field in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [split[0], *split[2:]]


@pytest.mark.parametrize(
    "reported, low, high, expected",
    [
        (-0.30, -0.35, -0.25, "same"),
        (-0.30, -0.295, -0.10, "same"),  # -29.5 % can be printed as -30 %
        (-0.30, -0.50, -0.40, "worse"),
        (-0.30, -0.20, -0.10, "better"),
        (-0.30, -0.05, 0.05, "better"),  # no direction of its own
        (-0.30, 0.01, 0.05, "opposite"),
        (-0.02, -0.05, 0.06, "same"),
        (0.20, -0.30, -0.10, "opposite"),
        (0.20, 0.05, 0.10, "worse"),  # a smaller gain is no larger loss, but stands on its side
        (0.10, 0.20, 0.30, "better"),
        (0.10, -0.05, 0.05, "worse"),
        (0.0, -0.30, -0.20, "worse"),
        (-0.30, -inf, inf, "same"),
    ],
)
def test_agreement_of_drops(reported, low, high, expected):
    printed = Interval(reported - 0.005, reported + 0.005)
    assert agreement(printed, (low + high) / 2 if isfinite(low) else 0.0, (low, high)) == expected


def test_the_markdown_table_by_hand(paper):
    head, *lines = rows(paper.table("table1", miniature=""))
    assert head == ["Query set", "", "unchanged", "changed", "DR_OQ RR@10", "RoDR w/o L_p|q RR@10"]
    assert [line[:4] for line in lines] == [
        ["original", "reported", "1,040", "0"],
        ["", "reproduced", "–", "–"],
        ["variations_mean", "reported", "–", "–"],
        ["", "reproduced", "–", "–"],
        ["misspell", "reported", "0", "1,040"],
        ["", "reproduced", "0", "40"],
        ["swap_words", "reported", "40", "1,000"],
        ["", "reproduced", "1,234", "5,678 (99 in case alone)"],
    ]
    # Half a 95 % interval over 40 values half of which lie d above and half d below the mean: 2.0227 · d / √39.
    half = {d: f"±{100 * 2.0227 * d / 39**0.5:.1f}" for d in (0.25, 0.125, 0.375, 0.1875, 0.3125)}
    assert [line[4] for line in lines] == [
        "70.0",
        f"75.0 {half[0.25]}",
        "50.0 / -30.0%",
        f"56.2 {half[0.1875]} / -25.0% drops less",  # all queries lose a quarter
        "35.0 / -50.0%",
        f"37.5 {half[0.125]} / -50.0% as printed",
        "69.0 / -1.4%",
        f"75.0 {half[0.25]} / +0.0% as printed",
    ]
    assert [line[5] for line in lines] == [
        "71.0",
        f"75.0 {half[0.25]}",
        "60.0† / -18.0%",
        f"68.8† {half[0.3125]} / -8.3% drops less",
        "50.0† / -30.0%",
        f"62.5† {half[0.375]} / -16.7% drops less",
        "70.0 / -1.4%",
        f"75.0 {half[0.25]} / +0.0% as printed",
    ]


def test_the_head_and_the_footnotes(paper):
    files = paper.table("table1")
    text = files["md"].read_text(encoding="utf-8")
    assert text.startswith(
        "# A toy paper, Table 1: Query sets\n\n> **Miniature.** Toys stand in for 100 % of the world.\n\n| Query set |"
    )
    notes = [line for line in text.splitlines() if line.startswith("- ")]
    for note in (
        "- ± is half the 95 % confidence interval over queries (one training run).",
        "- †: paired two-tailed t-test over queries (of each, the mean over seeds) at p < 0.01, uncorrected: RoDR w/o "
        "L_p|q against DR_OQ.",
        "- base: a toy.",
        "- In case alone: only capital letters differ from the original query's, which an uncased model does not see.",
        "- A note on two lines.",
        "- Made by `snakemake results/mini/tables/toy_table1.md`; the JSON file has the digests of its measures.",
    ):
        assert note in notes
    assert "Miniature" not in paper.table("table1", miniature="")["md"].read_text(encoding="utf-8")


def test_a_table_begins_with_what_compressed_indexes_find(paper, tmp_path):
    paths = [tmp_path / "one.json", tmp_path / "other.json"]
    for path, recall in zip(paths, (0.91, 0.9876), strict=True):
        path.write_text(json.dumps({"queries": 3, "recall": {"10": recall, "1000": 0.5}}))
    files = paper.table("table1", recalls=paths)
    message = "they have 91.0% to 98.8% of the best 10, 50.0% to 50.0% of the best 1000."
    head = files["md"].read_text(encoding="utf-8").partition("| Query set |")[0]
    assert (
        f"> **Approximate search.** Compressed indexes were searched. Of what an exact search finds {message}" in head
    )
    assert "Approximate" not in paper.table("table1")["md"].read_text(encoding="utf-8")


def test_cells_say_everything(paper):
    cell_by_key = cells(paper.table("table1"))
    assert set(cell_by_key) == {(s, q) for s in ("dr_oq", "rodr") for q in (ORIGINAL, MEAN, "misspell", "swap_words")}
    cell = cell_by_key["rodr", "misspell"]
    assert (cell["reported"], cell["reported_mark"], cell["reported_drop"]) == ("50.0", "†", "-30.0%")
    assert cell["reproduced"] == pytest.approx(0.625) and cell["drop"] == pytest.approx(-1 / 6)
    assert (cell["seeds"], cell["queries"]) == (1, 40)
    assert cell["against"] == "dr_oq" and cell["difference"] == pytest.approx(0.25)
    assert cell["p"] < 1e-6 and cell["mark"] == "†"
    assert (cell["collection"], cell["role"], cell["split"]) == ("toy", "passages", "dev")
    of_rodr = next(path for path in paper.measures if path.parents[1].name == "rodr")
    assert (cell["measures"], cell["scale"]) == (digest(of_rodr)[:16], "mini")
    assert cell["command"].startswith("snakemake ") and "2.13" in str(cell["environment"])
    assert cell_by_key["rodr", ORIGINAL]["mark"] == "" and cell_by_key["rodr", ORIGINAL]["p"] == 1.0


def test_the_four_files_hold_the_same_cells(paper):
    for name in ("table1", "table2"):
        files = paper.table(name)
        with open(files["csv"], encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        records = list(json.loads(files["json"].read_text(encoding="utf-8"))["cells"])
        assert len(table) == len(records)
        for row, cell in zip(table, records, strict=True):
            assert row.keys() == cell.keys() - {"facts"} | cell["facts"].keys()
            for field in ("system", "query_set", "reported", "reported_drop", "reproduced", "drop", "mark", "measures"):
                assert row[field] == ("" if cell[field] is None else str(cell[field])), field
        fields_shown = [field for line in rows(files)[1:] for field in line]
        for cell in records:
            assert any(field.startswith(f"{100 * cell['reproduced']:.1f}{cell['mark']} ±") for field in fields_shown)
        tex = files["tex"].read_text(encoding="utf-8")
        body = tex.partition("\\midrule\n")[2].partition("\n\\bottomrule")[0]
        lines = [[field.strip() for field in re.split(r"(?<!\\)&", line)] for line in body.split("\\\\\n")]
        assert len(lines) == len(rows(files)) - 1
        for line, fields in zip(lines, rows(files)[1:], strict=True):
            assert len(line) == len(fields)
            numbers = [re.findall(r"[\d.]+", field) for field in fields]
            assert [re.findall(r"[\d.]+", field) for field in line] == numbers


def test_latex_has_no_character_that_it_cannot_set(paper):
    for name in ("table1", "table2"):
        tex = paper.table(name)["tex"].read_text(encoding="utf-8")
        assert tex.isascii(), [character for character in tex if not character.isascii()]
        assert not re.search(r"(?<!\\)[%#]|(?<!\$)\|", tex.partition("\n")[2])
        assert tex.count(r"\begin{") == tex.count(r"\end{") == 2


def test_a_table_of_systems(paper):
    head, *lines = rows(paper.table("table2"))
    assert head == ["System", "", "passages original RR@10", "passages variations_mean RR@10"]
    assert [line[:3] for line in lines[::2]] == [["DR_OQ", "reported", "70.0"], ["RoDR w/o L_p|q", "reported", "71.0"]]
    assert [line[3].partition(" / ")[2] for line in lines[1::2]] == ["-25.0%", "-8.3%"]  # no drop was reported


def test_seeds_give_a_deviation(paper, measured):
    better = dict.fromkeys(("dev.original", "dev.misspell", "dev.swap_words"), [1, 1] * 20)
    paper.measures[measured("rodr", better, seed=2)] = "key"
    paper.measures |= {paper.measure("dr_oq", seed=2): "key"}
    files = paper.table("table2")
    cell = cells(files)["rodr", ORIGINAL]
    # Means over queries .75 and 1: mean .875, deviation .25 / √2.
    assert (cell["reproduced"], cell["uncertainty"]) == (pytest.approx(0.875), pytest.approx(0.25 / 2**0.5))
    assert cell["seeds"] == 2 and len(set(cell["measures"].split())) == 2
    assert "- ± is the standard deviation over 2 seeds." in files["md"].read_text(encoding="utf-8").splitlines()


def test_each_column_says_what_its_uncertainty_is(paper):
    """One system has two seeds, the other one: a table where a checkpoint stands beside what is trained."""
    paper.measures |= {paper.measure("dr_oq", seed=2): "key"}
    notes = paper.table("table2")["md"].read_text(encoding="utf-8").splitlines()
    assert "- ± is the standard deviation over 2 seeds: DR_OQ." in notes
    assert "- ± is half the 95 % confidence interval over queries (one training run): RoDR w/o L_p|q." in notes


def test_a_drop_has_an_interval_over_queries_and_seeds(paper):
    """RoDR's misspelled queries: 1 and .25 of 1 and .5, a drop of a sixth; a query moves it by 0 ± .25 on .75."""
    cell = cells(paper.table("table1", miniature=""))["rodr", "misspell"]
    low, high = drop_ratio(Estimate(np.array([[1, 0.25] * 20])), Estimate(np.array([[1, 0.5] * 20]))).interval(0.95)
    assert (cell["drop_low"], cell["drop_high"]) == (pytest.approx(low), pytest.approx(high))
    assert low < -1 / 6 < high < -0.1 and cell["drop_agreement"] == "better"
    mini = cells(paper.table("table1"))  # of a miniature sizes are not judged
    assert mini["rodr", ORIGINAL]["drop_low"] is None and mini["rodr", "misspell"]["drop_agreement"] == ""


def test_a_stale_key_refuses_the_cell_and_is_named(paper):
    stale = next(path for path in paper.measures if path.parents[1].name == "rodr")
    paper.measures[stale] = "new"
    files = paper.table("table1")
    cell_by_key = cells(files)
    for kind in (ORIGINAL, MEAN, "misspell"):
        assert cell_by_key["rodr", kind]["reproduced"] is None and cell_by_key["rodr", kind]["mark"] == ""
        assert (
            f"{stale} carries the key key, the configuration and code make new" in cell_by_key["rodr", kind]["not_run"]
        )
        assert cell_by_key["dr_oq", kind]["reproduced"] is not None
    assert [line[5] for line in rows(files)[1:]][1::2] == ["not run"] * 4
    assert f"- Not run: {stale} carries the key key" in files["md"].read_text(encoding="utf-8")


def test_what_was_not_run_says_why(paper):
    del paper.measures[next(path for path in paper.measures if path.parents[1].name == "rodr")]
    files = paper.table("table1", reasons={"rodr": "needs a checkpoint that is not on this machine"})
    assert cells(files)["rodr", ORIGINAL]["not_run"] == "needs a checkpoint that is not on this machine"
    assert "- Not run: needs a checkpoint that is not on this machine" in files["md"].read_text(encoding="utf-8")


def test_a_query_set_that_was_not_run_says_why(paper, measured):
    system = next(path for path in paper.measures if path.parents[1].name == "rodr")
    measured("rodr", {"dev.original": [1, 2] * 20, "dev.swap_words": [1, 2] * 20})
    cell_by_key = cells(paper.table("table1", reasons={"misspell": "its list is private"}))
    assert system in paper.measures
    assert cell_by_key["rodr", "misspell"]["not_run"] == "its list is private"
    assert cell_by_key["dr_oq", "misspell"]["reproduced"] is not None


def test_no_variation_was_run(paper, measured):
    for system in ("rodr", "dr_oq"):
        measured(system, {"dev.original": [1, 2] * 20})
    cell_by_key = cells(paper.table("table1"))
    assert (
        cell_by_key["rodr", MEAN]["not_run"]
        == cell_by_key["rodr", "misspell"]["not_run"]
        == "this query set was not run"
    )
    assert cell_by_key["rodr", ORIGINAL]["reproduced"] == pytest.approx(0.75)


def test_the_same_table_twice_is_the_same_bytes(paper):
    once = {suffix: path.read_bytes() for suffix, path in paper.table("table1").items()}
    assert {suffix: path.read_bytes() for suffix, path in paper.table("table1").items()} == once


def test_cells_of_different_hardware_have_a_footnote(paper):
    footnote = "Computed on different hardware, which decides last digits: CPU, AVX2; NVIDIA H100."
    for path, kind in zip(paper.measures, ("NVIDIA H100", "CPU, AVX2"), strict=False):
        record(path, hardware=[kind])
    assert footnote in paper.table("table1")["md"].read_text(encoding="utf-8")
    for path in paper.measures:
        record(path, hardware=["CPU, AVX2"])
    assert "different hardware" not in paper.table("table1")["md"].read_text(encoding="utf-8")


def test_the_json_says_where_each_cell_stands_and_what_it_quotes(paper):
    files = paper.table("table1")
    artifact = json.loads(files["json"].read_text(encoding="utf-8"))
    layout = artifact["layout"]
    row, column = layout["rows"].index("misspell"), layout["columns"].index("DR_OQ RR@10")
    reported, reproduced, number = layout["fields"][row][column]
    cell = artifact["cells"][number]
    assert (cell["system"], cell["query_set"]) == ("dr_oq", "misspell")
    assert cell["printed_at"] == "; ".join(
        f"table1 [passages · dev · misspell · dr_oq · RR@10{drop}]" for drop in ("", " · drop")
    )
    line = next(line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("| misspell"))
    assert f"| {reported} |" in line and reproduced.startswith("37.5") and artifact["title"] == "Table 1: Query sets"
    assert artifact["means"]["passages"]["variations_mean"] == ["misspell", "swap_words"]


def test_a_name_and_a_title_are_texts_in_markdown_and_tex(paper):
    labels = {"dr_oq": "![x](http://h/x.png)\r\n\n<b>", "rodr": r"\input{/etc/passwd} $x^2~", "dr_oq_verbs": "*a*"}
    title = "[A](javascript:x)\u2028`toy` \\end{table}"
    files = paper.table("table1", labels={**labels, "rodr_verbs": "b"}, title=title, miniature="<!-- \\def")
    text, of_tex = (files[kind].read_text(encoding="utf-8") for kind in ("md", "tex"))
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert not re.search("<(img|a|b|em|script|!--)[ >]", html) and "![x](http://h/x.png) &lt;b&gt;" in html
    assert "[A](javascript:x) `toy` \\end{table}" in html and "&lt;!-- \\def" in html
    assert r"\textbackslash{}input\{/etc/passwd\} \$x\textasciicircum{}2\textasciitilde{}" in of_tex
    assert r"\input" not in of_tex and r"\def" not in of_tex and of_tex.count(r"\end{table}") == 1


def test_a_printed_number_that_the_layout_leaves_out_is_told(paper):
    spec = {**paper.specs["table2"], "systems": ["dr_oq"]}
    place = "table2 [passages · dev · original · align · RR@10]"
    partial, whole = [
        json.loads(paper.table("table2", **changed)["json"].read_text()) for changed in ({"spec": spec}, {})
    ]
    notes = [note for note in partial["footnotes"] if "leaves out" in note]
    assert notes == [f"This table leaves out 1 of the 2 printed numbers, such as {place}."]
    assert not [note for note in whole["footnotes"] if "leaves out" in note]
