"""What cannot be read is said in a word, and the rest is read."""

import contextlib
import csv
import time
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from robustdr.audit.reported import load
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr_review.transcribe import transcribe
from robustdr_review.word import _field, _rows

GOOD = "| Model | MRR@10 |\n| --- | --- |\n| BM25 | 18.7 |\n| DPR | 31.4 |\n"


@pytest.fixture
def read(tmp_path):
    """Write a file, transcribe it, and load the draft: ({id: [printed]}, problems)."""

    def transcribed(name, text, number=""):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        made = transcribe(path, number)
        (tmp_path / "reported.yaml").write_text(made.text, encoding="utf-8")
        tables = load(tmp_path / "reported.yaml").tables
        return {id: [cell.printed for cell in table.cells] for id, table in tables.items()}, made.problems

    return transcribed


RAGGED = {
    "a.csv": "Model,A,B\nx,1.1,2.2\ny,3.3\nz,4.4,5.5",
    "a.md": "| Model | A | B |\n| --- | --- | --- |\n| x | 1.1 | 2.2 |\n| y | 3.3 |\n| z | 4.4 | 5.5 |",
    "a.tex": r"\begin{tabular}{lrr}Model & A & B\\\midrule x & 1.1 & 2.2\\y & 3.3\\z & 4.4 & 5.5\\\end{tabular}",
    "a.html": "<table><tr><th>Model<th>A<th>B<tr><td>x<td>1.1<td>2.2<tr><td>y<td>3.3<tr><td>z<td>4.4<td>5.5</table>",
}


def test_a_csv_file_changes_no_limit_of_other_readers(read):
    limit = csv.field_size_limit()
    read("a.csv", RAGGED["a.csv"])
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("name", ["a.md", "a.tex"])
def test_a_short_row_is_filled_as_the_format_fills_it(read, name):
    tables, problems = read(name, RAGGED[name])
    assert list(tables.values()) == [["1.1", "2.2", "3.3", "4.4", "5.5"]] and problems == []


@pytest.mark.parametrize("name", ["a.csv", "a.html"])
def test_a_ragged_row_is_lost_and_said(read, name):
    tables, problems = read(name, RAGGED[name])
    assert list(tables.values()) == [["1.1", "2.2", "4.4", "5.5"]]
    assert problems == ["table_1: row 3 (y) has 2 fields, others 3"]


