"""A paper of several files: what it inputs is found, as LaTeX finds it, or is said to be missing."""

from zipfile import ZipFile

import pytest

from robustdr.core.errors import UserError
from robustdr_review.sources import from_folder, from_zip
from robustdr_review.transcribe import transcribe

TABLE = "\\begin{tabular}{lr} M & A \\\\ \\hline x & 1.5 \\\\ y & 2.5 \\\\ \\end{tabular}\n"


@pytest.fixture
def folder(tmp_path):
    """Write files of a paper; return the path of the first."""

    def written(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / next(iter(files))

    return written


@pytest.mark.parametrize(
    "said",
    [
        r"\input{parts/t}",
        r"\input parts/t.tex",
        r"\input parts/t",
        r"\include{parts/t} and \include{parts/u}",
        r"\import{parts/}{t}",
        r"100\% \input{parts/t}",
        r"\input{parts/nested}",
    ],
)
def test_every_form_of_input_is_read(folder, said):
    main = folder({"m.tex": said, "parts/t.tex": TABLE, "parts/u.tex": "U", "parts/nested.tex": r"\input{t}"})
    paper = from_folder(main)
    assert TABLE in paper.text and paper.problems == []
    assert ("U" in paper.text) == ("parts/u" in said)


def test_files_that_can_stand_alone_end_no_paper(folder):
    alone = "\\documentclass[m]{subfiles}\n\\begin{document}\n" + TABLE + "\\end{document}\n"
    main = "\\documentclass{a}\\begin{document}\\subfile{t}\n\\input{u}\n\\end{document}"
    made = transcribe(folder({"m.tex": main, "t.tex": alone, "u.tex": alone}))
    assert [[made.place(line) for line, _ in draft.sources] for draft in made.drafts] == [
        [f"{name}, line 3"] * 2 for name in ("t.tex", "u.tex")
    ]


def test_a_comment_inputs_nothing(folder):
    paper = from_folder(folder({"m.tex": "% \\input{t}\nText % \\input t.tex\n", "t.tex": TABLE}))
    assert "tabular" not in paper.text and paper.problems == []


def test_what_is_missing_is_said_where_no_table_is_found(folder):
    with pytest.raises(UserError, match=r"no table; the file has none; m.tex, line 2: \\input\{../t\}: no such file"):
        transcribe(folder({"m.tex": "\n\\input{../t}"}))


def test_the_main_file_of_a_zip_file_is_the_longest_with_what_it_inputs(folder, tmp_path):
    files = {"thesis/main.tex": r"\documentclass{a}\input{../t}\input{thesis/t}", "t.tex": TABLE, "thesis/t.tex": TABLE}
    with ZipFile(tmp_path / "p.zip", "w") as packed:
        for name, text in {"outline.tex": r"\documentclass{a}" + "x" * 100, **files}.items():
            packed.writestr(name, text)
    assert from_zip(tmp_path / "p.zip").text.count(TABLE) == 2


def test_a_macro_that_the_float_defines_is_known(folder):
    sym = r"\def\sym#1{\ifmmode^{#1}\else\(^{#1}\)\fi}"
    table = TABLE.replace("1.5", r"1.5\sym{***}").replace("2.5", "2.5 ($n=33$)")
    made = transcribe(folder({"m.tex": rf"\begin{{table}}\caption{{A}}{sym}{table}\end{{table}}"}))
    assert [fields for _, fields in made.drafts[0].rows] == [["1.5***"], ["2.5 (33)"]] and made.numbers_lost == 0


def test_a_caption_may_come_from_a_macro_and_no_macro_is_a_table(folder):
    macros = (
        r"\newcommand{\longcaption}[2]{\caption[#1]{#2}}\newcommand\ex[1]{\begin{tabular}{lr} P & #1 \\ \end{tabular}}"
    )
    table = rf"{macros}\begin{{table}}{TABLE}\longcaption{{Short}}{{Long \textbf{{words}}}}\end{{table}}"
    made = transcribe(folder({"m.tex": table}))
    assert [(draft.id, draft.caption, draft.rows[0]) for draft in made.drafts] == [
        ("table1", "Long words", (["x"], ["1.5"]))
    ]
    assert made.problems[0] == "table_1: the table cannot be read: it stands in the definition of a macro (line 1)"


def test_the_heads_and_feet_of_a_longtable_are_no_rows(folder):
    head = r"\hline M & A \\ \hline"
    feet = r"\multicolumn{2}{r}{Continued on next page} \\ \endfoot all & 4.0 \\ \endlastfoot"
    for heads in (rf"{head}\endfirsthead {head}\endhead", rf"{head}\endhead", rf"{head}\endfirsthead"):
        text = rf"\begin{{longtable}}{{lr}} {heads} {feet} x & 1.5 \\ y & 2.5 \\ \end{{longtable}}"
        made = transcribe(folder({"m.tex": text}))
        assert made.drafts[0].rows == [(["x"], ["1.5"]), (["y"], ["2.5"]), (["all"], ["4.0"])]


def test_labels_that_lose_their_numbers_stop_no_paper(folder):
    text = "| Set | Measure | x |\n|---|---|---|\n| s | MRR@10 | 0.5 |\n| s | MRR@10 | 0.6 |\n| s | MAP@5 | - |\n"
    made = transcribe(folder({"m.md": text}))
    assert [labels for labels, _ in made.drafts[0].rows][:2] == [["s", "RR@10"], ["s", "RR@10 #2"]]
    assert "AP@5" not in made.drafts[0].words


def test_columns_without_heads_are_told_apart(folder):
    text = "| M | A | | |\n|---|---|---|---|\n| x | 1.5 | 2.5 | 3.5 |\n| y | 4.5 | 5.5 | 6.5 |\n"
    made = transcribe(folder({"m.md": text}))
    assert [next(iter(column.values())) for column in made.drafts[0].columns] == ["A", "column 2", "column 3"]
