"""The report: what its pages say, also where something is missing; each number as its artifact has it."""

import json
import re
from dataclasses import replace

import pytest
from tests.reporting.small_site import CLAIMS, NASTY, build

from robustdr.reporting.artifacts import Table, opened
from robustdr.reporting.cells import Cell
from robustdr.reporting.settings import Paper, SiteSettings
from robustdr.reporting.site import _ordered, found_in, query_link, write_site

COMMAND = "snakemake --config overlay=mine -- "
EMPTY = {
    "scale": "mini",
    "root": "results/mini",
    "miniature": "",
    "explored": {},
    "differences": [],
    "command": COMMAND,
}


@pytest.fixture()
def site(paper, tmp_path):
    return build(tmp_path, paper)


def page(site, name):
    return (site.folder / name).read_text(encoding="utf-8")


def test_every_page_is_made_and_every_link_leads_somewhere(site):
    pages = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*.html")}
    assert {"index.html", "toy.html", "toy_audit.html", "toy_table1.html", "toy_table9.html", "queries.html"} <= pages
    assert {f"claims/toy/{number}.html" for number in (1, 2, 3)} <= pages
    for name in pages:
        text = page(site, name)
        loaded = re.sub(r'<a href="https?://[^"]*"', "<a", text)
        assert not re.search(r'(?:src|href)="(?:https?:)?//', loaded)
        for target in re.findall(r'(?:href|src)="([^"#]+\.(?:html|js|css))["#]', loaded):
            assert (site.folder / name).parent.joinpath(target).is_file(), (name, target)


def test_texts_are_never_markup(site):
    for path in site.folder.glob("*.html"):
        assert "<script>document" not in path.read_text(encoding="utf-8")
        assert "<img" not in path.read_text(encoding="utf-8")
    for path in site.folder.rglob("data/**/*.js"):
        assert "<" not in path.read_text(encoding="utf-8")


def test_the_start_page_counts_verdicts_and_findings(site):
    text = page(site, "index.html")
    counts = dict(re.findall(r'data-count="(toy/[a-z ]+)">(\d*)', text))
    assert {kind: counts[f"toy/{kind}"] for kind in ("contradicted", "inconclusive", "not run")} == {
        "contradicted": "1", "inconclusive": "1", "not run": "1",
    }  # fmt: skip
    assert counts["toy/impossible"] == "1" and "Toys &amp; more." in text and "a toy" in text
    assert "rest on 3 claims. At scale mini, 1 of them can be decided: 0 supported, 0 partly, 1 contradicted." in text
    assert "scale mini, commit 1234567" in text and 'href="https://toy.org/paper"' in text
    assert "This report does not compare the methods under equal conditions." in text


def test_a_start_page_shows_what_there_is_alone(paper, tmp_path):
    """Of tables that no paper prints there are no claims, no audit, no agreement, and perhaps no comparison."""
    lineage = {system: {"own": [], "total": []} for system in ("dr_oq", "rodr")}
    table = paper.table("methods", lineage=lineage, reindexes=dict.fromkeys(lineage, False))["json"]
    settings = SiteSettings(papers=[Paper("toy", "Mine", "My own data", ["methods"], [])], **EMPTY)
    write_site(settings, [table], [], [], [], tmp_path / "report/index.html")
    text = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert re.findall("<h2[^>]*>(.*?)</h2>", text) == ["Tables"]
    assert re.findall('<th scope="col">(.*?)</th>', text) == ["Paper and its tables", "Cells", "not run"]
    assert "<h1>Robustness of dense retrieval</h1>" in text and 'href="toy_methods.html"' in text


def test_papers_that_were_run_come_first_and_others_have_no_quotation(tmp_path):
    claims = {}
    for name, paper_claims in (("a", CLAIMS["claims"][2:]), ("b", CLAIMS["claims"][:1])):
        claims[tmp_path / f"{name}.json"] = {**CLAIMS, "claims": paper_claims}
    for path, artifact in claims.items():
        path.write_text(json.dumps(artifact), encoding="utf-8")
    papers = [Paper(path.stem, f"Paper {path.stem}", "Me.", [], [], claims=1) for path in claims]
    write_site(SiteSettings(papers=papers, **EMPTY), [], [], list(claims), [], tmp_path / "report/index.html")
    text = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert text.index(">Paper b</a></h2>") < text.index(">Paper a</a></h2>")
    assert text.count("<blockquote>") == 1 and text.count("None of its claims was run here.") == 1