@pytest.mark.parametrize("character", "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
def test_what_ends_no_line_of_markdown_moves_no_row(read, character):
    tables, problems = read("a.md", f"Some{character}words{character}here.\n\n{GOOD}")
    assert tables == {"table_1": ["18.7", "31.4"]} and problems == []


def test_a_macro_in_place_of_a_number_is_said(read):
    text = r"\begin{tabular}{lr} M & RR@10 \\ \midrule a & 1.5 \\ b & \mybest \\ \end{tabular}"
    tables, problems = read("a.tex", text)
    assert tables == {"table_1": ["1.5"]}
    assert problems == ["table_1: b, column 1: the macro \\mybest, which the file does not define (line 1)"]


def test_decimal_commas_are_said_and_thousands_are_read(read):
    tables, problems = read("a.csv", "Model;A;B\nx;1.234,5;6,980\ny;32,4;7,000\n")
    assert tables == {"table_1": ["6,980", "7,000"]}
    assert problems == [f"table_1: {row}, column 1: a number with a decimal comma" for row in "xy"]


def test_a_decimal_comma_with_three_decimals_is_no_thousand(read):
    tables, problems = read("a.csv", "Model;nDCG@10;Queries\nx;0,354;6,980\ny;0.412;7,000\n")
    assert tables == {"table_1": ["6,980", "0.412", "7,000"]}
    assert problems == ["table_1: x, column 1: a number with a decimal comma"]


@pytest.mark.parametrize(
    ("field", "printed"),
    [("31,2; 30,1", ["31.2", "30.1"]), ("31,2 [30,1; 32,4]", ["31.2", "30.1", "32.4"]), ("31,2", ["31.2"])],
)
def test_semicolons_stand_between_numbers_with_decimal_commas(read, field, printed):
    assert read("a.md", f"| M | A |\n|---|---|\n| x | {field} |\n| y | {field} |\n") == ({"table_1": printed * 2}, [])
    assert read("a.csv", "M;MRR\nx;31,2\ny;30,1\n") == ({"table_1": ["31.2", "30.1"]}, [])


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
    assert problems[0] == "table1: it holds no tabular, perhaps a picture; nothing of it can be read (line 1)"


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


def test_a_page_of_several_tables(tmp_path):
    (tmp_path / "page.html").write_text(
        "<nav><table><tr><td>Home<td>About</table></nav>"
        "<h2>Table 1. Main</h2><table><tr><th>Model<th>MRR@10<tr><th>BM25*<td>18.7<tr><th>DPR<td>31.5"
        "<tr><th>Average<td>25.1</table>"
        "<p>Table 2: Drops</p><div><div><table><tr><td>Query set<td>A<tr><td>original<td>80.0"
        "<tr><td>typo<td>60.0 (&minus;25.0%)<tr><td>synonym<td>70.0 (-12.5%)"
        "<tr><td>order<td>73.0 (-8.8%)<tr><td>case<td>44.0 (-45.0%)</table></div></div>",
        encoding="utf-8",
    )
    made = transcribe(tmp_path / "page.html")
    draft = made.text
    assert (made.problems, made.numbers_read, made.numbers_lost) == (["table_1: it has no numbers"], 12, 0)
    assert '  table1:\n    caption: "Main"' in draft and '  table2:\n    caption: "Drops"' in draft
    assert "      bm25    | 18.7\n" in draft
    assert "- {for: {value: drop}, drop_from: {query_set: original}, proposed: 4 of 4 cells fit}" in draft


def test_an_average_over_two_label_columns_is_one_over_all_rows(tmp_path):
    rows = ["Training,Model,MRR@10,R@1k,nDCG@10", "Plain,BM25,18.7,85.7,21.3", "Plain,DPR,31.4,95.1,38.4"]
    rows.append("Robust,Ours,33.9,96.2,41.1")
    (tmp_path / "a.csv").write_text("\n".join([*rows, "Average,Average,28.0,92.3,33.6"]), encoding="utf-8")
    draft = transcribe(tmp_path / "a.csv").text
    assert (
        "- {for: {system: Average}, mean_of: {category: '*', system: [bm25, DPR, Ours]}, proposed: 3 of 3 cells fit}"
        in draft
    )


def test_notes_that_tell_labels_apart_stay(read, tmp_path):
    text = "| Model | MRR@10 |\n| --- | --- |\n| DPR | 30.1 |\n| DPR* | 31.4 |\n"
    read("a.md", text)
    labels = [place["system"] for _, place in load(tmp_path / "reported.yaml").tables["table_1"].rows]
    assert labels == ["DPR", "DPR*"]


def with_property(row, field, name, value):
    """A change of a table of Word: a row, or one of its fields, has a property, such as a number of columns."""

    def change(table):
        line = table._tbl.tr_lst[row]
        part = line.get_or_add_trPr() if field is None else line.tc_lst[field].get_or_add_tcPr()
        element = OxmlElement(f"w:{name}")
        element.set(qn("w:val"), value)
        part.append(element)

    return change


def merged_down(table):
    for row in range(len(table.rows)):
        for field in (0, 1):
            with_property(row, field, "vMerge", "continue" if row else "restart")(table)


BOMBS = {
    "wide": with_property(0, 1, "gridSpan", "2000000000"),
    "wide below": with_property(3, 0, "gridSpan", "99999"),
    "late": with_property(1, None, "gridBefore", "2000000000"),
    "early": with_property(1, None, "gridAfter", "2000000000"),
    "merged down": merged_down,
}


@pytest.mark.parametrize("change", BOMBS.values(), ids=BOMBS)
def test_fields_of_word_over_many_columns_and_rows_take_no_memory_and_time(tmp_path, change):
    document = Document()
    table = document.add_table(rows=300 if change is merged_down else 4, cols=2)
    for row in table._tbl.tr_lst:
        for number, field in enumerate(row.tc_lst):
            field.p_lst[0].add_r().text = f"{number}.5"
    change(table)
    document.save(str(tmp_path / "paper.docx"))
    began = time.process_time()
    with contextlib.suppress(UserError):
        transcribe(tmp_path / "paper.docx")
    assert time.process_time() - began < 10


def test_merged_fields_of_word_are_those_of_its_library(tmp_path):
    document = Document()
    table = document.add_table(rows=5, cols=5)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = str(number)
    for first, last in (((0, 0), (2, 0)), ((1, 2), (1, 3)), ((2, 1), (4, 2)), ((3, 3), (4, 4))):
        table.cell(*first).merge(table.cell(*last))
    rows = [[span.field.text for span in row] for row in _rows(table)]
    assert rows == [[_field(cell).text for cell in row.cells] for row in table.rows]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", "<table><tr>" + "<td rowspan=900>1</td>" * 900 + "</tr>" + "<tr><td>2</td></tr>" * 900 + "</table>"),
        ("a.html", "<table>" + "<tr><td colspan=1000>1</td></tr>" * 500 + "</table>"),
        ("a.md", "|" + "a|" * 900 + "\n|" + "-|" * 900 + "\n" + ("|" + "1|" * 900 + "\n") * 300),
    ],
)
def test_a_table_of_too_many_fields_is_refused_while_it_is_spread(read, name, text):
    with pytest.raises(UserError, match=r"more than 200,000 (fields|bars); save"):
        read(name, text)


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
    made = transcribe(tmp_path / "paper.docx")
    draft = made.text
    assert (made.problems, made.numbers_read, made.numbers_lost) == ([], 4, 0)
    assert '  table4:\n    caption: "Results of two models"' in draft
    assert "- {split: dev, measure: RR@10}\n" in draft and "31.4^ᵃ" in draft
    (tmp_path / "b.docx").write_text("no document")
    with pytest.raises(UserError, match="not a Word document"):
        transcribe(tmp_path / "b.docx")


