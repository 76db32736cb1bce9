"""Where the tables of a page stand: rows that line up, the heads above them, the captions beside them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from robustdr_review.sheets import Chunk, Line, Rule, Sheet, text_of

LEAD = 2.2  # letters' sizes between two lines of a table
HEADS = 8  # lines of heads
NOTES = 3  # lines without numbers between two rows
WIDE = 0.7  # share of a table's width that a rule over all of it covers
SENTENCE = 8  # words of a line of prose
REGULAR = 3  # rows of a table without caption and rules
VALUE = re.compile(r"[^A-Za-z]*(?:\d[^A-Za-z]*(?:e[+\-]?\d+|pp|ms|[kKMGTB]B?|[sx×])?[^A-Za-z]*|N/?A|OOM)|\W+", re.I)
_TITLE = re.compile(r"Tab(?:le|\.)\s*[A-Z]?\.?\d+\s*[.:|]", re.I)
_EQUATION = re.compile(r"^=$|[∈∑∏∫]")
Span = tuple[float, float]  # from left to right


@dataclass
class Region:
    """The lines of a table: heads, and rows with what stands between them; the text above and below."""

    page: int
    heads: list[Line]
    rows: list[Line]
    rules: list[Rule]
    captions: dict[int, str] = field(default_factory=dict)  # by -1 for above, 1 for below

    @property
    def x0(self) -> float:
        return min(line.x0 for line in self.rows)

    @property
    def x1(self) -> float:
        return max(line.x1 for line in self.rows)


def is_number(chunk: Chunk) -> bool:
    return bool(VALUE.fullmatch(chunk.text)) and any(map(str.isdigit, chunk.text))


def is_row(line: Line) -> bool:
    """Whether half of the fields after the first are numbers, with a gap before one that no prose has."""
    after = line.chunks[1:]
    values = sum(bool(VALUE.fullmatch(chunk.text)) for chunk in after)
    numbers = sum(map(is_number, after))
    gap = max((b.x0 - a.x1 for a, b in pairwise(line.chunks)), default=0.0)
    return numbers > 0 and 2 * values >= len(after) and gap > (0.5 if numbers > 1 else 0.8) * line.size


def is_title(line: Line) -> bool:
    return bool(_TITLE.match(line.text))


def _is_prose(line: Line) -> bool:
    words = line.text.split()
    is_sentence = len(words) >= SENTENCE and 2 * sum(map(str.isalpha, words)) > len(words)
    return is_title(line) or (len(line.chunks) < 3 and is_sentence)


def is_wrapped(line: Line, row: Line) -> bool:
    """Whether a line may be part of a row's label: one that is written above and below the middle of its row."""
    return len(line.chunks) == 1 and line.x1 < row.x0 and abs(line.middle - row.middle) < row.size


def _is_near(upper: Line, lower: Line) -> bool:
    return lower.top - upper.bottom < LEAD * lower.size


def tables(lines: Sequence[Line], sheet: Sheet) -> Iterator[Region]:
    """Yield the tables of a column of lines: rows near to each other, and the heads above them."""
    start = before = 0
    while start < len(lines):
        if not is_row(lines[start]):
            start += 1
            continue
        end = next_at = start
        while next_at + 1 < len(lines) and _is_near(lines[next_at], lines[next_at + 1]) and next_at - end < NOTES:
            next_at += 1
            if is_row(lines[next_at]):
                end = next_at
            elif _is_prose(lines[next_at]):
                break
        end += end + 1 < len(lines) and is_wrapped(lines[end + 1], lines[end])
        rows = list(lines[start : end + 1])
        table = Region(sheet.page, [], rows, [])
        table.rules = [rule for rule in sheet.rules if rule.x1 > table.x0 and rule.x0 < table.x1]
        table.heads = _heads(lines[before:start], table)
        first = start - len(table.heads)
        for side, neighbours in ((-1, lines[max(before, first - HEADS) : first][::-1]), (1, lines[end + 1 : end + 4])):
            if caption := _caption(neighbours, side):
                table.captions[side] = caption
        if sum(map(is_row, rows)) > 1 or (table.heads and table.captions) or _is_ruled(table):
            _divide(table)
            yield table
            before = end + 1
        start = end + 1


def wide(table: Region) -> list[Rule]:
    width = WIDE * (table.x1 - table.x0)
    return [rule for rule in table.rules if min(rule.x1, table.x1) - max(rule.x0, table.x0) >= width]


def _is_ruled(table: Region) -> bool:
    """Whether rules stand right above and right below the table."""
    first, last = [*table.heads, *table.rows][0], table.rows[-1]
    distance = LEAD * last.size
    return any(0 <= first.top - rule.y < distance for rule in wide(table)) and any(
        -1 <= rule.y - last.bottom < distance for rule in wide(table)
    )


