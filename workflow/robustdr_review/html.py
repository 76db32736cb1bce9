"""Tables of HTML, and of Markdown, which is first converted to HTML."""

import re
from collections.abc import Iterator

from lxml import html
from lxml.etree import ParserError
from markdown_it import MarkdownIt

from robustdr.core.bounds import check_markup
from robustdr.core.errors import UserError
from robustdr_review.grids import CAPTION, MOST, Field, Grid, Problem, Span, covered, raised, spread, titled

BOLD = ("b", "strong")
WRAPPERS = ("div", "center", "section", "span")  # may be around a table, between it and its caption
_DELIMITERS = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
FIELDS, LINE = "data-fields", "data-line"  # of a Markdown row: its fields, before it was cut or filled; its line


def read_html(text: str) -> list[Grid]:
    """The tables of an HTML page, in order; a caption is a `caption`, or a paragraph `Table <n>` next to the table."""
    root = parsed(text)
    if root is None:
        return []
    tables = [table for table in root.iter("table") if not table.xpath(".//table")]
    by_side = ([_caption_outside(table, step) for table in tables] for step in (-1, 1))
    outside = max(by_side, key=lambda captions: sum(map(bool, captions)))  # above tables, or below
    grids = [_grid(table, caption) for table, caption in zip(tables, outside, strict=True)]
    for figure in root.iter("figure"):
        caption = "".join(part.text_content() for part in figure.xpath("./figcaption"))
        if figure.xpath(".//img") and not figure.xpath(".//table") and CAPTION.fullmatch(caption.strip()):
            grids.append(Grid(*titled(caption), [], 0, [Problem("it is a picture; nothing of it can be read")]))
    return grids


def parsed(text: str) -> html.HtmlElement | None:
    """The root of a page; None if it holds nothing but comments.

    Raises:
        UserError: see `check_markup`.
    """
    check_markup(data := text.encode(), "the page")
    try:
        return html.fromstring(data, parser=html.HTMLParser(encoding="utf-8")) if text.strip() else None
    except ParserError:
        return None


def read_markdown(text: str) -> list[Grid]:
    """The tables of a Markdown file: pipe tables and HTML tables.

    Raises:
        UserError: more than `MOST` bars between fields.
    """
    if text.count("|") > MOST:
        raise UserError(f"a Markdown file with more than {MOST:,} bars; save only some of its tables")
    markdown = MarkdownIt("commonmark").enable("table")
    lines, origin = _set_tables_apart(text.split("\n"))
    tokens = markdown.parse("\n".join(lines))
    covered_lines = set()
    for token in tokens:
        if token.type == "tr_open" and token.map:
            index = token.map[0]
            token.attrSet(FIELDS, str(_fields(lines[index])))
            token.attrSet(LINE, str(origin[index]))
            covered_lines.add(index)
        elif token.type in ("fence", "html_block") and token.map:
            covered_lines.update(range(*token.map))
    grids = read_html(markdown.renderer.render(tokens, markdown.options, {}))
    strays = [
        origin[index]
        for index, line in enumerate(lines)
        if index not in covered_lines
        and line.startswith("|")
        and any(map(str.isdigit, line))
        and not _DELIMITERS.fullmatch(line)
    ]
    if strays:
        problems = [Problem("it looks like a row of a table, but stands in none", line) for line in strays]
        grids.append(Grid("", "", [], 0, problems, strays[0]))
    return grids


def _fields(line: str) -> int:
    return line.strip().replace("\\|", "").removeprefix("|").removesuffix("|").count("|") + 1


