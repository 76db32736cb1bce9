"""The page: every table, claim and figure, with a table of contents."""

import json
import re

import pytest

from robustdr.reporting.page import write_page
from robustdr.reporting.settings import PageSettings

SETTINGS = {
    "scale": "mini",
    "miniature": "Toys & more.",
    "papers": [{"name": "toy", "title": "A toy paper", "reference": "Me. 2026."}],
}

PRINTED = {"verdict": "fails", "reason": "", "evidence": ["-1.0, -1.0%: fails"], "findings": ["impossible: table1/x"]}
CLAIM = {"claim": "A < B", "source": "§4", "how": "improves, RR@10", "reason": "", "as_printed": PRINTED}
CLAIMS = {
    "counts": {"here": "1 holds, 1 not run", "as_printed": "2 fails"},
    "legend": ["absent: as it says."],
    "claims": [
        {**CLAIM, "verdict": "holds", "evidence": [f"effect {number}" for number in range(5)]},
        {**CLAIM, "claim": "C < D", "verdict": "not run", "reason": "a pickle", "evidence": []},
    ],
}


@pytest.fixture()
def page(tmp_path):
    """`page(tables, figures, claims)`: the page's text."""

    def write(*files) -> str:
        output = tmp_path / "report" / "index.html"
        write_page(PageSettings(**SETTINGS), *files, output)
        return output.read_text(encoding="utf-8")

    return write


def fields(line):
    return [field.strip().replace(r"\|", "|") for field in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_the_page_shows_tables_claims_and_figures(paper, page, tmp_path):
    table = paper.table("table1")["md"]
    figure, claims = tmp_path / "toy_figure1.svg", tmp_path / "toy.json"
    figure.write_text('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>\n')
    claims.write_text(json.dumps(CLAIMS))
    text = page([table], [figure], [claims])
    assert "Toys &amp; more." in text and "A &lt; B" in text and '<svg xmlns="http://www.w3.org/2000/svg">' in text
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    shown = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.DOTALL)
    ]
    assert [fields(line) for line in lines if "---" not in line] == shown[4:]  # after two tables of claims
    assert not re.search(r"(src|href)=\"https?:", text)


def test_claims_show_what_decides_and_fold_the_rest(page, tmp_path):
    (tmp_path / "toy.json").write_text(json.dumps(CLAIMS))
    text = page([], [], [tmp_path / "toy.json"])
    assert text.startswith("<!doctype html>")
    assert "Here: 1 holds, 1 not run. As printed: 2 fails." in text and "absent: as it says." in text
    assert '<td class="holds"><strong>holds</strong></td><td class="fails">fails</td>' in text
    folded = re.findall(r"<details>(.*?)</details>", text, re.DOTALL)
    assert folded[0].startswith("<summary>2 more</summary>effect 3<br>effect 4")
    assert "1 claims were not run here" in folded[1] and "C &lt; D" in folded[1] and "a pickle" in folded[1]
    assert "impossible: table1/x" in text


def test_the_contents_lead_to_every_table_and_figure(paper, page, tmp_path):
    figure = tmp_path / "toy_figure1.svg"
    figure.write_text("<svg></svg>")
    text = page([paper.table(name)["md"] for name in ("table1", "table2")], [figure], [])
    links = re.findall(r'<li><a href="#(\w+)">(.*?)</a></li>', text)
    assert links == [
        ("toy_table1", "Table 1: Query sets"),
        ("toy_table2", "Table 2: Systems &amp; more"),
        ("toy_figure1", "Figure 1"),
    ]
    assert all(f'id="{target}"' in text for target, _ in links)


def test_a_paper_without_claims_and_figures_has_no_heading_for_them(paper, page):
    text = page([paper.table("table2")["md"]], [], [])
    assert "Claims" not in text and "<figure" not in text


def test_a_table_that_no_paper_prints_has_no_reported_lines(paper, page):
    lineage = {system: {"own": [], "total": []} for system in ("dr_oq", "rodr")}
    files = paper.table("methods", lineage=lineage, reindexes=dict.fromkeys(lineage, False))
    text = page([files["md"]], [], [])
    assert ">All methods</a>" in text and 'class="reported"' not in text
