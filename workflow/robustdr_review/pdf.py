"""Tables of PDF files as grids, from where their words stand."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robustdr_review.grids import Field, Grid, Problem, titled
from robustdr_review.regions import (
    VALUE,
    WIDE,
    Region,
    Span,
    columns_under,
    is_number,
    is_row,
    is_table,
    is_title,
    is_wrapped,
    spans,
    tables,
)
from robustdr_review.sheets import Chunk, Line, sheets, text_of

MIDDLE = 0.8  # letters' sizes between the middle of a head and that of its columns
_Row = tuple[Line, list[Field]]


def read_pdf(path: Path) -> list[Grid]:
    """The tables of a PDF file, in order; the line of each is its page.

    Raises:
        UserError: see `sheets`.
    """
    regions: list[Region] = []
    titles: list[tuple[int, str]] = []
    strays: list[Problem] = []
    for sheet in sheets(path):
        strays += [Problem(sheet.problem, sheet.page)] if sheet.problem else []
        for lines in sheet.columns:
            column_regions = [*tables(lines, sheet)]
            regions += column_regions
            titles += [(sheet.page, line.text) for line in lines if is_title(line)]
            inside = _inside(column_regions)
            strays += [
                Problem(f"the line {line.text!r} looks like a row of a table, but stands in none", sheet.page)
                for line in lines
                if id(line) not in inside and sum(map(is_number, line.chunks)) > 2
            ]
    grids = []
    for table, caption in zip(regions, _captions(regions), strict=True):
        if is_table(table, bool(caption)):
            grids.append(_grid(table, caption))
        else:
            words = f"{len(table.rows)} lines from {table.rows[0].text[:60]!r} on line up, but have no caption and no"
            words += " rules: read as an axis, an equation or prose, not as a table"
            strays.append(Problem(words, table.page))
    has = {grid.number for grid in grids}
    for page, text in titles:
        number, words = titled(text)
        if number and number not in has:
            problem = Problem("no rows of numbers stand beside its caption; perhaps it is a picture", page)
            grids.append(Grid(number, words, [], 0, [problem], page))
    return [*grids, Grid("", "", [], 0, strays, strays[0].line)] if strays else grids


def _inside(regions: Iterable[Region]) -> set[int]:
    """The ids of the lines of tables."""
    return {id(line) for table in regions for line in (*table.heads, *table.rows)}


def _captions(regions: Sequence[Region]) -> list[str]:
    """The caption of each table: on the side where most tables have one, else on the other if no other table has it."""
    side = max((-1, 1), key=lambda side: (sum(side in table.captions for table in regions), -side))
    chosen = [table.captions.get(side, "") for table in regions]
    for place, table in enumerate(regions):
        other_caption = table.captions.get(-side, "")
        if not chosen[place] and titled(other_caption)[0] not in {titled(text)[0] for text in chosen}:
            chosen[place] = other_caption
    return chosen


def text_of_pdf(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (page, paragraph) of a PDF file outside of its tables."""
    for sheet in sheets(path):
        for lines in sheet.columns:
            inside = _inside(table for table in tables(lines, sheet) if is_table(table, bool(table.captions)))
            paragraph: list[Line] = []
            for line in [line for line in lines if id(line) not in inside]:
                last = paragraph[-1] if paragraph else line
                widest = max((earlier.x1 for earlier in paragraph), default=0.0)
                ends = last.text.endswith((".", ":")) and last.x1 < widest - line.size
                if paragraph and (line.top - last.bottom > 0.9 * line.size or ends):
                    yield sheet.page, text_of(paragraph)
                    paragraph = []
                paragraph.append(line)
            if paragraph:
                yield sheet.page, text_of(paragraph)


def _grid(table: Region, caption: str) -> Grid:
    columns = spans(table.rows)
    boxes = _with_heads(columns, table.heads)
    labels = {id(row): [line for line in table.rows if is_wrapped(line, row)] for row in table.rows if is_row(row)}
    used = {id(line) for lines in labels.values() if len(lines) > 1 for line in lines}
    rows: list[_Row] = []
    for line in table.rows:
        fields = [Field("")] * len(columns)
        if not is_row(line):
            fields = [Field(line.text), *[Field(line.text, repeated=True)] * (len(columns) - 1)]
        elif len(wrapped := labels[id(line)]) > 1:
            fields[0] = Field(" ".join(part.text for part in wrapped).replace("- ", "-"))
        for chunk in line.chunks if is_row(line) else ():
            column = _nearest(chunk, columns)
            text = f"{fields[column].text} {chunk.text}".strip()
            fields[column] = Field(text, chunk.bold or fields[column].bold, _unread(text))
        if id(line) not in used:
            rows.append((line, fields))
    heads = _lowered([_head(line, boxes, table) for line in table.heads])
    body = [fields for _, fields in _spread_labels(rows)]
    return Grid(*titled(caption), [*heads, *body], len(heads), [], table.page, [table.page] * (len(heads) + len(body)))


