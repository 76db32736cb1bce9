"""From a grid to a table of reported.yaml: labels, columns, cells as printed, and problems."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from yaml.reader import Reader

from robustdr.audit import cells
from robustdr.audit.cells import LOST, NO_NUMBER
from robustdr_review.grids import RAISED, Field, Grid, Problem
from robustdr_review.proposals import AVERAGE
from robustdr_review.reading import MARKS, Read, has_decimal_commas, is_numeric, read_field, second_of
from robustdr_review.words import FREE, Meaning, axis, coordinate_of

NOTES = {*"†‡§¶*", *RAISED}  # footnote marks after a label
_NOTHING = re.compile(r"[-–—]+|n\.?/?a\.?", re.I)
PLUS_MINUS, ACROSS = "±", "→"  # "Dataset (→)" in the corner of a table is the heading of the columns
_CHANGE = re.compile(r"/[^/]*%\s*$|\(\s*[+\-−][^()]*%\s*\)\s*$")  # after a number


@dataclass
class Draft:
    """The draft of a table.

    Attributes:
        rows: (labels, printed fields).
        sources: of every row, its line in the file and the fields of its columns as they stand there.
        words: of a label of the project, what the file has for it.
    """

    id: str
    caption: str
    row: list[str] = field(default_factory=list)
    columns: list[dict[str, Any]] = field(default_factory=list)
    rows: list[tuple[list[str], list[str]]] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    unit: str = "number"
    problems: list[Problem] = field(default_factory=list)
    sources: list[tuple[int, list[str]]] = field(default_factory=list)
    words: dict[str, list[str]] = field(default_factory=dict)


def draft(grid: Grid, id: str) -> Draft:
    """The most probable reading of a grid as a table of reported.yaml."""
    table = Draft(id, grid.caption, problems=list(grid.problems))
    decimal_commas = has_decimal_commas(grid.rows)
    heads = _heads(grid, decimal_commas)
    body, sections, lines = _sections(grid, heads)
    body = _stacked(body, grid.caption)
    reads = [[read_field(field, decimal_commas) for field in row] for row in body]
    numeric = [is_numeric([row[column] for row in reads]) for column in range(len(body[0]) if body else 0)]
    if not any(numeric[1:]):
        table.problems.append(Problem("it has no numbers"))
        for line, row in zip(lines, grid.rows[heads:], strict=False):
            texts = [field.text for field in row[1:]]
            table.problems += [Problem(f"the words {text!r}", line) for text in texts if _has_digit(text)]
        return table
    first = max(1, numeric[1:].index(True) + 1)
    number_columns = [column for column in range(first, len(numeric)) if numeric[column]]
    head_texts = _filled_heads(grid.rows[:heads])
    for column in range(first, len(numeric)):
        if not numeric[column] and any(row[column].text not in (NO_NUMBER, LOST) for row in reads):
            has = sum(_has_digit(row[column].text) for row in body)
            numbers = f", with {has} field{'s' * (has > 1)} that have digits" if has else ""
            head = " · ".join(dict.fromkeys(row[column] for row in head_texts if row[column])) or "without a head"
            table.problems.append(Problem(f"column {column + 1} ({head}) holds words and is left out{numbers}"))
    _label_rows(table, grid.rows[:heads], body, list(range(first)), sections)
    _distinguish_rows(
        table, [[row[column].text for column in range(first, len(row)) if not numeric[column]] for row in body]
    )
    _label_columns(table, head_texts, number_columns, _corner(grid.rows[:heads], list(range(first)), ACROSS))
    table.sources = [
        (line, [row[column].text for column in number_columns]) for line, row in zip(lines, body, strict=True)
    ]
    for index, column in enumerate(number_columns):
        _fill(table, index, [row[column] for row in reads])
    table.marks = sorted(
        {character for _, fields in table.rows for text in fields for character in text if character in MARKS}
    )
    _units(table)
    used: set[str] = set()
    for labels, fields in table.rows:
        for text, place in zip(fields, table.columns, strict=True):
            if _has_digit(text):  # a label of a column stands for that of a row where both have one coordinate
                coordinates = {**dict(zip(table.row, labels, strict=True)), **place}
                used |= {label for label in coordinates.values() if isinstance(label, str)}
    table.words = {label: texts for label, texts in table.words.items() if label in used}
    return table


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _distinguish_rows(table: Draft, words: Sequence[Sequence[str]]) -> None:
    """Make equal labels of rows differ: by the words of columns that are left out, else by a number."""
    for notes in ([" ".join(filter(None, texts)) for texts in words], None):
        counts: Counter[tuple[str, ...]] = Counter()
        several = {labels for labels, times in Counter(tuple(labels) for labels, _ in table.rows).items() if times > 1}
        for place, (labels, _) in enumerate(table.rows):
            if (key := tuple(labels)) in several and table.row[-1] != "seed":
                counts[key] += 1
                suffix = f"({notes[place]})" if notes else f"#{counts[key]}" if counts[key] > 1 else ""
                labels[-1] = f"{labels[-1]} {suffix}".strip().replace("|", "/") if suffix != "()" else labels[-1]


def _heads(grid: Grid, decimal_commas: bool) -> int:
    """The number of rows above the numbers: those that the file marks as heads, and further rows without a number."""
    heads = next(
        (index for index, row in enumerate(grid.rows[: grid.heads]) if _has_results(row, bool(index))), grid.heads
    )
    heads = next((place for place in range(1, heads) if _is_section(grid.rows, place)), heads)
    marked = heads
    while heads < len(grid.rows) and not any(
        read_field(field, decimal_commas).values for field in grid.rows[heads][1:]
    ):
        label, *texts = [field.text for field in grid.rows[heads]]
        if heads and (len({label, *texts}) == 1 or _is_section(grid.rows, heads)):
            break  # one text over all columns: the heading of a section
        if heads and label and texts and all(_NOTHING.fullmatch(text.strip()) for text in texts):
            break  # a sign for no number in all fields
        heads += 1
    return heads if heads < len(grid.rows) else marked


def _stacked(body: Sequence[list[Field]], caption: str) -> list[list[Field]]:
    """The rows; one of errors, p or intervals that has no label is labelled by the row above and by what it holds."""
    rows, above = [], ""
    for row in body:
        texts = [field.text for field in row[1:] if field.text]
        if row and not row[0].text and above and texts and (name := second_of(texts, caption)):
            row = [replace(row[0], text=f"{above}, {name}"), *row[1:]]
        elif row:
            above = row[0].text or above
        rows.append(list(row))
    return rows


def _is_section(rows: Sequence[Sequence[Field]], place: int) -> bool:
    """Whether a row has one text, over its first columns; or in its first one, as another row below does."""

    def is_lone(row: Sequence[Field]) -> bool:
        return len(row) > 2 and bool(row[0].text) and len({field.text for field in row if field.text}) == 1

    return is_lone(rows[place]) and (
        rows[place][1].repeated or any(is_lone(row) and not row[1].repeated for row in rows[place + 1 :])
    )


def _has_results(row: Sequence[Field], is_below: bool) -> bool:
    """Whether most fields of a row, but for the first, are numbers with a decimal point: it is no head.

    Args:
        is_below: whether another row of heads is above: then a label and whole numbers, in no order, are none either.
    """
    printed = [field for field in row[1:] if field.text]
    if is_below and row[0].text and len(printed) > 1 and not any(field.repeated for field in row):
        numbers = [re.sub(r"[,%]", "", field.text.strip()) for field in printed]
        if all(re.fullmatch(r"\d+(?:\.\d+)?", number) for number in numbers):
            values = [float(number) for number in numbers]
            if any(b <= a for a, b in pairwise(values)) and not all(1900 <= value <= 2100 for value in values):
                return True
    return 2 * sum("." in field.text and bool(read_field(field).values) for field in printed) > len(printed)


def _sections(grid: Grid, heads: int) -> tuple[list[list[Field]], list[str], list[int]]:
    """The rows of numbers, and of each: the section heading above it, a row with one text, or ''; its line."""
    body, sections, lines, section = [], [], [], ""
    for place, row in enumerate(grid.rows[heads:], heads):
        texts = {field.text for field in row if field.text}
        if (
            len(texts) == 1
            and len(row) > 1
            and (row[0].text or "").strip()
            and not any(read_field(f).values for f in row[1:])
        ):
            section = row[0].text
        elif texts:
            body.append(list(row))
            sections.append(section)
            lines.append(grid.lines[place] if place < len(grid.lines) else 0)
    return body, sections, lines


def _filled_heads(heads: Sequence[Sequence[Field]]) -> list[list[str]]:
    """The texts of the head rows; an empty field above another head takes the text on its left."""
    texts = [[field.text for field in row] for row in heads]
    for row, lower in reversed(list(pairwise(texts))):
        for column in range(1, len(row)):
            row[column] = row[column] or (row[column - 1] if lower[column] else "")
    return texts


def _label_rows(
    table: Draft,
    heads: Sequence[Sequence[Field]],
    body: Sequence[Sequence[Field]],
    labels: Sequence[int],
    sections: list[str],
) -> None:
    """Set the coordinates and labels of the rows; an empty label takes the label of the row above."""
    columns = [[row[column].text for row in body] for column in labels]
    headings = [_corner(heads, [column], "") for column in labels]
    headings = ["" if ACROSS in heading else heading for heading in headings]
    if any(sections):
        columns, headings = [sections, *columns], ["group", *headings]
    label_lists = []
    for place, (texts, heading) in enumerate(zip(columns, headings, strict=True)):
        previous = ""
        filled = [previous := text or previous or "-" for text in texts]
        bare = {label: label.rstrip("".join(NOTES)).rstrip() for label in filled}
        several = Counter(bare.values())  # where two labels would become equal, their footnote marks stay
        filled = [bare[label] if bare[label] and several[bare[label]] == 1 else label for label in filled]
        further = [name for name in map(coordinate_of, headings[place + 1 :]) if name]
        meanings = axis(list(dict.fromkeys(filled)), heading, [*table.row, *further])
        coordinate = Counter(meaning.coordinate for meaning in meanings if meaning.coordinate != "value").most_common(1)
        table.row.append(coordinate[0][0] if coordinate else "category")
        meaning_of = dict(zip(dict.fromkeys(filled), meanings, strict=True))
        label_lists.append([_label(table, meaning_of[text], text, table.row[-1]) for text in filled])
    table.rows = [([*place], []) for place in zip(*label_lists, strict=True)]


def _corner(heads: Sequence[Sequence[Field]], labels: Sequence[int], sign: str) -> str:
    """The lowest heading of these label columns that contains `sign`; '' if none."""
    texts = [row[column].text for row in reversed(heads) for column in labels]
    return next((text for text in texts if text and sign in text), "")


def _label(table: Draft, meaning: Meaning, text: str, coordinate: str) -> str:
    label = meaning.label if meaning.coordinate == coordinate else text
    if coordinate == "query_set" and AVERAGE.fullmatch(label):
        label = "variations_mean"
    if label != text and coordinate not in ("value", "seed") and text not in table.words.setdefault(label, []):
        table.words[label].append(text)
    return Reader.NON_PRINTABLE.sub("", label).replace("|", "/").strip() or NO_NUMBER


def _label_columns(table: Draft, heads: Sequence[Sequence[str]], number_columns: Sequence[int], heading: str) -> None:
    """Set the coordinates of every column; `heading`, from the corner, names those of the first head row."""
    table.columns = [{} for _ in number_columns]
    for row in heads:
        texts = [row[column] for column in number_columns]
        several = [text for text in dict.fromkeys(texts) if text]
        if not several:
            continue
        used = [*table.row, *{name for column in table.columns for name in column}]
        meaning_of = dict(zip(several, axis(several, heading, used), strict=True))
        heading = ""
        for column, text in zip(table.columns, texts, strict=True):
            if text:
                column[meaning_of[text].coordinate] = _label(table, meaning_of[text], text, meaning_of[text].coordinate)
    usual = Counter(name for column in table.columns for name in column)
    free = [*(name for name, _ in usual.most_common()), *(name for name in FREE if name not in table.row), FREE[-1]]
    for place, column in enumerate(table.columns if len(number_columns) > 1 else (), 1):
        if not column:
            column[free[0]] = f"column {place}"
    counts: Counter[str] = Counter()
    for column in table.columns:
        key = repr(sorted(column.items()))
        counts[key] += 1
        if counts[key] > 1 and column and "seed" not in column:  # a run that is printed twice is a finding
            last = [*column][-1]
            column[last] = f"{column[last]} #{counts[key]}"


def _fill(table: Draft, index: int, reads: Sequence[Read]) -> None:
    """Add the fields of one column; the sign between two values gives the name of the second."""
    places = max((reading.values for reading in reads), default=1)
    names = []
    for (labels, fields), (line, _), reading in zip(table.rows, table.sources, reads, strict=True):
        text = reading.text
        if reading.values not in (0, 1, places):
            reading = Read(LOST, 0, f"{reading.values} values where others have {places}")
            text = LOST
        if not reading.values and text not in (NO_NUMBER, LOST):
            text, reading = NO_NUMBER, Read(NO_NUMBER, 0, f"the words {reading.text!r}")
        if reading.problem:
            table.problems.append(Problem(f"{' · '.join(labels)}, column {index + 1}: {reading.problem}", line))
        names += ["deviation"] * (PLUS_MINUS in text) + ["drop"] * bool(_CHANGE.search(text))
        fields.append(text)
    if places > 1:
        first = names[0] if names else "second"
        table.columns[index]["and"] = (
            first if places == 2 else [first, *(f"value_{place}" for place in range(3, places + 1))]
        )


def _units(table: Draft) -> None:
    """Set the units: percent for measures above 1, fraction for those up to 1, count for other whole numbers."""
    units = []
    for index, column in enumerate(table.columns):
        texts = [fields[index] for _, fields in table.rows if fields[index] not in (NO_NUMBER, LOST)]
        marks = dict.fromkeys(table.marks, "")
        first = [cells.parse("", text, len(cells.split(text)), marks)[0] for text in texts]
        largest = max((abs(value.number) for value in first), default=0)
        whole = all("." not in value.printed and not value.unit for value in first)
        measured = "quantity" not in column and "quantity" not in table.row
        if measured and not (whole and largest > 100):
            units.append("fraction" if largest <= 1 else "percent" if largest <= 100 else "number")
        else:
            units.append("count" if whole else "number")
    table.unit = Counter(units).most_common(1)[0][0]
    for column, unit in zip(table.columns, units, strict=True):
        if unit != table.unit:
            column["unit"] = unit
