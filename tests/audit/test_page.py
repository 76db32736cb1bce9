"""The audit as one page: causes first, cells as printed and coloured, everything escaped, nothing from elsewhere."""

import re
from pathlib import Path

from lxml import html

from robustdr.audit.audited import audit
from robustdr.audit.formats import markdown
from robustdr.audit.page import html as page
from robustdr.audit.paper import audit_paper

ATTACK = '<script>alert("x")</script>'
TABLE = {
    "caption": f"Queries {ATTACK}",
    "columns": [{"quantity": "unchanged", "unit": "count"}, {"quantity": "changed", "unit": "count"}],
    "cells": f"original | 6,980 | 0\n{ATTACK} | 434 | 6,456\nswap | 80 | 6,900\nnone | - | -\n",
    "relations": [
        {
            "for": {"quantity": "unchanged", "query_set": [ATTACK, "swap"]},
            "plus": {"quantity": "changed"},
            "sum_is": {"query_set": "original"},
        }
    ],
}


def test_a_flawed_cell_is_coloured_signed_and_leads_to_its_finding(paper):
    text = page([audit(paper(table1=TABLE))])
    document = html.fromstring(text)
    [flawed] = document.xpath("//td[@class]")
    assert (flawed.get("class"), flawed.text_content()) == ("impossible", "434 ✗")
    assert flawed.get("title").startswith("impossible: consistent 524, the sum of original (6,980) less changed")
    [link] = flawed.xpath("./a/@href")
    [section] = document.xpath(f"//*[@id='{link[1:]}']")
    assert "two digits of 6,456 (changed) are swapped: 6,546" in section.text_content()
    rows = [[cell.text_content() for cell in row] for row in document.xpath("//details/div//tbody/tr")]
    assert rows[0] == ["original", "6,980", "0"] and rows[3] == ["none", "–", "–"]
    assert text.index("What went wrong") < text.index("Tables as printed") < text.index("<h2>Findings")


def test_everything_is_escaped_and_nothing_is_fetched(paper):
    text = page([audit(paper(table1=TABLE))])
    assert "<script" not in text and "&lt;script&gt;" in text
    assert not re.search(r"(src|href)=[\"'](?!#)|url\(|@import|https?://", text)


def test_dark_mode_and_print_have_colours_of_their_own(paper):
    text = page([audit(paper(table1=TABLE))])
    assert "prefers-color-scheme: dark" in text and "@media print" in text and "print-color-adjust: exact" in text


def test_claims_as_printed_are_those_of_the_markdown():
    rodr = audit_paper(Path("config/papers/rodr/reported.yaml"))
    items = html.fromstring(page([rodr])).xpath("//h2[.='Claims as printed']/following::li")
    lines = markdown([rodr]).partition("## Claims as printed")[2].splitlines()
    assert len(items) == sum(line.lstrip().startswith("- ") for line in lines) > 2


def test_a_paper_without_findings_says_so(paper):
    correct_table = {**TABLE, "cells": TABLE["cells"].replace("6,456", "6,546")}
    text = page([audit(paper(table1=correct_table))])
    assert "Every relation holds" in text and "<h2>Findings" not in text
