"""`robustdr transcribe FILE`: a draft of reported.yaml from the tables of a paper."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from robustdr.audit.arithmetic import Found
from robustdr.audit.cells import LOST
from robustdr.audit.reported import Reported
from robustdr.core import paths
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import write_text
from robustdr.transcribe.draft import Draft, draft
from robustdr.transcribe.grids import Grid, Problem
from robustdr.transcribe.sources import at_line, at_page, from_folder, from_zip, read_utf8
from robustdr.transcribe.words import slug
from robustdr.transcribe.writing import written

MOST = 40_000  # numbers of a file
KINDS = (".tex", ".zip", ".html", ".htm", ".md", ".txt", ".csv", ".tsv", ".docx", ".pdf")


def _read(path: Path, kind: str) -> tuple[list[Grid], Callable[[int], str], list[str]]:
    """The tables of a file of one of `KINDS`, the place of a line, and problems; each reader is imported if needed."""
    if kind == ".docx":
        from robustdr.transcribe.word import read_docx

        return read_docx(path), at_line, []
    if kind == ".pdf":
        from robustdr.transcribe.pdf import read_pdf

        return read_pdf(path), at_page, []
    if kind == ".zip" or (kind == ".tex" and path.is_file()):
        from robustdr.transcribe.latex import read_latex

        paper = from_zip(path) if kind == ".zip" else from_folder(path)
        return read_latex(paper.text), paper.place, paper.problems
    text = read_utf8(path)
    if kind == ".tex":
        from robustdr.transcribe.latex import read_latex

        return read_latex(text), at_line, []
    if kind in (".csv", ".tsv"):
        from robustdr.transcribe.delimited import read_csv

        return read_csv(text), at_line, []
    from robustdr.transcribe.html import read_html, read_markdown

    return (read_html(text) if kind in (".html", ".htm") else read_markdown(text)), at_line, []


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
    made = transcribe(arguments.file, arguments.table or "", arguments.kind)
    if arguments.output:
        write_text(arguments.output, made.text)
    else:
        sys.stdout.write(made.text)
    for problem in made.problems:
        print(f"{arguments.file}: {problem}", file=sys.stderr)
    print(f"{arguments.file}: {made.read:,} numbers read, {made.lost:,} not", file=sys.stderr)


class Transcribed(NamedTuple):
    """A draft: its text, what the audit reads in it, its tables, the problems in words, and the place of a line.

    Attributes:
        known: by table, the relations that its numbers obey; None if they were not looked for.
    """

    text: str
    reported: Reported
    known: Mapping[str, Sequence[Found]] | None
    drafts: list[Draft]
    problems: list[str]
    place: Callable[[int], str]

    @property
    def read(self) -> int:
        """How many numbers are read."""
        return len(self.reported.cells)

    @property
    def lost(self) -> int:
        """How many numbers are not read."""
        return sum(text == LOST for one in self.drafts for _, fields in one.rows for text in fields)


def transcribe(path: Path, number: str = "", kind: str | None = None) -> Transcribed:
    """The draft of a file.

    Raises:
        UserError: the file has another suffix, is missing, or has no table of numbers.
    """
    kind = f".{kind}" if kind else path.suffix.lower()
    if kind not in KINDS:
        raise unknown(f"{path}: type of file", path.suffix or path.name, KINDS)
    if not path.exists() or path.is_dir():
        raise UserError(f"{path}: no such file")
    try:
        grids, place, unread = _read(path, kind)
    except RecursionError:
        raise UserError(f"{path}: groups or tables too deep inside each other; save only its tables") from None
    chosen = [grid for grid in grids if number in ("", grid.number)]
    if not chosen:
        has = ", ".join(grid.number or "one without a number" for grid in grids) or "none"
        said = "; ".join([f"no table{f' {number}' if number else ''}; the file has {has}", *unread[:3]])
        raise UserError(f"{path}: {said}")
    drafts, found = _drafts(chosen)
    problems = [*unread, *(f"{words} ({place(line)})" if line else words for words, line in found)]
    if not drafts:
        raise UserError(f"{path}: no table with numbers: {'; '.join(problems)}")
    stem = slug(path.stem)
    paper = stem if stem[:1].isalpha() else f"paper_{stem}"
    return Transcribed(*written(path, paper, drafts, problems), drafts, problems, place)


def _drafts(grids: Sequence[Grid]) -> tuple[list[Draft], list[Problem]]:
    """The drafts of the tables with numbers, each with its own id, and the problems of all tables."""
    seen: Counter[str] = Counter()
    drafts, problems, numbers = [], [], 0
    for place, grid in enumerate(grids, 1):
        first = f"table{grid.number}" if grid.number else f"table_{place}"
        seen[first] += 1
        id = first if seen[first] == 1 else f"{first}_{'abcdefghijklmnopqrstuvwxyz'[min(seen[first], 26) - 1]}"
        if id != first:
            problems.append(Problem(f"{id}: another table is numbered {grid.number} too"))
        if numbers > MOST:
            left = len(grids) - place + 1
            said = f"{id} and what follows, {left} tables: not read; those before have over {MOST:,} fields"
            problems.append(Problem(said))
            break
        try:
            made = draft(grid, id)
        except (ArithmeticError, LookupError, RecursionError, StopIteration, TypeError, UserError, ValueError) as error:
            problems.append(Problem(f"{id}: it cannot be read ({type(error).__name__}: {error})", grid.line))
            continue
        numbers += sum(len(fields) for _, fields in made.rows)
        problems += [Problem(f"{id}: {words}", line) for words, line in made.problems]
        if made.rows and made.columns:
            drafts.append(made)
    return drafts, problems