def test_a_comparison_that_was_not_run_says_how_to_make_it(tmp_path):
    settings = SiteSettings(papers=[Paper("all", "All methods", "", ["methods"], [])], **EMPTY)
    write_site(settings, [tmp_path / "all_methods.json"], [], [], [], tmp_path / "report/index.html")
    text = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert "was not run. Make it by: snakemake --config overlay=mine -- results/mini/tables/all_methods.md" in text


def test_the_first_page_has_what_each_method_costs(paper, tmp_path):
    lineage = {system: {"own": [], "total": []} for system in ("dr_oq", "rodr")}
    table = paper.table("methods", lineage=lineage, reindexes={"dr_oq": False, "rodr": True})["json"]
    settings = SiteSettings(papers=[Paper("all", "All methods", "", ["methods"], [])], **EMPTY)
    write_site(settings, [table.rename(tmp_path / "all_methods.json")], [], [], [], tmp_path / "report/index.html")
    text = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert re.search(r'data-label="differs from the best">best</td>.*data-label="new index">yes</td>', text)


def test_a_cell_bears_its_finding_and_leads_to_its_queries(site):
    text = page(site, "toy_table1.html")
    marked = re.findall(
        r'<td data-system="([^"]*)" data-query-set="([^"]*)"(?:(?!</td>).)*toy_audit.html#finding-0', text
    )
    assert marked == [("DR_OQ", "misspell")]
    assert re.search(r'<span class="said">1,040<a class="mark impossible" href="toy_audit.html#finding-0"', text)
    assert 'href="queries.html#toy/dr_oq/dev/misspell/RR%4010/toy_table1"' in text
    assert 'href="queries.html#toy/rodr/dev/misspell%2Cswap_words/RR%4010/toy_table1"' in text  # a mean
    assert 'id="finding-0"' in page(site, "toy_audit.html")


def test_the_page_of_queries_says_which_have_passages(site):
    text = page(site, "queries.html")
    assert "stored for the 15 queries that lose most and the 15 that gain most" in text


def test_every_reproduced_number_of_a_table_is_its_artifact_s(site):
    for table in site.tables:
        text = page(site, f"{table['table']}.html")
        numbers = {int(n): float(v) for n, v in re.findall(r'data-number="(\d+)" data-value="([^"]+)"', text)}
        assert numbers == {n: c["reproduced"] for n, c in enumerate(table["cells"]) if c["reproduced"] is not None}


