"""The text of a paper around its tables."""

import json

import pytest
from docx import Document

from robustdr.cli import main
from robustdr_review.paragraphs import paragraphs
from robustdr_review.tex import bare

ROWS = r"M & MRR@10 \\ \hline ours & 31.2 \\ theirs & 30.1 \\"
TABLE = rf"\begin{{table}}\caption{{A}}\begin{{tabular}}{{lr}} {ROWS} \end{{tabular}}\end{{table}}"
SAID = r"""\documentclass{article}\newcommand{\ours}{ours}
\begin{document}
\section{Results}
The MRR@10 of \textbf{\ours} is 32.1\% of all,
more.

TABLE
\begin{equation} x = 9.5 \end{equation}

Last 7.5.

\section*{References}
Not this 8.5.
\end{document}
""".replace("TABLE", TABLE)


def read(path, text):
    path.write_text(text, encoding="utf-8")
    return [(line, " ".join(words.split())) for line, words in paragraphs(path)[0] if any(map(str.isdigit, words))]


def test_latex_without_floats_formulas_and_references(tmp_path):
    said = "The MRR@10 of ours is 32.1% of all, more."
    assert read(tmp_path / "a.tex", SAID) == [(4, said), (10, "Last 7.5.")]


def test_lines_and_pages_without_tables(tmp_path):
    text = (
        "# 1 Title\nFirst 1.5.\nMore.\n\na | b\n---|---\nc | 9.5\n"
        "\n| a | 2.5 |\n|---|---|\nAfter 3.5.\n```\ncode 4.5\n```\n## References\nx 5.5\n"
    )
    assert read(tmp_path / "a.md", text) == [(1, "# 1 Title"), (2, "First 1.5. More."), (11, "After 3.5.")]
    page = "<p>First 1.5.</p>\n<table><tr><td><p>2.5</p></table>\n<h2>References</h2><p>3.5</p>"
    assert read(tmp_path / "a.html", page) == [(1, "First 1.5.")]
    document = Document()
    document.add_paragraph("First 1.5.")
    document.save(str(tmp_path / "a.docx"))
    assert [*paragraphs(tmp_path / "a.docx")[0]] == [(0, "First 1.5.")]


@pytest.mark.parametrize("given", [True, False])
def test_a_review_shows_a_sentence_that_differs_from_its_table(tmp_path, given):
    text = SAID.replace(r"32.1\% of all", "33.1")
    (tmp_path / "a.tex").write_text(text, encoding="utf-8")
    assert main(["review", str(tmp_path / "a.tex"), "-o", str(tmp_path / "out")]) == 0
    if given:  # the draft of the tables, as numbers that are declared
        numbers = ["--numbers", str(tmp_path / "out" / "reported.yaml")]
        assert main(["review", str(tmp_path / "a.tex"), *numbers, "-o", str(tmp_path / "out")]) == 0
    [first, _] = json.loads((tmp_path / "out" / "review.json").read_text(encoding="utf-8"))["prose"]
    assert (first["number"], first["verdict"], first["given"], first["place"]) == ("33.1", "look", "31.2", "line 4")
    assert "<td>33.1</td>" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_a_table_of_html_in_markdown_is_no_sentence(tmp_path):
    text = "One.\n\n<table><tr>\n<td>9.5\n</table>\nTwo.\n<table> has no end.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    assert [*paragraphs(tmp_path / "a.md")[0]] == [(1, "One."), (6, "Two.\n<table> has no end.")]


def test_a_hidden_environment_ends_by_its_own_name_or_not_at_all():
    starred = "a \\begin{comment*} b \\end{comment} c \\end{comment*} d"
    assert bare(starred).split() == ["a", "d"]
    unclosed = "a \\begin{comment} b \\end{comment c"
    assert bare(unclosed) == unclosed
