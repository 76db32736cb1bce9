"""Tables of PDF files: layouts of papers field by field, known tables as Chromium prints them, damaged files."""

import json
import random
import shutil
from pathlib import Path

import pytest

from review.pdfs import FIVE, PRINTED, measured, write_pdf
from review.printing import printed
from review.test_styles import COLUMNS, EXPECTED, ROWS
from robustdr.audit.reported import PAPERS
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr_review.draft import draft
from robustdr_review.paragraphs import paragraphs
from robustdr_review.pdf import read_pdf
from robustdr_review.transcribe import transcribe

# styles.tex as pdflatex sets it in two columns: footnotesize, \tabcolsep=2pt, margins of 1.5 cm.
STYLES = Path(__file__).with_name("styles.pdf")
AS_PRINTED = str.maketrans("−–∗", "--*")
DIFFERENT = {
    (6, 1): "21,015,324 ?",  # 403 666 with a thin space may be two numbers
    (13, 1): "31.42 95.1(3) 14.20 72.0±0.4",  # nothing in a PDF file says that (3) belongs to the last decimal
    (13, 2): "33.01 95.9(2) 15.0 73.1±0.3",
}


@pytest.fixture(scope="module")
def drafts():
    return {int(grid.number): draft(grid, f"table{grid.number}") for grid in read_pdf(STYLES) if grid.number}


def test_every_number_of_the_layouts_of_papers(drafts):
    got = {
        (number, at): " ".join("".join(text.split()) for text in fields).translate(AS_PRINTED)
        for number, made in drafts.items()
        for at, (_, fields) in enumerate(made.rows)
    }
    wanted = {
        (number, at): text.translate(AS_PRINTED) for number, rows in EXPECTED.items() for at, text in enumerate(rows)
    }
    assert got == wanted | DIFFERENT


@pytest.mark.parametrize("number", [1, 3, 4, 9, 10, 12])
def test_heads_of_one_and_of_several_columns(drafts, number):
    assert drafts[number].columns[: len(COLUMNS[number])] == COLUMNS[number]


@pytest.mark.parametrize("number", [5, 10])
def test_labels_and_sections(drafts, number):
    row, labels = ROWS[number]
    assert (drafts[number].row, [place for place, _ in drafts[number].rows][: len(labels)]) == (row, labels)


def test_a_label_in_the_middle_of_its_rows_is_that_of_all(drafts):
    assert [place[0] for place, _ in drafts[2].rows] == ["natural-questions"] * 2 + ["trivia-qa"] * 2


def test_a_page_is_the_place_of_a_number_and_of_a_sentence(tmp_path):
    assert main(["review", str(STYLES), "-o", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "review.json").read_text(encoding="utf-8"))
    assert {row["place"] for table in found["tables"] for row in table["rows"]} == {"page 1", "page 2", "page 3"}
    assert {row["place"] for table in found["tables"][:1] for row in table["rows"]} == {"page 1"}
    assert paragraphs(STYLES)[1](2) == "page 2"


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n%%EOF"])
def test_what_is_no_pdf_is_one_line(tmp_path, content):
    (tmp_path / "a.pdf").write_bytes(content)
    with pytest.raises(UserError, match=r"a\.pdf: (not a PDF file|no table)") as caught:
        transcribe(tmp_path / "a.pdf")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_damaged_files_end_with_one_line_or_a_draft(tmp_path):
    good, rng = STYLES.read_bytes(), random.Random(0)
    for _ in range(60):
        bad = bytearray(good)
        for _ in range(rng.choice([1, 10, 100, 1000])):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        (tmp_path / "a.pdf").write_bytes(bytes(bad[: rng.choice([len(bad), rng.randrange(len(bad))])]))
        try:
            transcribe(tmp_path / "a.pdf")
            list(paragraphs(tmp_path / "a.pdf")[0])
        except UserError as error:
            assert "\n" not in str(error)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium, as Debian packages it")
@pytest.mark.parametrize("form", PRINTED)
def test_known_tables_as_a_browser_prints_them(tmp_path, form):
    for paper in FIVE:
        tables = printed(PAPERS / paper / "reported.yaml")
        write_pdf(tables, form, tmp_path / "a.pdf")
        rows = [[field.text for field in row] for grid in read_pdf(tmp_path / "a.pdf") for row in grid.rows]
        numbers, read, in_rows = measured(tables, rows)
        assert read >= 0.99 * numbers and in_rows >= 0.99 * numbers, paper
