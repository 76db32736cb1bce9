"""What cannot be read is said in a word, and the rest is read."""

import pytest
from docx import Document

from robustdr.audit.reported import load
from robustdr.cli import main
from robustdr.errors import UserError
from robustdr.transcribe.command import transcribe

GOOD = "| Model | MRR@10 |\n| --- | --- |\n| BM25 | 18.7 |\n| DPR | 31.4 |\n"


@pytest.fixture
def read(tmp_path):
    """Write a file, transcribe it, and load the draft: ({id: [printed]}, problems)."""

    def transcribed(name, text, number=""):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        draft, problems, *_ = transcribe(path, number)
        (tmp_path / "reported.yaml").write_text(draft, encoding="utf-8")
        tables = load(tmp_path / "reported.yaml").tables
        return {id: [cell.printed for cell in table.cells] for id, table in tables.items()}, problems

    return transcribed


@pytest.mark.parametrize("name", ["a.md", "a.csv"])
def test_a_ragged_row_is_lost_and_said(read, name):
    rows = ["Model,A,B", "x,1.1,2.2", "y,3.3", "z,4.4,5.5"]
    text = "\n".join(rows) if name == "a.csv" else "\n".join([f"| {row.replace(',', ' | ')} |" for row in rows])
    text = text if name == "a.csv" else text.replace("B |\n", "B |\n| --- | --- | --- |\n")
    tables, problems = read(name, text)
    assert list(tables.values()) == [["1.1", "2.2", "4.4", "5.5"]]
    assert problems == ["table_1: row 3 (y) has 2 fields, others 3"]


def test_a_macro_in_place_of_a_number_is_said(read):
    text = r"\begin{tabular}{lr} M & RR@10 \\ \midrule a & 1.5 \\ b & \mybest \\ \end{tabular}"
    tables, problems = read("a.tex", text)
    assert tables == {"table_1": ["1.5"]}
    assert problems == ["table_1: b, column 1: the macro \\mybest, which the file does not define"]


def test_decimal_commas_are_said_and_thousands_are_read(read):
    tables, problems = read("a.csv", "Model;A;B\nx;1.234,5;6,980\ny;32,4;7,000\n")
    assert tables == {"table_1": ["6,980", "7,000"]}
    assert problems == [f"table_1: {row}, column 1: a number with a decimal comma" for row in "xy"]


def test_a_picture_is_said(read):
    figure = '<figure><img src="t.png"><figcaption>Table 2: All results</figcaption></figure>'
    table = "<table><caption>Table 1</caption><tr><th>M<th>A</tr><tr><td>x<td>1.5</tr></table>"
    tables, problems = read("a.html", f"<html><body>{table}{figure}</body></html>")
    assert tables == {"table1": ["1.5"]}
    assert problems[0] == "table2: it is a picture; nothing of it can be read"
    picture = r"\begin{table}\caption{X}\includegraphics{t}\end{table}"
    table = r"\begin{table}\caption{Y}\begin{tabular}{lr}a & 1.5\end{tabular}\end{table}"
    tables, problems = read("a.tex", picture + table)
    assert tables == {"table2": ["1.5"]}
    assert problems[0] == "table1: it holds no tabular, perhaps a picture; nothing of it can be read"


def test_two_tables_of_one_number_are_both_read(read):
    tables, problems = read("a.md", f"Table 3: A\n\n{GOOD}\nTable 3: B\n\n{GOOD}")
    assert tables == {"table3": ["18.7", "31.4"], "table3_b": ["18.7", "31.4"]}
    assert problems == ["table3_b: another table is numbered 3 too"]


def test_one_table_of_several(read):
    assert list(read("a.md", f"Table 1: A\n\n{GOOD}\nTable 2: B\n\n{GOOD}", "2")[0]) == ["table2"]


def test_spans_reach_over_rows_and_columns(read):
    text = (
        "<table><thead><tr><th rowspan=2>Set<th rowspan=2>M<th colspan=2>Dev</tr><tr><th>MRR@10<th>R@1k</tr></thead>"
        "<tr><td rowspan=2>NQ<td>x<td><b>1.5</b><td>2.5<sup>†</sup></tr><tr><td>y<td>3.5<td>4.5</tr></table>"
    )
    assert read("a.html", text)[0] == {"table_1": ["1.5", "2.5", "3.5", "4.5"]}


def test_a_word_document_is_read(tmp_path):
    document = Document()
    document.add_paragraph("Table 4: Results of two models")
    table = document.add_table(rows=4, cols=3)
    lines = ["Model|Dev|", "|MRR@10|R@1k", "BM25|18.7|85.7", "DPR|31.4|95.1"]
    for row, line in zip(table.rows, lines, strict=True):
        for cell, text in zip(row.cells, line.split("|"), strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(3, 1).paragraphs[0].runs[0].bold = True
    table.cell(3, 1).paragraphs[0].add_run("a").font.superscript = True
    document.save(str(tmp_path / "paper.docx"))
    draft, problems, numbers, lost = transcribe(tmp_path / "paper.docx")
    assert (problems, numbers, lost) == ([], 4, 0)
    assert '  table4:\n    caption: "Results of two models"' in draft
    assert "- {split: dev, measure: RR@10}\n" in draft and "31.4^ᵃ" in draft
    (tmp_path / "b.docx").write_text("no document")
    with pytest.raises(UserError, match="not a Word document"):
        transcribe(tmp_path / "b.docx")


@pytest.mark.parametrize(
    ("name", "text", "number", "message"),
    [
        ("a.pdf", "x", "", r"kind of file: '.pdf' is unknown; allowed: .csv, .docx"),
        ("a.md", "no table", "", "no table; the file has none"),
        ("a.md", GOOD, "7", "no table 7; the file has one without a number"),
        ("a.md", GOOD.replace("18.7", "good").replace("31.4", "bad"), "", "no table with numbers: table_1: it has no"),
        ("a.html", "", "", "no table; the file has none"),
    ],
)
def test_what_holds_no_table_is_refused(read, name, text, number, message):
    with pytest.raises(UserError, match=message):
        read(name, text, number)


def test_the_command_writes_a_draft_that_the_audit_reads(tmp_path, capsys):
    (tmp_path / "paper.md").write_text(GOOD, encoding="utf-8")
    assert main(["transcribe", str(tmp_path / "paper.md"), "-o", str(tmp_path / "mine.yaml")]) == 0
    assert capsys.readouterr().err.endswith("paper.md: 2 numbers read, 0 not\n")
    assert main(["audit", str(tmp_path / "mine.yaml")]) == 0
    assert "2 printed numbers" in capsys.readouterr().out
    assert main(["transcribe", str(tmp_path / "absent.md")]) == 2
