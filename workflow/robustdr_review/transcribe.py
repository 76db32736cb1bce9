"""The draft of reported.yaml of a paper: its tables, likely relations between numbers, and problems."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml.reader import Reader

from robustdr.audit.arithmetic import ObeyedRelation, obeyed
from robustdr.audit.cells import BOLD, LOST
from robustdr.audit.reported import Reported, build
from robustdr.audit.transcript import Transcript
from robustdr.core.errors import UserError, unknown
from robustdr_review.draft import Draft, draft
from robustdr_review.grids import Grid, Problem
from robustdr_review.proposals import propose
from robustdr_review.sources import at_line, at_page, from_folder, from_zip, read_utf8
from robustdr_review.words import slug

OPENING = (
    "# A draft. Check coordinates, say what marks mean, and take `proposed` away from relations that must hold;",
    "# `?` stands for what could not be read. `robustdr audit` reads this file as it is.",
)
Written = tuple[str, Reported, Mapping[str, Sequence[ObeyedRelation]]]
MOST = 40_000  # numbers of a file
KINDS = (".tex", ".zip", ".html", ".htm", ".md", ".txt", ".csv", ".tsv", ".docx", ".pdf")


def _read_file(path: Path, kind: str) -> tuple[list[Grid], Callable[[int], str], list[str]]:
    """The tables of a file of one of `KINDS`, the place of a line, and problems; each reader is imported if needed."""
    if kind == ".docx":
        from robustdr_review.word import read_docx

        return read_docx(path), at_line, []
    if kind == ".pdf":
        from robustdr_review.pdf import read_pdf

        return read_pdf(path), at_page, []
    if kind == ".zip" or (kind == ".tex" and path.is_file()):
        from robustdr_review.latex import read_latex

        paper = from_zip(path) if kind == ".zip" else from_folder(path)
        return read_latex(paper.text), paper.place, paper.problems
    text = read_utf8(path)
    if kind == ".tex":
        from robustdr_review.latex import read_latex

        return read_latex(text), at_line, []
    if kind in (".csv", ".tsv"):
        from robustdr_review.delimited import read_csv

        return read_csv(text), at_line, []
    from robustdr_review.html import read_html, read_markdown

    return (read_html(text) if kind in (".html", ".htm") else read_markdown(text)), at_line, []


class Transcribed(NamedTuple):
    """A draft: its text, what the audit reads in it, its tables, the problems in words, and the place of a line.

    Attributes:
        relations: by table, those that its numbers obey; None if they were not looked for.
    """

    text: str
    reported: Reported
    relations: Mapping[str, Sequence[ObeyedRelation]] | None
    drafts: list[Draft]
    problems: list[str]
    place: Callable[[int], str]

    @property
    def numbers_read(self) -> int:
        """How many numbers are read."""
        return len(self.reported.cells)

    @property
    def numbers_lost(self) -> int:
        """How many numbers are not read."""
        return sum(text == LOST for table in self.drafts for _, fields in table.rows for text in fields)


def transcribe(path: Path, number: str = "", kind: str | None = None, may_lack_tables: bool = False) -> Transcribed:
    """The draft of a file.

    Args:
        may_lack_tables: whether a file without a table of numbers is an empty draft.

    Raises:
        UserError: the file has another suffix, is missing, or has no table of numbers.
    """
    kind = f".{kind}" if kind else path.suffix.lower()
    if kind not in KINDS:
        raise unknown(f"{path}: type of file", path.suffix or path.name, KINDS)
    if not path.exists() or path.is_dir():
        raise UserError(f"{path}: no such file")
    try:
        grids, place, unread = _read_file(path, kind)
    except RecursionError:
        raise UserError(f"{path}: groups or tables too deep inside each other; save only its tables") from None
    chosen = [grid for grid in grids if number in ("", grid.number)]
    if not chosen and not may_lack_tables:
        has = ", ".join(grid.number or "one without a number" for grid in grids) or "none"
        message = "; ".join([f"no table{f' {number}' if number else ''}; the file has {has}", *unread[:3]])
        raise UserError(f"{path}: {message}")
    drafts, table_problems = _drafts(chosen)
    problems = [*unread, *(f"{words} ({place(line)})" if line else words for words, line in table_problems)]
    if not drafts and may_lack_tables:
        return Transcribed("", Reported(path, slug(path.stem), path.name, {}, {}), {}, [], problems, place)
    if not drafts:
        raise UserError(f"{path}: no table with numbers: {'; '.join(problems)}")
    stem = slug(path.stem)
    paper = stem if stem[:1].isalpha() else f"paper_{stem}"
    return Transcribed(*compose(path, paper, drafts, problems), drafts, problems, place)


def _drafts(grids: Sequence[Grid]) -> tuple[list[Draft], list[Problem]]:
    """The drafts of the tables with numbers, each with its own id, and the problems of all tables."""
    counts: Counter[str] = Counter()
    drafts, problems, numbers = [], [], 0
    for place, grid in enumerate(grids, 1):
        first = f"table{grid.number}" if grid.number else f"table_{place}"
        counts[first] += 1
        id = first if counts[first] == 1 else f"{first}_{'abcdefghijklmnopqrstuvwxyz'[min(counts[first], 26) - 1]}"
        if id != first:
            problems.append(Problem(f"{id}: another table is numbered {grid.number} too"))
        if numbers > MOST:
            remaining = len(grids) - place + 1
            message = f"{id} and what follows, {remaining} tables: not read; those before have over {MOST:,} fields"
            problems.append(Problem(message))
            break
        try:
            table = draft(grid, id)
        except (ArithmeticError, LookupError, RecursionError, StopIteration, TypeError, UserError, ValueError) as error:
            problems.append(Problem(f"{id}: it cannot be read ({type(error).__name__}: {error})", grid.line))
            continue
        numbers += sum(len(fields) for _, fields in table.rows)
        problems += [Problem(f"{id}: {words}", line) for words, line in table.problems]
        if table.rows and table.columns:
            drafts.append(table)
    return drafts, problems


def compose(source: Path, paper: str, drafts: Sequence[Draft], problems: Sequence[str]) -> Written:
    """The text of a reported.yaml, its content as the audit reads it, and the relations that its numbers obey."""
    bare = _text(source, paper, drafts, problems, {})
    reported = build(source, Transcript.model_validate(yaml.load(bare, yaml.CSafeLoader)), defaultdict(int))
    relations = obeyed(reported)
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for id, obeyed_relations in relations.items():
        for relation, fit, cells in propose(reported, reported.tables[id], obeyed_relations):
            declared = relation.model_dump(by_alias=True, exclude_unset=True)
            lines[id].append(f"      - {_flow({**declared, 'proposed': f'{fit} of {cells} cells fit'})}")
    return _text(source, paper, drafts, problems, lines), reported, relations


def _text(
    source: Path, paper: str, drafts: Sequence[Draft], problems: Sequence[str], relations: dict[str, list[str]]
) -> str:
    unread = ["#", "# Not read:", *(f"# - {problem}" for problem in problems)] if problems else []
    words: defaultdict[str, list[str]] = defaultdict(list)
    for table in drafts:
        for label, texts in table.words.items():
            words[label] += [text for text in texts if text not in words[label]]
    lines = [*OPENING, *unread, f"paper: {paper}", f"title: {_quoted(source.name)}"]
    lines += ["words:", *(f"  {_flow(label)}: {_flow(texts)}" for label, texts in words.items())] if words else []
    lines.append("tables:")
    for table in drafts:
        marks = {mark: "bold" if mark == BOLD else "see the caption" for mark in table.marks}
        lines += [f"  {table.id}:", f"    caption: {_quoted(table.caption)}", f"    unit: {table.unit}"]
        lines += [f"    marks: {_flow(marks)}"] if marks else []
        lines += [f"    row: {_flow(table.row)}", "    columns:"]
        lines += [f"      - {_flow(column)}" for column in table.columns]
        lines.append("    cells: |")
        rows = [[*labels, *fields] for labels, fields in table.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            padded = " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
            lines.append(f"      {padded}".rstrip())
        if relations.get(table.id):
            lines += ["    relations:", *relations[table.id]]
    return Reader.NON_PRINTABLE.sub("", "\n".join([*lines, ""]))


def _flow(value: Any) -> str:
    return yaml.dump(
        value, Dumper=yaml.CSafeDumper, default_flow_style=True, width=10_000, allow_unicode=True, sort_keys=False
    ).strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