def test_the_columns_of_the_paper_s_own_method_come_first(site):
    table, _ = opened(site.files[0][0], Table)
    heads = table["layout"]["columns"]
    own_column = next(column for column in heads if column.startswith("RoDR"))
    ordered = _ordered(table["layout"], table["cells"], "rodr")
    assert ordered["columns"] == [own_column, *(head for head in heads if head != own_column)]
    for before, after in zip(table["layout"]["fields"], ordered["fields"], strict=True):
        assert dict(zip(heads, before, strict=True)) == dict(zip(ordered["columns"], after, strict=True))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "was not made"),
        ('{"cells": [', "cut off or damaged"),
        ('{"cells": []}', "was made by another version"),
    ],
)
def test_a_table_that_cannot_be_shown_says_why(tmp_path, content, words):
    table = tmp_path / "toy_table1.json"
    if content is not None:
        table.write_text(content)
    settings = SiteSettings(papers=[Paper("toy", "T", "R", ["table1"], [])], **EMPTY)
    write_site(settings, [table], [], [tmp_path / "claims/toy.json"], [], tmp_path / "report/index.html")
    text = (tmp_path / "report/toy_table1.html").read_text(encoding="utf-8")
    assert words in text and f"{COMMAND}{tmp_path}/toy_table1.md" in text
    assert "claims/toy.json was not made" in (tmp_path / "report/toy.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("claims", "audit", "words"),
    [
        ('{"claims": [{', '[{"paper"', "is cut off or damaged"),
        ('{"title": "T"}', '[{"paper": "toy"}]', "was made by another version"),
    ],
)
def test_claims_and_an_audit_that_cannot_be_shown_say_why(tmp_path, claims, audit, words):
    content_by_path = {tmp_path / "claims/toy.json": claims, tmp_path / "audit/toy.json": audit}
    for path, text in content_by_path.items():
        path.parent.mkdir()
        path.write_text(text)
    settings = SiteSettings(papers=[Paper("toy", "T", "R", [], [])], **EMPTY)
    of_claims, of_audit = content_by_path
    write_site(settings, [], [], [of_claims], [of_audit], tmp_path / "report/index.html")
    for page, path in (("toy.html", of_claims), ("toy_audit.html", of_audit)):
        for page_name in (page, "index.html"):
            text = (tmp_path / "report" / page_name).read_text(encoding="utf-8")
            assert f"{path} {words}" in text and f"{COMMAND}{path.with_suffix('.md')}" in text


def test_the_same_artifacts_give_the_same_bytes(paper, tmp_path):
    builds = [
        {path.name: path.read_bytes() for path in build(tmp_path, paper).folder.rglob("*") if path.is_file()}
        for _ in "ab"
    ]
    assert builds[0] == builds[1] and len(builds[0]) > 20


def test_findings_are_found_by_the_name_of_the_printed_cell():
    cell = {"coordinates": {"query_set": "typo", "measure": "RR@10", "value": "value"}}
    finding = {"table": "table2", "cells": [cell], "severity": "suspicious"}
    by_cell = found_in([finding])
    assert list(by_cell) == ["table2 [typo · RR@10]"] and by_cell["table2 [typo · RR@10]"][0]["number"] == 0


def test_a_cell_without_a_system_or_a_number_leads_nowhere():
    cell = Cell("toy_table1", "s", "S", "c", "r", "dev", "typo", "MAP", "AP", reproduced=0.5)
    assert query_link(cell, {}) == "c/s/dev/typo/AP/toy_table1"
    assert query_link(cell, {"r": {"typo": ["a", "b"]}}) == "c/s/dev/a,b/AP/toy_table1"
    assert not query_link(replace(cell, reproduced=None), {}) and not query_link(replace(cell, system=""), {})


def test_a_claim_has_a_page_with_its_effect_beside_the_printed_one(site):
    text = page(site, "claims/toy/1.html")
    assert "-35.0% to -15.0%" in text and "-31.0% to -29.0%" in text and ">0.90<" in text
    numbers = "-25.0%, 95 % interval -35.0% to -15.0%, p = 0.001; printed -31.0% to -29.0% (power 0.90)"
    assert f"Contradicted. {numbers}." in text
    assert 'href="../../toy_table1.html#system=DR_OQ">Table 1, DR_OQ</a>' in text
    assert "snakemake results/mini/claims/toy.md" in text and NASTY not in text
    single = text.partition("single runs</h2>")[2]
    assert "mini, seed 7, a box" in single and ">-10.0%<" in single
    assert "– to -15.0%" in page(site, "claims/toy/2.html")  # an interval without an end
    assert "It was not run here: a pickle." in page(site, "claims/toy/3.html")


def test_a_paper_shows_its_headline_claims_first_each_with_the_effect_that_decides(site):
    text = page(site, "toy.html")
    assert re.findall('<tr id="claim-([0-9])"', text) == ["1", "2", "3"]
    assert text.index("not run here") < text.index('id="claim-3"')  # what was not run comes last
    assert 'href="claims/toy/1.html"' in text and text.count('class="size" cx="') == 2 + 1  # the legend's
    assert "Its abstract and conclusion rest on 3 claims: 1 contradicted, 1 inconclusive, 1 not run." in text
