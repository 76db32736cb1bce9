"""`robustdr review`: one command from a paper's sources to a page, whatever stands in them."""

import json
from itertools import pairwise
from zipfile import ZipFile

import pytest

from robustdr.audit.arithmetic import relations
from robustdr.cli import main
from robustdr_review.review import confident

GOOD = r"""
\begin{table}\caption{Results}\begin{tabular}{lrrrr}\toprule
Model & FiQA & NQ & SciFact & Avg. \\ \midrule
BM25 & 23.6 & 32.9 & 66.5 & 41.0 \\
DPR & 11.2 & 47.4 & 31.8 & 30.1 \\
ANCE & 29.5 & 44.6 & 50.7 & 41.6 \\
Ours & 34.1 & 52.3 & 69.0 & 58.1 \\ \bottomrule
\end{tabular}\end{table}
"""

LAUGHS = "".join(rf"\newcommand{{\a{b}}}{{" + rf"\a{a}" * 9 + "}" for a, b in pairwise("abcdefghij"))


@pytest.fixture
def review(tmp_path):
    """Write files, review the first, and return what review.json says."""

    def reviewed(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        assert main(["review", str(tmp_path / next(iter(files))), "-o", str(tmp_path / "out")]) == 0
        assert (tmp_path / "out" / "index.html").is_file() and (tmp_path / "out" / "reported.yaml").is_file()
        return json.loads((tmp_path / "out" / "review.json").read_text(encoding="utf-8"))

    return reviewed


def printed(found):
    return [[cell["text"] for cell in row["cells"]] for table in found["tables"] for row in table["rows"]]


def test_a_wrong_average_is_suspicious_and_its_chance_is_said(review):
    found = review({"a.tex": GOOD})
    [finding] = found["findings"]
    assert (finding["severity"], finding["kind"]) == ("suspicious", "mean_of")
    assert (
        finding["cells"][0]["printed"] == "58.1"
        and "3 of 4 cells fit, by chance 1 in" in finding["cells"][0]["relation"]
    )
    assert review({"a.tex": GOOD.replace("58.1", "51.8")})["findings"] == []


def test_what_is_input_is_read_with_its_own_lines(review, tmp_path):
    files = {"main.tex": "\\documentclass{a}\n\\input{parts/t}\nText.", "parts/t.tex": GOOD}
    assert review(files)["tables"][0]["rows"][0]["place"] == "parts/t.tex, line 4"
    with ZipFile(tmp_path / "p.zip", "w") as packed:
        for name, text in files.items():
            packed.writestr(f"x/{name}", text)
    assert main(["review", str(tmp_path / "p.zip"), "-o", str(tmp_path / "z")]) == 0
    zipped = json.loads((tmp_path / "z" / "review.json").read_text(encoding="utf-8"))
    assert zipped["numbers"] == {"read": 16, "lost": 0, "sure": 16}
    (tmp_path / "bad.zip").write_bytes(b"PK no zip")
    assert main(["review", str(tmp_path / "bad.zip"), "-o", str(tmp_path / "z")]) == 2


@pytest.mark.parametrize(
    ("before", "cell"),
    [
        (r"\def\x{\x\x}", r"\x"),
        (LAUGHS, r"\aj"),
        ("", "1" + "^{" * 3000 + "1" + "}" * 3000),
    ],
)
def test_one_table_without_an_end_does_not_hide_the_others(review, before, cell):
    bad = rf"\newcommand{{\aa}}{{11}}{before}\begin{{tabular}}{{lr}} M & A \\ x & {cell} \\ y & 2.5 \\ \end{{tabular}}"
    found = review({"a.tex": bad + GOOD})
    assert ["23.6", "32.9", "66.5", "41.0"] in printed(found)
    assert any("the table cannot be read" in problem for problem in found["unread"])


def test_groups_inside_each_other_are_read(review):
    for opening in ("{", r"\textbf{"):
        deep = opening * 3000 + "1.5" + "}" * 3000
        found = review({"a.tex": rf"\begin{{tabular}}{{lr}} a & {deep} \\ b & 2.5 \\ \end{{tabular}}"})
        assert [row[0].rstrip("^") for row in printed(found)] == ["1.5", "2.5"]


LATEX = {
    r"\$154": "$154",
    "7.6B": "7.6B",
    "204M": "204M",
    "[1.2, 3.4]": "(1.2 / 3.4)",
    "$<$0.05": "<0.05",
    "(21.840)": "(21.840)",
    r"71.6 ($\downarrow$2.0\%)": "71.6 (-2.0%)",
    r"\ms{71.6}{0.4}": "71.6 (0.4)",
    r"\best 9.5": "9.5^",
    r"\SI{3.2}{\percent}": "3.2%",
    r"$1.2\times10^{-4}$": "1.2e-4",
    r"\textcolor{red}{\textbf{4.5}}": "4.5^",
}


@pytest.mark.parametrize("written", LATEX)
def test_numbers_as_papers_write_them(review, written):
    macros = r"\newcommand{\ms}[2]{#1$_{#2}$}\def\best{\bfseries}"
    rows = rf"x & {written} \\ y & {written} \\"
    table = rf"\begin{{tabular}}{{lr}} \Xhline{{1pt}} M & A \\ \hline {rows} \botrule \end{{tabular}}"
    found = review({"a.tex": macros + table})
    assert printed(found) == [[LATEX[written]]] * 2 and found["unread"] == []


def test_an_unknown_macro_behind_a_number_hides_no_number(review):
    table = r"\begin{tabular}{lrr} M & A & B \\ \hline x & 3.5 \s & \s{3} \\ y & \textbf{4.5}\s & 2.5 \\ \end{tabular}"
    found = review({"a.tex": table})
    assert printed(found) == [["3.5", "?"], ["4.5^", "2.5"]]
    assert sum("the macro \\s, which the file does not define" in problem for problem in found["unread"]) == 3


def test_a_space_after_the_last_bar_loses_no_row(review):
    rows = "| M | A | \n|---|---| \n| x | 1.5 | \n| y | 2.5 |\t\n| z | 3.5 |\nText right below.\n"
    assert printed(review({"a.md": rows})) == [["1.5"], ["2.5"], ["3.5"]]
    assert printed(review({"a.md": rows.replace("|---|---|", "|---|")})) == [["1.5"], ["2.5"], ["3.5"]]


def test_a_row_outside_of_every_table_is_said(review):
    found = review({"a.md": "| M | A |\n|---|---|\n| x | 1.5 |\n| y | 2.5 |\n\n| lost | 7.5 |\n"})
    assert any("it looks like a row of a table, but stands in none (line 6)" in problem for problem in found["unread"])


def test_a_wide_field_is_no_million_fields(review):
    text = "<table><tr><th>M<th>A<tr><td>x<td colspan=100000000 rowspan=100000000>1.5<tr><td>y<td>2.5</table>"
    assert review({"a.html": text})["numbers"]["read"] >= 1


def test_confidence_falls_with_what_was_changed():
    assert [confident("1.5^", "1.5"), confident("1.2e-4", "1.2×10⁻⁴"), confident("(1.2 / 3)", "[1.2, 3]")] == [
        "sure",
        "unsure",
        "converted",
    ]
    assert confident("-2.0%", "↓2.0%") == "unsure"


def test_a_file_of_too_many_fields_is_one_line(tmp_path, capsys):
    (tmp_path / "a.md").write_text("| M | A |\n|---|---|\n" + "| x | 1.5 |\n" * 70_000, encoding="utf-8")
    assert main(["review", str(tmp_path / "a.md"), "-o", str(tmp_path / "out")]) == 2
    assert "more than 200,000 bars" in capsys.readouterr().err


def test_a_table_is_searched_for_relations_once(review, monkeypatch):
    searched = []
    monkeypatch.setattr(
        "robustdr.audit.arithmetic.relations", lambda table: searched.append(table.id) or relations(table)
    )
    assert len(review({"a.tex": GOOD})["proved"]) == 1 and searched == ["table1"]