def is_table(table: Region, has_caption: bool) -> bool:
    """Whether lines that line up are a table: one with a caption, in rules, or of rows that have the same fields.

    Axes, equations, algorithms and numbered lines line up too. A table without a caption has labels of letters.
    """
    rows = [line for line in table.rows if is_row(line)]
    are_labelled = len(rows) > 1 and all(any(map(str.isalpha, line.chunks[0].text)) for line in rows)
    is_regular = len({len(line.chunks) for line in table.rows}) == 1 and len(rows) >= REGULAR and bool(table.heads)
    is_equation = any(_EQUATION.search(chunk.text) for line in rows for chunk in line.chunks)
    return has_caption or (are_labelled and not is_equation and (_is_ruled(table) or is_regular))


def _heads(lines_above: Sequence[Line], table: Region) -> list[Line]:
    """The heads among the lines above the first row: those up to the top rule, to prose or to a caption."""
    heads: list[Line] = []
    lower = table.rows[0]
    columns = spans(table.rows)
    for line in lines_above[::-1][:HEADS]:
        inside = line.x1 > table.x0 - line.size and line.x0 < table.x1 + line.size
        if not _is_near(line, lower) or _is_prose(line) or not inside:
            break
        heads.insert(0, line)
        lower = line
    if not heads:
        return []
    ruled = [rule.y for rule in wide(table) if heads[0].top - LEAD * lower.size < rule.y <= table.rows[0].top + 1]
    if len({round(y / 2) for y in ruled}) > 1:
        return [line for line in heads if line.middle > min(ruled)]
    while (
        heads and len(heads[0].chunks) == 1
    ):  # the end of a caption begins where the labels do, or is near to its rest
        rest = lines_above[len(lines_above) - len(heads) - 1] if len(heads) < len(lines_above) else None
        next_to = [*heads, table.rows[0]][1].top - heads[0].bottom
        if heads[0].x0 >= columns[0][1] and not (rest and 0 < heads[0].top - rest.bottom < next_to):
            break
        heads.pop(0)
    return heads


def _divide(table: Region) -> None:
    """Take a first row of whole numbers without a label for a head, as of seeds; what a rule parts for a section."""
    heads, rows = table.heads, table.rows
    labels = spans(rows[1:])[:1]
    if labels and rows[0].x0 > labels[0][1] and all(re.fullmatch(r"@?\d+k?", chunk.text) for chunk in rows[0].chunks):
        stop = next(index for index, line in enumerate(rows) if index and is_row(line))
        heads += rows[:stop]
        del rows[:stop]
    elif len(heads) > 1 and len(heads[-1].chunks) == 1:
        is_parted = is_wrapped(heads[-1], rows[0]) or any(
            heads[-2].middle < rule.y < heads[-1].middle for rule in wide(table)
        )
        rows[:0] = [heads.pop()] if is_parted else []


def _caption(neighbours: Sequence[Line], side: int) -> str:
    """The caption among the lines next to a table, from its first line on; '' if there is none."""
    first = next((index for index, line in enumerate(neighbours) if is_title(line)), None)
    if first is None:
        return ""
    if side < 0:
        return text_of(neighbours[: first + 1][::-1])
    caption_lines = [neighbours[first]]
    for line in neighbours[first + 1 :]:
        if line.top - caption_lines[-1].bottom > 0.5 * line.size:
            break
        caption_lines.append(line)
    return text_of(caption_lines)


def spans(rows: Sequence[Line]) -> list[Span]:
    """The columns, as what the fields of all rows cover; a text over several columns of numbers covers none."""
    rows = [line for line in rows if is_row(line)]
    numbers = _covered([(c.x0, c.x1) for line in rows for c in line.chunks if VALUE.fullmatch(c.text)])
    texts = [
        (chunk.x0, chunk.x1)
        for line in rows
        for chunk in line.chunks
        if not VALUE.fullmatch(chunk.text) and len(columns_under(chunk, numbers)) < 2
    ]
    return _covered([*numbers, *texts])


def _covered(intervals: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for x0, x1 in sorted(intervals):
        if merged and x0 < merged[-1][1] + 0.5:
            merged[-1] = merged[-1][0], max(merged[-1][1], x1)
        else:
            merged.append((x0, x1))
    return merged


def columns_under(chunk: Chunk | Rule, columns: Sequence[Span]) -> list[int]:
    """The columns that a field or a rule stands over."""
    return [column for column, (x0, x1) in enumerate(columns) if chunk.x0 < x1 and chunk.x1 > x0]
