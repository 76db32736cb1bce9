"""The paragraphs of a paper outside of its tables, each with its line, up to the list of references."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from robustdr_review.sources import at_line, at_page, from_folder, from_zip, read_utf8
from robustdr_review.tex import Budget, Stream, TooMuch, bare, without

Paragraph = tuple[int, str]  # line, text
_REFERENCES = re.compile(r"[\W\d_]*(?:references|bibliography)\W*", re.I)
_HEADING = re.compile(r"#+\s|[\s*]*(?:\d+\.)+\d*\s*$")
_ROW = re.compile(r"[|\t].*[|\t]|\|\s*$|\w\s+\|\s+\S")
_BREAK = re.compile(r"\n[ \t]*\n|\\(?:chapter|(?:sub)*section)\*?\s*\{(?P<title>[^{}]*)\}")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_HTML_TABLE = re.compile(r"<(table|TABLE)\b")
_FLOATS = r"(?:table|figure|tabular|longtable|equation|align|thebibliography|lstlisting|tikzpicture|algorithm)"
_FORMULA = re.compile(r"\$[^$\n]+\$")
_GAP = re.compile(r"(?<=[\d.]) (?=[\d.])")  # in the digits of a number, as some converters write: `$0 . 8 9$`
_FLOAT = re.compile(rf"\\begin\{{({_FLOATS}[a-z]*\*?)\}}")


def paragraphs(path: Path) -> tuple[Iterator[Paragraph], Callable[[int], str]]:
    """The paragraphs of a file of one of `command.KINDS`, and the place of a line.

    Raises:
        UserError: the file cannot be read.
    """
    kind = path.suffix.lower()
    if kind in (".csv", ".tsv"):
        return iter(()), at_line
    if kind == ".docx":
        from docx import Document

        return _until_references((0, part.text) for part in Document(str(path)).paragraphs), at_line
    if kind == ".pdf":
        from robustdr_review.pdf import text_of_pdf

        return _until_references(text_of_pdf(path)), at_page
    if kind in (".tex", ".zip"):
        paper = from_zip(path) if kind == ".zip" else from_folder(path)
        return _until_references(_of_latex(paper.text)), paper.place
    text = read_utf8(path)
    if kind in (".html", ".htm"):
        from robustdr_review.html import parsed

        root = parsed(text)
        parts = [] if root is None else root.iter("p", "li", "h1", "h2", "h3", "h4", "figcaption")
        printed = (part for part in parts if not any(outer.tag == "table" for outer in part.iterancestors()))
        return _until_references((part.sourceline or 0, part.text_content()) for part in printed), at_line
    return _until_references(_of_lines(text)), at_line


def _until_references(candidates: Iterator[Paragraph]) -> Iterator[Paragraph]:
    for line, text in candidates:
        if _REFERENCES.fullmatch(text):
            return
        yield line, text


def _of_lines(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of Markdown or plain text, without tables and code."""
    text = without(text, _HTML_TABLE, lambda match: f"</{match[1]}>")
    text = _FORMULA.sub(lambda match: _GAP.sub("", match[0]), text)
    pending: list[str] = []
    fenced = False
    for number, line in enumerate([*text.split("\n"), ""], 1):
        fenced ^= bool(_FENCE.match(line))
        heading = bool(_HEADING.match(line) or _REFERENCES.fullmatch(line))
        if heading or fenced or not line.strip() or _ROW.search(line) or _FENCE.match(line):
            if pending:
                yield number - len(pending), "\n".join(pending)
            pending = []
            if heading:
                yield number, line
        else:
            pending.append(line)


def _of_latex(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of LaTeX as they are printed: macros of the file expanded, without floats and formulas."""
    from robustdr_review.fields import Cells
    from robustdr_review.latex import definitions

    text = bare(text)
    macros, budget = definitions(text), Budget()
    start = max(0, text.find("\\begin{document}"))
    body = without(text[start:], _FLOAT, lambda match: f"\\end{{{match[1]}}}")
    text = "\n" * text.count("\n", 0, start) + body
    line, offset = 1, 0
    for match in [*_BREAK.finditer(text), None]:
        part = text[offset : match.start() if match else len(text)]
        if any(map(str.isdigit, part)):
            try:
                budget.renew()
                blank_lines = part[: len(part) - len(part.lstrip())].count("\n")
                yield line + blank_lines, Cells(Stream(part, macros, budget), 0).everything().text
            except TooMuch:
                pass
        if match:
            line += part.count("\n") + match[0].count("\n")
            offset = match.end()
            if match["title"]:
                yield line, match["title"]
