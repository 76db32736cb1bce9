"""Tables say whose query sets and models they show: marks at rows, columns or cells, a legend, words in the JSON."""

import json

import pytest
from tests.reporting.test_tables import cells, rows

from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.reporting.marks import OURS
from robustdr.reporting.settings import Paper, SiteSettings
from robustdr.reporting.site import write_site
from robustdr.reporting.sources import MARKS

RODR = {"released": {"passages": {"misspell": "cxa-unique/RoDR"}}}
MODELS = {"checkpoints": ["dr_oq"], "trained": ["rodr"]}


def notes(files):
    return json.loads(files["json"].read_text(encoding="utf-8"))["footnotes"]


def headings(files):
    """The first fields of the rows that have one, and the head of a Markdown table."""
    head, *lines = rows(files)
    return [line[0] for line in lines if line[0]], head[2:]


def test_a_table_of_query_sets_marks_its_rows_and_systems_in_its_columns(paper):
    row_names, head = headings(paper.table("table1", **RODR, **MODELS))
    assert row_names == ["original", "variations_mean(°)", "misspell°", "swap_words"]
    assert head == ["unchanged", "changed", "DR_OQ RR@10‡", "RoDR w/o L_p|q RR@10"]


def test_a_table_of_systems_marks_its_columns_and_systems_in_its_rows(paper):
    released = {"passages": {"misspell": "cxa-unique/RoDR", "swap_words": "cxa-unique/RoDR"}}
    files = paper.table("table2", released=released, **MODELS)
    row_names, head = headings(files)
    assert row_names == ["DR_OQ‡", "RoDR w/o L_p|q"]
    assert head == ["passages original RR@10", "passages variations_mean RR@10°"]
    assert notes(files)[1:3] == [
        "° Their queries, as released (cxa-unique/RoDR).",
        "‡ Their checkpoint, as released; other models are trained here.",
    ]


def test_cells_are_marked_where_neither_rows_nor_columns_have_one_source(paper):
    """On verbs DR_OQ is trained here, on passages it is released: the column has both, and so has the row."""
    trained = {"checkpoints": ["dr_oq"], "trained": ["rodr", "dr_oq_verbs", "rodr_verbs"]}
    files = paper.table("table3", **trained)
    lines = {line[0] or "passages, reproduced": line[2:] for line in rows(files)[1:3]}
    assert [field.endswith(" ‡") for field in lines["passages, reproduced"]] == [True, False]
    assert headings(files) == (["passages", "verbs"], ["DR_OQ RR@10", "RoDR w/o L_p|q RR@10"])


def test_the_json_says_it_in_words_for_every_cell(paper):
    cell_by_key = cells(paper.table("table1", **RODR, **MODELS))
    sets = {
        query_set: cell_by_key["rodr", query_set]["queries_from"]
        for query_set in (ORIGINAL, MEAN, "misspell", "swap_words")
    }
    assert sets == {
        ORIGINAL: "",
        MEAN: "their queries and drawn here",
        "misspell": "their queries",
        "swap_words": "drawn here",
    }
    models = {cell["model_from"] for (system, _), cell in cell_by_key.items() if system == "dr_oq"}
    assert models == {"their checkpoint"} and cell_by_key["rodr", ORIGINAL]["model_from"] == "trained here"


def test_the_legend_says_it_once(paper):
    legend = notes(paper.table("table1", **RODR, **MODELS))[1:3]
    assert legend == [
        "° Their queries, as released (cxa-unique/RoDR); (°) a mean over some of them; other varied queries are drawn "
        "here.",
        "‡ Their checkpoint, as released; other models are trained here.",
    ]
    files = paper.table("table1", trained=["dr_oq", "rodr"])
    assert notes(files)[1:3] == ["The varied queries are drawn here.", "The models are trained here."]
    assert not any(mark in files["md"].read_text(encoding="utf-8") for mark in "°‡")
    assert "trained" not in " ".join(notes(paper.table("table1")))  # a stand-in is neither


@pytest.mark.parametrize(("suffix", "shown"), [("tex", r"misspell$^\circ$"), ("csv", "their queries,their checkpoint")])
def test_the_other_files_say_it_too(paper, suffix, shown):
    assert shown in paper.table("table1", **RODR, **MODELS)[suffix].read_text(encoding="utf-8")


def test_the_page_has_the_marks_and_the_legend(paper, tmp_path):
    table = paper.table("table1", **RODR, **MODELS)["json"]
    site_paper = Paper("toy", "A toy paper", "Me. 2026.", ["table1"], [])
    settings = SiteSettings("full", "results", "", [site_paper], {}, [], "snakemake ")
    write_site(settings, [table], [], [], [], tmp_path / "report/index.html")
    text = (tmp_path / "report/toy_table1.html").read_text(encoding="utf-8")
    assert '<th scope="row">misspell°</th>' in text and ">DR_OQ RR@10‡</button>" in text
    assert '<th scope="row">swap_words</th>' in text and "° Their queries, as released (cxa-unique/RoDR)" in text


def test_one_mark_has_one_meaning():
    assert len({OURS, *MARKS.values()}) == 1 + len(MARKS)
