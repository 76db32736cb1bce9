"""Tables of PDF files: layouts of papers field by field, known tables as Chromium prints them, damaged files."""

import json
import random
import shutil
import zlib
from pathlib import Path

import psutil
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
from robustdr_review.regions import is_table, tables
from robustdr_review.sheets import Line, Sheet, Word, sheets
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


def test_a_page_without_a_size_is_one_line(tmp_path, capfd):
    (tmp_path / "a.pdf").write_bytes(pdf_of().replace(b"[0 0 600 800]", b"[0 0 600 /x ]"))
    assert main(["review", str(tmp_path / "a.pdf"), "-o", str(tmp_path)]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "a.pdf: not a PDF file that can be read" in line


def pdf_of(*objects, content=b"", filters=b"/FlateDecode", more=b""):
    """A PDF of one page: its packed content, what its dictionary has beside, and objects from the number 5 on."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R " + more + b" >>"
    parts = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page]
    parts += [stream(content, b"/Filter " + filters), *objects]
    data, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + part + b"\nendobj\n"
    table = b"0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(parts) + 1
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(data))
    return data + b"xref\n0 %d\n" % size + table + trailer


def stream(data, words):
    return b"<< /Length %d %s >>\nstream\n" % (len(data), words) + data + b"\nendstream"


def blanks(size):
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(b" " * (1 << 20)) for _ in range(size >> 20)) + packer.flush()


def of_font(above=b"", below=b"", others=(), shown=b"(ab) Tj"):
    """A PDF with a font of two bytes a letter; its objects have the numbers 5 and 6, `others` follow."""
    words = b"/Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R] "
    descendant = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A " + below + b" >>"
    objects = [b"<< " + words + above + b" >>", descendant, *others]
    content = zlib.compress(b"BT /F 9 Tf " + shown + b" ET", 9)
    return pdf_of(*objects, content=content, more=b"/Resources << /Font << /F 5 0 R >> >>")


def forms(count):
    """Forms that draw the next one twice each."""
    drawn = [b"/X%d Do " % (number + 1) * 2 for number in range(count - 1)] + [b"0 0 m 1 1 l S "]
    words = b"/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources 5 0 R "
    made = [stream(text, words) for text in drawn]
    named = b"".join(b"/X%d %d 0 R " % (number, number + 6) for number in range(count))
    return [b"<< /XObject << " + named + b">> >>", *made]


RANGES = b"1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfrange <00000000> <7fffffff> <0041> endbfrange"
MEMORY_BOMBS = {
    "columns of a predictor": lambda: pdf_of(
        content=zlib.compress(b"BT ET" * 99),
        filters=b"/FlateDecode /DecodeParms << /Predictor 12 /Columns 2000000000 >>",
    ),
    "widths of letters": lambda: of_font(below=b"/W [0 2000000000 500]"),
    "packed twice": lambda: pdf_of(
        content=zlib.compress(blanks(1_200_000_000), 9), filters=b"[/FlateDecode /FlateDecode]"
    ),
    "letters of a map": lambda: of_font(above=b"/ToUnicode 7 0 R", others=[stream(RANGES, b"")]),
}
TIME_BOMBS = {
    "forms in forms": lambda: pdf_of(*forms(40), content=zlib.compress(b"/X0 Do"), more=b"/Resources 5 0 R"),
    "letters": lambda: of_font(shown=b"(%s) Tj " % (b"ab" * 2_000_000)),
}


def refused(path, content, capsys):
    """The line with which a small file of one page ends."""
    path.write_bytes(content)
    assert path.stat().st_size < 100_000
    assert main(["transcribe", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (number > 1)) for number, name in enumerate(MEMORY_BOMBS)]
)
def test_small_files_that_ask_for_much_memory_end_with_one_line(tmp_path, capsys, name):
    line = refused(tmp_path / "a.pdf", MEMORY_BOMBS[name](), capsys)
    assert "the page cannot be read (MemoryError" in line or "Unable to allocate output buffer" in line


@pytest.mark.slow
@pytest.mark.parametrize("name", TIME_BOMBS)
def test_small_files_that_ask_for_much_time_end_with_one_line(tmp_path, capsys, name):
    line = refused(tmp_path / "a.pdf", TIME_BOMBS[name](), capsys)
    bounds = ("TimeoutError more than 12 processor seconds", "MemoryError")  # a fast processor reaches the second first
    assert any(f"the page cannot be read ({bound})" in line for bound in bounds)


def test_who_reads_one_page_leaves_no_process(tmp_path):
    earlier = psutil.Process().children()
    pages = sheets(STYLES)
    assert next(pages).page == 1
    pages.close()
    assert [child for child in psutil.Process().children() if child not in earlier] == []


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


AXES = [[(40, "0.8"), (200, "0.22"), (360, "0.40")], [(60, "4.3K"), (220, "21K"), (380, "43K")]]
EQUATION = [
    [(40, "where x"), (100, "="), (140, "0.9")],
    [(40, "and y"), (100, "="), (140, "0.99")],
    [(40, "and z"), (100, "="), (140, "0.7")],
]
RESULTS = [
    [(40, "Model"), (140, "R@5"), (240, "R@9")],
    [(40, "BM25"), (140, "61.2"), (240, "70.1")],
    [(40, "DPR"), (140, "58.0"), (240, "69.4")],
    [(40, "ANCE"), (140, "63.3"), (240, "73.9")],
]
CAPTION = [[(40, "Table 1: Results."), (140, "of all")]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (AXES, False),
        (EQUATION, False),
        (RESULTS, True),
        (RESULTS[:3], False),  # two rows without a caption
        (CAPTION + RESULTS[:3], True),
    ],
)
def test_what_lines_up_is_a_table_only_with_a_caption_rules_or_regular_rows(rows, expected):
    lines = [
        Line([Word(text, x, x + 5.0 * len(text), 12.0 * y, 12.0 * y + 10, 10.0, False) for x, text in row])
        for y, row in enumerate(rows)
    ]
    regions = [*tables(lines, Sheet(1, [lines], []))]
    assert regions and any(is_table(region, bool(region.captions)) for region in regions) == expected