def _lowered(heads: list[list[Field]]) -> list[list[Field]]:
    """The head rows; one whose heads have none above or below, as those of the labels, is part of the last one."""
    for row in heads[:-1]:
        places = [column for column, field in enumerate(row) if field.text]
        if all(sum(bool(head[column].text) for head in heads) == 1 for column in places):
            for column in places:
                heads[-1][column] = row[column]
            heads = [head for head in heads if head is not row]
    return heads


def _spread_labels(rows: list[_Row]) -> list[_Row]:
    """Give each label that stands in the middle of several rows, as of \\multirow, to all of them."""
    numbered = [(line, fields) for line, fields in rows if is_row(line)]
    is_open = [not fields[0].text for _, fields in numbered]
    seconds = [fields[1].text for _, fields in numbered if not fields[0].text and len(fields) > 1]
    if not is_open[0] or len(seconds) < sum(is_open) or any(VALUE.fullmatch(text or "-") for text in seconds):
        return rows  # it stands in the first of its rows, or is the heading of a section
    spread: list[_Row] = []
    first = Field("")
    for label, (first, *_) in [row for row in rows if row[1][0].text]:
        remaining = numbered[len(spread) :]
        away = [abs(remaining[0][0].middle + line.middle - 2 * label.middle) / 2 for line, _ in remaining]
        if not remaining or min(away) > MIDDLE * label.size:
            return rows
        spread += [(line, [first, *fields[1:]]) for line, fields in remaining[: away.index(min(away)) + 1]]
    return [*spread, *((line, [first, *fields[1:]]) for line, fields in numbered[len(spread) :])]


def _unread(text: str) -> str:
    return "letters that the file does not say" if "(cid:" in text else ""


def _nearest(chunk: Chunk, columns: Sequence[Span]) -> int:
    """The column that most of a field stands over, or that is nearest to it."""
    return max(
        range(len(columns)), key=lambda column: min(chunk.x1, columns[column][1]) - max(chunk.x0, columns[column][0])
    )


def _with_heads(columns: Sequence[Span], heads: Sequence[Line]) -> list[Span]:
    """The columns with what the lowest head of each covers beside its numbers."""
    widened = [*columns]
    has: set[int] = set()
    for line in heads[::-1]:
        for chunk in line.chunks:
            overlaps = columns_under(chunk, columns)
            if len(overlaps) == 1 and overlaps[0] not in has:
                has.add(overlaps[0])
                widened[overlaps[0]] = min(chunk.x0, columns[overlaps[0]][0]), max(chunk.x1, columns[overlaps[0]][1])
    return widened


def _head(line: Line, columns: Sequence[Span], table: Region) -> list[Field]:
    """The fields of a head row; a head covers the columns of the rule below it, or those that it is the middle of."""
    fields = [Field("")] * len(columns)
    covered = [columns_under(chunk, columns) or [_nearest(chunk, columns)] for chunk in line.chunks]
    is_last = line is table.heads[-1]
    for place, chunk in enumerate(line.chunks):
        leftmost = covered[place - 1][-1] + 1 if place else 1
        rightmost = covered[place + 1][0] - 1 if place + 1 < len(covered) else len(columns) - 1
        covered[place] = _ruled(chunk, columns, table) or _centred(
            chunk, columns, covered[place], leftmost, rightmost, is_last
        )
        for column in covered[place]:
            text = f"{fields[column].text} {chunk.text}".strip()
            fields[column] = Field(text, chunk.bold, _unread(text), column != covered[place][0])
    return fields


def _ruled(chunk: Chunk, columns: Sequence[Span], table: Region) -> list[int]:
    """The columns of the partial rule right below a head."""
    for rule in table.rules:
        is_below = 0 <= rule.y - max(word.bottom for word in chunk.words) + 1 < chunk.size
        is_part = rule.x1 - rule.x0 < WIDE * (table.x1 - table.x0)
        if is_below and is_part and rule.x0 - 1 <= chunk.x0 and chunk.x1 <= rule.x1 + 1:
            return columns_under(rule, columns)
    return []


def _centred(
    chunk: Chunk, columns: Sequence[Span], overlaps: list[int], leftmost: int, rightmost: int, is_last: bool
) -> list[int]:
    """The columns from `leftmost` to `rightmost` whose middle is a head over `overlaps`: many, but in the last row."""

    def away(ends: tuple[int, int]) -> float:
        return abs(chunk.x0 + chunk.x1 - columns[ends[0]][0] - columns[ends[1]][1]) / 2 / chunk.size

    if is_last and away((overlaps[0], overlaps[-1])) < MIDDLE:
        return overlaps
    choices = [(a, b) for a in range(leftmost, overlaps[0] + 1) for b in range(overlaps[-1], rightmost + 1)]
    middle = [ends for ends in choices if away(ends) < MIDDLE]
    first, last = max(middle, key=lambda ends: ends[1] - ends[0], default=(overlaps[0], overlaps[-1]))
    return list(range(first, last + 1))
