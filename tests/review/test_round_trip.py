"""The tables of the five papers, printed anew and transcribed, come back cell for cell."""

from pathlib import Path

import pytest

from review.printing import as_html, as_latex, as_markdown, printed
from robustdr.audit.audited import audit
from robustdr.audit.reported import PAPERS, load, load_paper
from robustdr_review.draft import draft
from robustdr_review.html import read_html, read_markdown
from robustdr_review.latex import read_latex
from robustdr_review.transcribe import transcribe

TEXTS = Path(__file__).resolve().parents[3] / "shared" / "papers"
FORMS = {"html": (as_html, read_html), "md": (as_markdown, read_markdown), "tex": (as_latex, read_latex)}


def fields(rows):
    return [["".join(text.split()) for text in line] for _, line in rows]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("paper", ["capot", "intent", "qvg", "rodr", "toroder"])
def test_every_cell_comes_back(paper, form):
    write, read = FORMS[form]
    tables = printed(PAPERS / paper / "reported.yaml")
    grids = read(write(tables))
    assert [(grid.number, grid.caption) for grid in grids if form != "tex"] == [
        (str(table.number), table.caption) for table in tables if form != "tex"
    ]
    for table, grid in zip(tables, grids, strict=True):
        made = draft(grid, f"table{table.number}")
        assert fields(made.rows) == fields(table.rows), (table.number, made.problems)
        assert not made.problems


def test_a_draft_of_rodr_has_the_numbers_of_its_text_and_the_relations_of_its_tables(tmp_path):
    if not (TEXTS / "rodr.txt").is_file():
        pytest.skip(f"{TEXTS} is no part of the project")
    target = tmp_path / "rodr.yaml"
    made = transcribe(TEXTS / "rodr.txt")
    text = made.text
    target.write_text(text, encoding="utf-8")
    assert made.problems == ["table1: it has no numbers"] and made.numbers_lost == 0
    for id, table in load(target).tables.items():
        assert [cell.number for cell in table.cells] == [cell.number for cell in load_paper("rodr").tables[id].cells]
    assert "proposed: 72 of 72 cells fit" in text
    [finding] = audit(load(target)).findings
    assert finding.hypothesis == "two digits of 6,456 (#Vari.) are swapped: 6,546"