@pytest.mark.parametrize(
    ("name", "text", "number", "message"),
    [
        ("a.odt", "x", "", r"type of file: '.odt' is unknown; allowed: .csv, .docx"),
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


def repacked(path, change):
    """A Word document whose parts are what `change` makes of their name and bytes."""
    Document().save(path)
    with ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with ZipFile(path, "w", ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, change(name, data))
    return path


def test_a_document_that_unpacks_to_much_is_one_line(tmp_path, capsys):
    big = b" " * (100 * 2**20)
    path = repacked(tmp_path / "a.docx", lambda name, data: big if name.endswith("document.xml") else data)
    assert path.stat().st_size < 200_000 and main(["transcribe", str(path)]) == 2
    message = "more than 100 MB when unpacked; save only its tables"
    assert capsys.readouterr().err == f"robustdr: {path}: {message}\n"


@pytest.mark.parametrize("text", [b"<w", b"", b"<a>&b;</a>", b"<w:document xmlns:w='x'/>"])
def test_a_document_of_other_xml_is_one_line(tmp_path, capsys, text):
    path = repacked(tmp_path / "a.docx", lambda name, data: text if name.endswith("document.xml") else data)
    assert main(["transcribe", str(path)]) == 2
    assert capsys.readouterr().err == f"robustdr: {path}: not a Word document; save it as .docx\n"


def test_a_document_of_damaged_bytes_is_one_line(tmp_path, capsys):
    path = repacked(tmp_path / "a.docx", lambda name, data: data)
    with ZipFile(path) as packed:
        start = packed.getinfo("word/document.xml").header_offset + 60
    data = bytearray(path.read_bytes())
    data[start : start + 20] = bytes(20)
    path.write_bytes(data)
    assert main(["transcribe", str(path)]) == 2
    assert capsys.readouterr().err == f"robustdr: {path}: not a Word document; save it as .docx\n"


MANY = {
    "a.docx": {"word/document.xml": b"<w:p/>" * 2_100_000},
    "b.docx": {"word/document.xml": b'<w:p w:a="1" w:b="2" w:c="3"/>' * 600_000},
    "c.docx": {"word/styles.xml": b"<w:style/>" * 2_100_000},
}


@pytest.mark.parametrize("name", MANY)
def test_a_document_of_many_tags_is_refused_before_it_is_parsed(tmp_path, capsys, name):
    (part, tags), *_ = MANY[name].items()
    before = b"</w:body>" if part == "word/document.xml" else b"</w:styles>"
    path = repacked(tmp_path / name, lambda at, data: data.replace(before, tags + before) if at == part else data)
    assert path.stat().st_size < 100_000 and main(["transcribe", str(path)]) == 2
    message = "more than 2,000,000 tags and attributes; save only its tables"
    assert capsys.readouterr().err == f"robustdr: {path}: {message}\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.html", "<p>" * 2_100_000, "more than 2,000,000 tags and attributes"),
        ("a.html", f"<p {' '.join(f'a{n}=1' for n in range(100_000))}>", "a tag of more than 10,000 attributes"),
        ("a.html", f"<p {' '.join(f'a{n}' for n in range(100_000))}>", "a tag of more than 10,000 attributes"),
        ("a.md", f"{GOOD}\n<p {' '.join(f'a{n}' for n in range(100_000))}>", "a tag of more than 10,000 attributes"),
        ("a.csv", "a,1.5\n" * 1_000_000, "more than 200,000 fields"),
        ("a.tex", "\\input{a}" * 60, "more than 10,000,000 characters with all that it inputs"),
    ],
)
def test_a_file_that_would_take_much_memory_or_time_is_refused(read, name, text, message):
    began = time.process_time()
    with pytest.raises(UserError, match=message):
        read(name, text)
    assert time.process_time() - began < 60


@pytest.mark.parametrize("fields", [1000, 1001])
def test_a_row_of_too_many_fields_is_said(read, fields):
    line = ",".join(["1.5"] * (fields - 1))
    _, problems = read("a.csv", f"Model,{line}\nx,{line}\n")
    assert [problem for problem in problems if "only its first 1,000 fields are read" in problem] == [
        f"table_1: row {row}: only its first 1,000 fields are read" for row in (1, 2) if fields > 1000
    ]
