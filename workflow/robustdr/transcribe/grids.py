"""A table as it is laid out: rows of fields, spans filled in, before anything is known of what they mean."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

LETTERS = "abcdefghijklmnoprstuvwxyz0123456789"
RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISE = str.maketrans(LETTERS, RAISED)
CAPTION = re.compile(r"\W*(?:Table|Tab\.)\s*(?P<number>[A-Z]?\.?\d+)\s*[.:|]?\W*\s*(?P<caption>.*)", re.S | re.I)


@dataclass(frozen=True)
class Field:
    """What one place of a table holds; `problem` says why its text is not what is printed."""

    text: str
    bold: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Span:
    """A field over so many columns and rows."""

    field: Field
    columns: int = 1
    rows: int = 1


@dataclass
class Grid:
    """A table of a file.

    Attributes:
        number: as the file numbers it; empty where it does not.
        heads: rows that the file calls heads; 0 where it says nothing.
        problems: what could not be read, in words.
    """

    number: str
    caption: str
    rows: list[list[Field]]
    heads: int = 0
    problems: list[str] = field(default_factory=list)


def raised(text: str) -> str:
    """A superscript: letters and digits of it become marks that no number holds."""
    return text.translate(_RAISE)


def titled(text: str) -> tuple[str, str]:
    """The number and the words of a caption; no number where it does not begin with one."""
    text = " ".join(text.split())
    match = CAPTION.fullmatch(text)
    return (match["number"].replace(".", "").lower(), match["caption"]) if match else ("", text)


def spread(rows: Sequence[Sequence[Span]], declared: Sequence[int | None] = ()) -> tuple[list[list[Field]], list[str]]:
    """Rows of equal length, every span repeated at all its places; a row of another length loses its numbers.

    Args:
        declared: how many fields a row had in the file, where that is known and may be another number.
    """
    made: list[list[Field]] = []
    below: dict[int, tuple[Field, int]] = {}  # by column: what an earlier row still covers
    for spans in rows:
        row: list[Field] = []
        pending = list(spans)
        while pending or len(row) in below:
            if len(row) in below:
                covering, left = below.pop(len(row))
                if left > 1:
                    below[len(row)] = covering, left - 1
                row.append(covering)
                continue
            span = pending.pop(0)
            for _ in range(span.columns):
                if span.rows > 1:
                    below[len(row)] = span.field, span.rows - 1
                row.append(span.field)
        made.append(row)
    width = _usual([len(row) for row in made])
    problems = []
    for index, row in enumerate(made):
        fields = next((number for number in declared[index : index + 1] if number), len(row))
        if fields != width:
            said = f"row {index + 1} ({row[0].text if row else 'empty'}) has {fields} fields, others {width}"
            problems.append(said)
            made[index] = [*row[:1], *[Field("?")] * (width - 1)]
    return made, problems


def _usual(lengths: Sequence[int]) -> int:
    return max(set(lengths), key=lambda length: (lengths.count(length), length), default=0)


def filled_down(rows: Sequence[Sequence[Field]], covers: dict[tuple[int, int], int]) -> list[list[Field]]:
    """Rows with the fields of `covers`, at (row, column), repeated over the empty ones below them."""
    made = [list(row) for row in rows]
    for (row, column), number in covers.items():
        for below in range(row + 1, min(row + number, len(made))):
            if column < len(made[below]) and not made[below][column].text:
                made[below][column] = replace(made[row][column])
    return made
