"""Whatever stands in a file, a review ends soon, in little memory, and with one line where it fails."""

import random
import resource
import time

import pytest
from docx import Document

from robustdr.audit.audited import audit
from robustdr.audit.reported import load
from robustdr.core.errors import UserError
from robustdr_review.paragraphs import paragraphs
from robustdr_review.prose import NUMBERS, Prose
from robustdr_review.transcribe import transcribe

SLOWEST, MOST = 10, 1_000_000  # processor seconds of one file; kilobytes of the process
WORDS = ["a", "1.5", "2,5", "3,1; 2,2", "33.1%", "RR@10", "±", "é", "\x00", "🙂", "\n", "\n\n", "p < 0.05", "5 of 7"]
TEX = r"""\begin{tabular}{lr} \end{tabular} \begin{table} \end{table} \begin{longtable} \endhead & & & \\ \\ \hline { }
[ ] $ ^ _ % \multicolumn{3}{c}{A} \multirow{2}{*}{B} \multicolumn{99999999}{c}{x} \newcommand{\a}[1]{\b#1} \a \b \c
\newcommand{\b}[2][x]{\a{#1#2}} \def\c#1{#1#1} \textbf{ \caption{T} \frac12 \SI{1}{\percent} \input{x} \verb|x| \rule
\footnote{ \begin{tabularx}{1}{X} \iffalse \begin{comment} \ref{x} \'e \~ \def \let\x\x \let \begin \end \stackrel{a}{b}
\sqrt[3]{2} \section{ \begin{equation} \endfirsthead \endfoot \endlastfoot \ifmmode \else \fi \import{a}{b} n=3"""
MARKDOWN = (
    r"| | | --- |---|---| ** ` ``` ~~~ <table> <tr> <td> </td> </table> <td/colspan=99999999> [x](y) \| # - > Table"
)
HTML = """<table> </table> <tr> <td> <th> </td> <td/colspan=-1> <td/rowspan=999999999> <caption> </caption> <sup> <b>
<br> &nbsp; &#0; <!-- --> <![CDATA[ <p> <script> <svg> <figure> <img> <template> <math>"""
YAML = ["paper: a\n", "title: b\n", "tables:\n", "  t:\n", "    caption: c\n", "    row: system\n", "    cells: |\n",
        "    columns: [{}]\n", "      a | 1.5\n", "    relations:\n", "[", "{", "}", "]", "? ", "&a ", "---\n", "*a",
        "<<: *a\n", '      - {for: {}, mean_of: {system: "*"}}\n', "!!python/object:os.system "]  # fmt: skip
PIECES = {
    ".tex": TEX.split(),
    ".md": MARKDOWN.split(),
    ".html": HTML.split(),
    ".csv": [",", ";", "\t", "|", '"', "\r", "-", "?", '""'],
    ".yaml": YAML,
}


def review(path):
    """Read and check a file; one line of a UserError is a proper end."""
    before, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        if path.suffix == ".yaml":
            audit(load(path))
        else:
            made = transcribe(path)
            audit(made.reported)
            Prose(made.reported).check(paragraphs(path)[0])
    except UserError as error:
        assert "\n" not in str(error)
    assert time.process_time() - before < SLOWEST
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MOST


@pytest.mark.slow
@pytest.mark.parametrize("kind", PIECES)
def test_random_pieces_of_a_format(tmp_path, kind):
    rng = random.Random(kind)
    for _ in range(200):
        text = "".join(rng.choices([*PIECES[kind], *WORDS], k=rng.choice([5, 30, 100, 400])))
        (tmp_path / f"a{kind}").write_text(text, encoding="utf-8")
        review(tmp_path / f"a{kind}")


@pytest.mark.slow
def test_damaged_word_documents(tmp_path):
    document = Document()
    table = document.add_table(2, 2)
    table.cell(1, 1).text = "1.5"
    document.save(str(tmp_path / "good.docx"))
    good, rng = (tmp_path / "good.docx").read_bytes(), random.Random(0)
    for _ in range(200):
        bad = bytearray(good)
        for _ in range(rng.choice([1, 10, 100])):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        (tmp_path / "a.docx").write_bytes(bytes(bad[: rng.choice([len(bad), rng.randrange(len(bad))])]))
        review(tmp_path / "a.docx")


def test_the_numbers_of_a_long_text_are_bounded(tmp_path):
    table = r"\begin{tabular}{lr} M & RR@10 \\ \hline x & 31.2 \\ y & 45.1 \\ \end{tabular}"
    said = "The RR@10 of x is 31.2 here, which is 4.5\\% more.\n\n"
    (tmp_path / "a.tex").write_text(rf"\begin{{document}}{table}" + said * 20_000, encoding="utf-8")
    made = transcribe(tmp_path / "a.tex")
    assert NUMBERS <= len(Prose(made.reported).check(paragraphs(tmp_path / "a.tex")[0]).ties) < NUMBERS + 10


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", r"\let\x\xa \begin{tabular}{lr} a & 1.5 \\ b & \x \\ \end{tabular} \let"),
        ("a.tex", r"\begin{tabular}{lr} a & 1.5 \\ b & \stackrel{2}{3} \\ \end{tabular}"),
        ("a.html", '<?xml version="1.0" encoding="ascii"?><table><tr><td>é<td>1.5<tr><td>b<td>2.5</table>'),
        ("a.csv", "M;A\n\x00;1.5\n\x00b;2.5\n"),
    ],
)
def test_what_once_broke_a_reader(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert "1.5" in [cell.printed for cell in transcribe(tmp_path / name).reported.cells]
    review(tmp_path / name)


def test_a_tabular_without_an_end_hides_no_other(tmp_path):
    rows = r"\begin{tabular}{lr} M & A \\ \hline x & 1.5 \\ y & 2.5 \\"
    good = rows.replace("1.5", "3.5") + r"\end{tabular}"
    (tmp_path / "a.tex").write_text(
        rf"\begin{{table}}\caption{{A}}{rows}\end{{table}} Text. \begin{{table}}\caption{{B}}{good}\end{{table}}"
        rf"{rows}\begin{{table}}\caption{{C}}{good}\end{{table}}",
        encoding="utf-8",
    )
    tables = transcribe(tmp_path / "a.tex").reported.tables
    assert {id: [cell.printed for cell in table.cells] for id, table in tables.items()} == {
        "table1": ["1.5", "2.5"],
        "table2": ["3.5", "2.5"],
        "table_3": ["1.5", "2.5"],
        "table3": ["3.5", "2.5"],
    }
