"""The grid of a table: rows of fields with spans filled in, not yet interpreted."""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

LETTERS = "abcdefghijklmnoprstuvwxyz0123456789"
RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISE = str.maketrans(LETTERS, RAISED)
CAPTION = re.compile(r"\W*(?:Table|Tab\.)\s*(?P<number>[A-Z]?\.?[0-9]+)\s*[.:|]?\W*\s*(?P<caption>.*)", re.S | re.I)


_SIGNED = re.compile(r"\(?[+\-−±]\s*\d*\.?\d+%?\)?|\(?\d+\.\d+%?\)?")  # a change or an error, raised or lowered
_POWER = re.compile(r"[×·]\s*10$")
WIDEST = 1000  # columns that a field may cover, as in HTML
MOST = 200_000  # fields of a table
TOO_MANY = f"it has more than {MOST:,} fields; save a part of it alone"


@dataclass(frozen=True)
class Field:
    """One field of a table.

    Attributes:
        problem: why its text could not be read; or ''. repeated: whether it is the rest of a field over several.
    """

    text: str
    bold: bool = False
    problem: str = ""
    repeated: bool = False


@dataclass(frozen=True)
class Span:
    """A field that covers several columns and rows."""

    field: Field
    columns: int = 1
    rows: int = 1


class Problem(NamedTuple):
    """What could not be read, in words, and its line in the file; 0 if unknown."""

    words: str
    line: int = 0


@dataclass
class Grid:
    """A table of a file.

    Attributes:
        number: its number in the file; '' if none.
        heads: number of rows that the file marks as heads; 0 if it marks none.
        line: the line of the file at which it begins; 0 if unknown. lines: those of its rows.
    """

    number: str
    caption: str
    rows: list[list[Field]]
    heads: int = 0
    problems: list[Problem] = field(default_factory=list)
    line: int = 0
    lines: list[int] = field(default_factory=list)


def covered(text: str) -> int:
    """How many columns or rows a file says that a field covers; 1 where it says none."""
    return min(int(text), WIDEST) if re.fullmatch("[1-9][0-9]{0,8}", text.strip()) else 1


def raised(text: str) -> str:
    """The text as superscript: its letters and digits become marks that cannot be part of a number."""
    return text.translate(_RAISE)


def script_after(before: str, text: str, is_raised: bool) -> str:
    """What a raised or lowered text adds to the text before it: a change or an error is a second value."""
    is_second = _SIGNED.fullmatch(text) and before.rstrip()[-1:].isdigit() and not _POWER.search(before)
    if is_second and (not is_raised or text[0] in "(+-−±"):
        return f" ± {text[1:].strip()}" if text[0] == "±" else f" ({text.strip('()').strip()})"
    return raised(text) if is_raised else f" {text}" if text else ""


def titled(text: str) -> tuple[str, str]:
    """(number, words) of a caption; the number is '' if it does not begin with `Table <number>`."""
    text = " ".join(text.split())
    match = CAPTION.fullmatch(text)
    return (match["number"].replace(".", "").lower(), match["caption"]) if match else ("", text)


def spread(
    rows: Sequence[Sequence[Span]], declared: Sequence[int | None] = (), padded: bool = False
) -> tuple[list[list[Field]], list[Problem]]:
    """(rows of equal length, problems): spans are repeated in all their fields; rows of another length lose numbers.

    Args:
        declared: the number of fields of each row in the file, or None if unknown.
        padded: whether the format fills a short row with empty fields at its end, as LaTeX and Markdown do.
    """
    fields = 0
    spread_rows: list[list[Field]] = []
    continued: dict[int, tuple[Field, int]] = {}  # by column: a field from an earlier row, and the rows it still covers
    problems: list[Problem] = []
    for spans in rows:
        row: list[Field] = []
        pending = deque(spans)
        while pending or len(row) in continued:
            if len(row) in continued:
                covering, remaining = continued.pop(len(row))
                if remaining > 1:
                    continued[len(row)] = covering, remaining - 1
                row.append(covering)
                continue
            span = pending.popleft()
            if len(row) == WIDEST:
                message = f"row {len(spread_rows) + 1}: only its first {WIDEST:,} fields are read"
                problems.append(Problem(message))
                break
            repeated = replace(span.field, repeated=True)
            for place in range(min(span.columns, WIDEST - len(row))):
                if span.rows > 1:
                    continued[len(row)] = repeated, span.rows - 1
                row.append(repeated if place else span.field)
        spread_rows.append(row)
        fields += len(row)
        if fields > MOST:
            return [], [Problem(TOO_MANY)]
    lengths = Counter(map(len, spread_rows))
    usual = max(lengths, key=lambda length: (lengths[length], length), default=0)
    width = max(lengths, default=0) if padded else usual
    for index, row in enumerate(spread_rows):
        if padded and len(row) < width:
            spread_rows[index] = row = [*row, *[Field("")] * (width - len(row))]
        declared_fields = next(filter(None, declared[index : index + 1]), 0)
        number = declared_fields or len(row)
        if number > width or (not declared_fields and number < width):
            message = f"row {index + 1} ({row[0].text if row else 'empty'}) has {number} fields, others {width}"
            problems.append(Problem(message))
            spread_rows[index] = [*(row[:1] or [Field("")]), *[Field("?")] * (width - 1)]
    return spread_rows, problems


def filled_down(rows: Sequence[Sequence[Field]], covers: dict[tuple[int, int], int]) -> list[list[Field]]:
    """The rows; each field at a (row, column) of `covers` fills the empty fields in the rows that it covers."""
    filled = [list(row) for row in rows]
    for (row, column), number in covers.items():
        for lower in range(row + 1, min(row + number, len(filled))):
            if column < len(filled[lower]) and not filled[lower][column].text:
                filled[lower][column] = replace(filled[row][column], repeated=True)
    return filled
