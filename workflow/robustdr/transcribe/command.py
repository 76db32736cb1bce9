"""`robustdr transcribe FILE`: a draft of reported.yaml from the tables of a paper."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from robustdr.audit.cells import LOST
from robustdr.core import paths
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import write_text
from robustdr.transcribe.draft import Draft, draft
from robustdr.transcribe.grids import Grid
from robustdr.transcribe.words import slug
from robustdr.transcribe.writing import written

KINDS = (".tex", ".html", ".htm", ".md", ".txt", ".csv", ".tsv", ".docx")


def _read(path: Path, kind: str) -> list[Grid]:
    """The tables of a file of one of `KINDS`; each reader is imported only if needed."""
    if kind == ".docx":
        from robustdr.transcribe.word import read_docx

        return read_docx(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from None
    if kind == ".tex":
        from robustdr.transcribe.latex import read_latex

        return read_latex(text)
    if kind in (".csv", ".tsv"):
        from robustdr.transcribe.delimited import read_csv

        return read_csv(text)
    from robustdr.transcribe.html import read_html, read_markdown

    return read_html(text) if kind in (".html", ".htm") else read_markdown(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    text = f"the paper or its tables: {', '.join(KINDS)}; -: standard input, of the type that --kind names"
    parser.add_argument("file", type=paths.read_once, help=text)
    kinds = [kind[1:] for kind in KINDS]
    parser.add_argument("--kind", choices=kinds, help="type of the file; default: its suffix")
    parser.add_argument("--table", metavar="N", help="only the table with this number")
    parser.add_argument("-o", "--output", type=paths.written, help="reported.yaml to write; default: standard output")


def run(arguments: argparse.Namespace) -> None:
    """Read the tables of a file, write the draft, and print problems to standard error.

    Raises:
        UserError: see `transcribe`.
    """
    text, problems, numbers, lost = transcribe(arguments.file, arguments.table or "", arguments.kind)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        sys.stdout.write(text)
    for problem in problems:
        print(f"{arguments.file}: {problem}", file=sys.stderr)
    print(f"{arguments.file}: {numbers:,} numbers read, {lost:,} not", file=sys.stderr)


def transcribe(path: Path, number: str = "", kind: str | None = None) -> tuple[str, list[str], int, int]:
    """(draft, problems in words, count of numbers read, count of numbers not read) of a file.

    Raises:
        UserError: the file has another suffix, is missing, or has no table of numbers.
    """
    kind = f".{kind}" if kind else path.suffix.lower()
    if kind not in KINDS:
        raise unknown(f"{path}: type of file", path.suffix or path.name, KINDS)
    if not path.exists() or path.is_dir():
        raise UserError(f"{path}: no such file")
    try:
        grids = _read(path, kind)
    except RecursionError:
        raise UserError(f"{path}: groups or tables too deep inside each other; save its tables alone") from None
    chosen = [grid for grid in grids if number in ("", grid.number)]
    if not chosen:
        has = ", ".join(grid.number or "one without a number" for grid in grids) or "none"
        raise UserError(f"{path}: no table{f' {number}' if number else ''}; the file has {has}")
    drafts, problems = _drafts(chosen)
    if not drafts:
        raise UserError(f"{path}: no table with numbers: {'; '.join(problems)}")
    stem = slug(path.stem)
    paper = stem if stem[:1].isalpha() else f"paper_{stem}"
    made, reported = written(path, paper, drafts, problems)
    lost = sum(text == LOST for one in drafts for _, fields in one.rows for text in fields)
    return made, problems, len(reported.cells), lost


def _drafts(grids: Sequence[Grid]) -> tuple[list[Draft], list[str]]:
    """The drafts of the tables with numbers, each with its own id, and the problems of all tables."""
    seen: Counter[str] = Counter()
    drafts, problems = [], []
    for place, grid in enumerate(grids, 1):
        first = f"table{grid.number}" if grid.number else f"table_{place}"
        seen[first] += 1
        id = first if seen[first] == 1 else f"{first}_{'abcdefghijklmnopqrstuvwxyz'[min(seen[first], 26) - 1]}"
        if id != first:
            problems.append(f"{id}: another table is numbered {grid.number} too")
        made = draft(grid, id)
        problems += [f"{id}: {problem}" for problem in made.problems]
        if made.rows and made.columns:
            drafts.append(made)
    return drafts, problems
