"""PDF files of known tables, and how well they are read: `PYTHONPATH=tests python tests/review/pdfs.py`.

The tables of the five papers stand between prose: set in one or two columns with rules over heads and below rows, or
printed without rules, with such rules, or with a frame around each field. For each form, the script prints the share
of the numbers that are read, and of those that stand in a row with all others of their row and no more.
"""

import random
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from review.printing import Printed, as_html, as_latex, printed
from robustdr.audit.reported import PAPERS
from robustdr_review.pdf import read_pdf

FIVE = ("capot", "intent", "qvg", "rodr", "toroder")
WORDS = ["the", "a", "of", "retrieval", "dense", "query", "robust", "we", "show", "that", "on", "improves", "by", "is"]
NARROW = 6  # columns of a table that fits half a page
STYLE = """<style>@page { size: 350mm 400mm } body { font: 11px serif } th { font-weight: normal }
table { border-collapse: collapse; margin: 1em auto }
td, th { padding: 1px 6px; text-align: center } th:first-child, td:first-child { text-align: left }
%s</style>"""
PRINTED = {
    "open": "",
    "ruled": "thead { border-top: 2px solid; border-bottom: 1px solid } tbody { border-bottom: 2px solid }",
    "framed": "td, th { border: 1px solid }",
}
SET = {"one column": "", "two columns": "twocolumn,"}
HEAD = r"""\documentclass[%s10pt]{article}\usepackage{booktabs,graphicx}\usepackage[margin=2cm]{geometry}
\begin{document}"""
TEX = {"→": r"$\rightarrow$", "Δ": r"$\Delta$", "≈": r"$\approx$", "∗": "*", "−": "$-$", r"\cmidrule(lr){2-3}": ""}
NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


def prose(rng: random.Random) -> str:
    words = [f"{rng.uniform(0, 99):.1f}" if rng.random() < 0.08 else rng.choice(WORDS) for _ in range(240)]
    return " ".join(words).capitalize() + "."


def source(tables: list[Printed], form: str) -> str:
    """The tables with prose between them, as HTML or TeX."""
    rng = random.Random(form)
    if form in PRINTED:
        style = f"<head><meta charset=utf-8>{STYLE % PRINTED[form]}</head>"
        page = as_html(tables).replace("<html>", f"<html>{style}")
        return re.sub("Some text.", lambda _: prose(rng), page)
    made = [HEAD % SET[form]]
    for table, part in zip(tables, as_latex(tables).split(r"\begin{table*}[t]")[1:], strict=True):
        kind = "table" if form == "two columns" and len(table.heads[0]) <= NARROW else "table*"
        part = part.replace(r"\begin{tabular}", r"\resizebox{\linewidth}{!}{\begin{tabular}")
        part = part.replace(r"\end{tabular}\end{table*}", rf"\end{{tabular}}}}\end{{{kind}}}")
        for text, tex in TEX.items():
            part = part.replace(text, tex)
        part = part.replace("Some text.", f"{prose(rng)}\n\n").replace(r"\end{document}", "")
        made.append(rf"\begin{{{kind}}}[t]{part}")
    return "\n".join([*made, r"\end{document}"])


def write_pdf(tables: list[Printed], form: str, path: Path) -> None:
    """Set or print the tables; needs pdflatex or Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("a.html" if form in PRINTED else "a.tex")
        file.write_text(source(tables, form), encoding="utf-8")
        chromium = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        chromium += [f"--user-data-dir={folder}/profile", "--print-to-pdf=a.pdf", f"file://{file}"]
        command = chromium if form in PRINTED else ["pdflatex", "-interaction=nonstopmode", file.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
        if not (made := file.with_suffix(".pdf")).is_file():
            raise RuntimeError(done.stdout.decode("utf-8", "replace")[-2000:])
        shutil.copy(made, path)


def measured(tables: list[Printed], rows: list[list[str]]) -> tuple[int, int, int]:
    """(numbers, those that are read, those in whole rows) of what a reader makes of the tables: rows of fields."""
    right = [[NUMBER.findall(text) for text in fields] for table in tables for _, fields in table.rows]
    read = [[NUMBER.findall(text) for text in fields] for fields in rows]
    wanted, got = (Counter(number for row in of for field in row for number in field) for of in (right, read))
    whole = Counter(tuple(map(tuple, filter(None, row))) for row in right)
    ends = Counter[tuple[tuple[str, ...], ...]]()
    for row in read:  # labels may have numbers too
        line = tuple(map(tuple, filter(None, row)))
        ends.update([end for at in range(len(line)) if (end := line[at:]) in whole][:1])
    in_rows = sum(sum(map(len, row)) * times for row, times in (whole & ends).items())
    return wanted.total(), (wanted & got).total(), in_rows


if __name__ == "__main__":
    for form in (*SET, *PRINTED):
        counted, seconds = Counter[str](), 0.0
        for paper in FIVE:
            tables = printed(PAPERS / paper / "reported.yaml")
            with tempfile.TemporaryDirectory() as folder:
                write_pdf(tables, form, path := Path(folder) / "a.pdf")
                start = time.process_time()
                rows = [[field.text for field in row] for grid in read_pdf(path) for row in grid.rows]
                seconds += time.process_time() - start
            counted.update(dict(zip(("all", "read", "in rows"), measured(tables, rows), strict=True)))
        shares = ", ".join(f"{counted[name] / counted['all']:.1%} {name}" for name in ("read", "in rows"))
        print(f"{form}: {counted['all']:,} numbers: {shares}; {seconds:.1f} processor seconds")