def _set_tables_apart(lines: list[str]) -> tuple[list[str], list[int]]:
    """(lines, the number of each in the file): tables are set apart from text and from each other, as people mean them.

    Markdown joins a table with text right above or below it, and takes an indented one for code. A row of dashes that
    has another length than its head gets the length of the head.
    """
    separated: list[str] = []
    origin: list[int] = []
    fenced = False
    for number, line in enumerate(lines, 1):
        fenced ^= bool(_FENCE.match(line))
        bare = line.strip(" \t\r")
        if fenced or not bare:
            separated.append(line)
            origin.append(number)
            continue
        if bare.startswith("|"):
            line = bare
        next_line = lines[number].strip() if number < len(lines) else ""
        delimited = "|" in next_line and "-" in next_line and bool(_DELIMITERS.fullmatch(next_line))
        last_line = separated[-1] if separated else ""
        is_row = bare.startswith("|")
        if last_line.strip() and (
            (is_row and "|" not in last_line)
            or (last_line.startswith("|") and "|" not in bare)
            or (is_row and delimited and not _DELIMITERS.fullmatch(last_line.strip()))
        ):
            separated.append("")
            origin.append(number)
        if "|" in last_line and _DELIMITERS.fullmatch(bare) and "|" in bare and _fields(bare) != _fields(last_line):
            line = "|" + " --- |" * _fields(last_line)
        separated.append(line)
        origin.append(number)
    return separated, origin


def _grid(table: html.HtmlElement, outer_caption: str) -> Grid:
    captions = table.xpath("./caption")
    number, caption = titled(captions[0].text_content() if captions else outer_caption)
    if not number and outer_caption:
        number = titled(outer_caption)[0]
    _set_in_rows(table)
    lines = [row for row in table.iter("tr") if row.xpath("./td|./th")]
    spans = [[_span(cell) for cell in row.xpath("./td|./th")] for row in lines]
    declared = [covered(row.get(FIELDS)) if row.get(FIELDS) else None for row in lines]
    rows, problems = spread(spans, declared)
    heads = 0
    while heads < len(lines) and (lines[heads].getparent().tag == "thead" or not lines[heads].xpath("./td")):
        heads += 1
    places = [int(row.get(LINE, 0)) or row.sourceline or 0 for row in lines]
    return Grid(number, caption, rows, heads, problems, min(places, default=0), places)


def _set_in_rows(table: html.HtmlElement) -> None:
    """Put fields that stand in no row into rows of their own, as browsers do."""
    for part in [table, *table.xpath("./thead|./tbody|./tfoot")]:
        row = None
        for child in list(part):
            if child.tag not in ("td", "th"):
                row = None
                continue
            if row is None:
                row = child.makeelement("tr")
                row.sourceline = child.sourceline
                child.addprevious(row)
            row.append(child)


def _span(cell: html.HtmlElement) -> Span:
    text = " ".join("".join(_texts(cell)).split())
    bold = [part for part in cell.iter(*BOLD) if any(character.isdigit() for character in part.text_content())]
    problem = "a picture" if cell.xpath(".//img") and not text else ""
    columns, rows = (covered(cell.get(name, "")) for name in ("colspan", "rowspan"))
    return Span(Field(text, bool(bold), problem), columns, rows)


def _texts(element: html.HtmlElement) -> Iterator[str]:
    """Yield the parts of an element's text; superscripts become marks, line breaks become spaces."""
    opening = (raised if element.tag == "sup" else str)(element.text or "")
    yield " " if element.tag == "br" else opening
    for child in element:
        if isinstance(child.tag, str):
            inner = "".join(_texts(child))
            yield raised(inner) if element.tag == "sup" else inner
        yield child.tail or ""


def _caption_outside(table: html.HtmlElement, step: int) -> str:
    """The caption in the paragraph before (-1) or after (1) a table, or in the figure around it; '' if none."""
    while table.getparent() is not None and table.getparent().tag in WRAPPERS and len(table.getparent()) == 1:
        table = table.getparent()
    neighbour = table.getprevious() if step < 0 else table.getnext()
    while neighbour is not None and not isinstance(neighbour.tag, str):
        neighbour = neighbour.getprevious() if step < 0 else neighbour.getnext()
    if table.getparent() is not None and table.getparent().tag == "figure":
        neighbour = next(iter(table.getparent().xpath("./figcaption")), neighbour)
    text = " ".join(neighbour.text_content().split()) if neighbour is not None and neighbour.tag != "table" else ""
    return text if CAPTION.fullmatch(text) and text.casefold().startswith("tab") else ""
