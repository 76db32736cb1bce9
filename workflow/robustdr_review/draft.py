"""From a grid to a table of reported.yaml: labels, columns, cells as printed, and problems."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from yaml.reader import Reader

from robustdr.audit import cells
from robustdr.audit.cells import LOST, NO_NUMBER
from robustdr_review.grids import RAISED, Field, Grid, Problem
from robustdr_review.proposals import AVERAGE
from robustdr_review.reading import MARKS, Read, has_decimal_commas, is_numeric, read
from robustdr_review.words import FREE, Meaning, axis, coordinate_of

NOTES = {*"†‡§¶*", *RAISED}  # footnote marks after a label
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
    made = Draft(id, grid.caption, problems=list(grid.problems))
    decimal_commas = has_decimal_commas(grid.rows)
    heads = _heads(grid, decimal_commas)
    body, sections, lines = _sections(grid, heads)
    reads = [[read(field, decimal_commas) for field in row] for row in body]
    numeric = [is_numeric([row[column] for row in reads]) for column in range(len(body[0]) if body else 0)]
    if not any(numeric[1:]):
        made.problems.append(Problem("it has no numbers"))
        _tell_apart_from_words(made, grid.rows[heads:], lines)
        return made
    first = max(1, numeric[1:].index(True) + 1)
    kept = [column for column in range(first, len(numeric)) if numeric[column]]
    above = _filled_heads(grid.rows[:heads])
    for column in range(first, len(numeric)):
        if not numeric[column] and any(row[column].text not in (NO_NUMBER, LOST) for row in reads):
            has = sum(_has_digit(row[column].text) for row in body)
            numbers = f", with {has} field{'s' * (has > 1)} that have digits" if has else ""
            made.problems.append(
                Problem(f"column {column + 1} ({_stack(above, column)}) holds words and is left out{numbers}")
            )
    _label_rows(made, grid.rows[:heads], body, list(range(first)), sections)
    _tell_apart(made, [[row[column].text for column in range(first, len(row)) if not numeric[column]] for row in body])
    _label_columns(made, above, kept, _corner(grid.rows[:heads], list(range(first)), ACROSS))
    made.sources = [(line, [row[column].text for column in kept]) for line, row in zip(lines, body, strict=True)]
    for index, column in enumerate(kept):
        _fill(made, index, [row[column] for row in reads])
    made.marks = sorted(
        {character for _, fields in made.rows for text in fields for character in text if character in MARKS}
    )
    _units(made)
    used = _used(made)
    made.words = {label: texts for label, texts in made.words.items() if label in used}
    return made


def _used(made: Draft) -> set[str]:
    """The labels of rows and columns that have a number."""
    rows = [labels for labels, fields in made.rows if any(map(_has_digit, fields))]
    columns = [
        [label for label in column.values() if isinstance(label, str)]
        for column, fields in zip(made.columns, zip(*(fields for _, fields in made.rows), strict=True), strict=True)
        if any(map(_has_digit, fields))
    ]
    return {label for labels in (*rows, *columns) for label in labels}


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _tell_apart_from_words(made: Draft, rows: Sequence[Sequence[Field]], lines: Sequence[int]) -> None:
    """Add the fields with digits of a table without columns of numbers to its problems."""
    for line, row in zip(lines, rows, strict=False):
        made.problems += [Problem(f"the words {field.text!r}", line) for field in row[1:] if _has_digit(field.text)]


def _tell_apart(made: Draft, words: Sequence[Sequence[str]]) -> None:
    """Make equal labels of rows differ: by the words of columns that are left out, else by a number."""
    for told in ([" ".join(filter(None, texts)) for texts in words], None):
        seen: Counter[tuple[str, ...]] = Counter()
        several = {labels for labels, times in Counter(tuple(labels) for labels, _ in made.rows).items() if times > 1}
        for place, (labels, _) in enumerate(made.rows):
            if (key := tuple(labels)) in several and made.row[-1] != "seed":
                seen[key] += 1
                more = f"({told[place]})" if told else f"#{seen[key]}" if seen[key] > 1 else ""
                labels[-1] = f"{labels[-1]} {more}".strip().replace("|", "/") if more != "()" else labels[-1]


def _heads(grid: Grid, decimal_commas: bool) -> int:
    """The number of rows above the numbers: those that the file marks as heads, and further rows without a number."""
    heads = next((at for at, row in enumerate(grid.rows[: grid.heads]) if _has_results(row)), grid.heads)
    marked = heads
    while heads < len(grid.rows) and not any(read(field, decimal_commas).values for field in grid.rows[heads][1:]):
        if len({field.text for field in grid.rows[heads]}) == 1 and heads:
            break  # one text over all columns: the heading of a section
        heads += 1
    return heads if heads < len(grid.rows) else marked


def _has_results(row: Sequence[Field]) -> bool:
    """Whether most fields of a row, but for the first, are numbers with a decimal point: it is no head."""
    printed = [field for field in row[1:] if field.text]
    return 2 * sum("." in field.text and bool(read(field).values) for field in printed) > len(printed)


def _sections(grid: Grid, heads: int) -> tuple[list[list[Field]], list[str], list[int]]:
    """The rows of numbers, and of each: the section heading above it, a row with one text, or ''; its line."""
    body, sections, lines, section = [], [], [], ""
    for place, row in enumerate(grid.rows[heads:], heads):
        texts = {field.text for field in row if field.text}
        if (
            len(texts) == 1
            and len(row) > 1
            and (row[0].text or "").strip()
            and not any(read(f).values for f in row[1:])
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
    for row, below in reversed(list(pairwise(texts))):
        for column in range(1, len(row)):
            row[column] = row[column] or (row[column - 1] if below[column] else "")
    return texts


def _stack(heads: Sequence[Sequence[str]], column: int) -> str:
    return " · ".join(dict.fromkeys(row[column] for row in heads if row[column])) or "without a head"


def _label_rows(
    made: Draft,
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
    named = []
    for place, (texts, heading) in enumerate(zip(columns, headings, strict=True)):
        above = ""
        filled = _without_notes([above := text or above or "-" for text in texts])
        further = [name for name in map(coordinate_of, headings[place + 1 :]) if name]
        meanings = axis(list(dict.fromkeys(filled)), heading, [*made.row, *further])
        coordinate = Counter(one.coordinate for one in meanings if one.coordinate != "value").most_common(1)
        made.row.append(coordinate[0][0] if coordinate else "category")
        known = dict(zip(dict.fromkeys(filled), meanings, strict=True))
        named.append([_label(made, known[text], text, made.row[-1]) for text in filled])
    made.rows = [([*place], []) for place in zip(*named, strict=True)]


def _without_notes(labels: Sequence[str]) -> list[str]:
    """Labels without footnote marks, unless two labels would become equal."""
    bare = {label: label.rstrip("".join(NOTES)).rstrip() for label in labels}
    several = Counter(bare.values())
    return [bare[label] if bare[label] and several[bare[label]] == 1 else label for label in labels]


def _corner(heads: Sequence[Sequence[Field]], labels: Sequence[int], sign: str) -> str:
    """The lowest heading of these label columns that contains `sign`; '' if none."""
    texts = [row[column].text for row in reversed(heads) for column in labels]
    return next((text for text in texts if text and sign in text), "")


def _label(made: Draft, known: Meaning, text: str, coordinate: str) -> str:
    label = known.label if known.coordinate == coordinate else text
    if coordinate == "query_set" and AVERAGE.fullmatch(label):
        label = "variations_mean"
    if label != text and coordinate not in ("value", "seed") and text not in made.words.setdefault(label, []):
        made.words[label].append(text)
    return Reader.NON_PRINTABLE.sub("", label).replace("|", "/").strip() or NO_NUMBER


def _label_columns(made: Draft, heads: Sequence[Sequence[str]], kept: Sequence[int], heading: str) -> None:
    """Set the coordinates of every column; `heading`, from the corner, names those of the first head row."""
    made.columns = [{} for _ in kept]
    for row in heads:
        texts = [row[column] for column in kept]
        several = [text for text in dict.fromkeys(texts) if text]
        if not several:
            continue
        used = [*made.row, *{name for column in made.columns for name in column}]
        known = dict(zip(several, axis(several, heading, used), strict=True))
        heading = ""
        for column, text in zip(made.columns, texts, strict=True):
            if text:
                column[known[text].coordinate] = _label(made, known[text], text, known[text].coordinate)
    usual = Counter(name for column in made.columns for name in column)
    free = [*(name for name, _ in usual.most_common()), *(name for name in FREE if name not in made.row), FREE[-1]]
    for place, column in enumerate(made.columns if len(kept) > 1 else (), 1):
        if not column:
            column[free[0]] = f"column {place}"
    seen: Counter[str] = Counter()
    for column in made.columns:
        key = repr(sorted(column.items()))
        seen[key] += 1
        if seen[key] > 1 and column and "seed" not in column:  # a run that is printed twice is a finding
            last = [*column][-1]
            column[last] = f"{column[last]} #{seen[key]}"


def _fill(made: Draft, index: int, reads: Sequence[Read]) -> None:
    """Add the fields of one column; the sign between two values gives the name of the second."""
    places = max((one.values for one in reads), default=1)
    names = []
    for (labels, fields), (line, _), one in zip(made.rows, made.sources, reads, strict=True):
        text = one.text
        if one.values not in (0, 1, places):
            one = Read(LOST, 0, f"{one.values} values where others have {places}")
            text = LOST
        if not one.values and text not in (NO_NUMBER, LOST):
            text, one = NO_NUMBER, Read(NO_NUMBER, 0, f"the words {one.text!r}")
        if one.problem:
            made.problems.append(Problem(f"{' · '.join(labels)}, column {index + 1}: {one.problem}", line))
        names += ["deviation"] * (PLUS_MINUS in text) + ["drop"] * bool(_CHANGE.search(text))
        fields.append(text)
    if places > 1:
        first = names[0] if names else "second"
        made.columns[index]["and"] = (
            first if places == 2 else [first, *(f"value_{place}" for place in range(3, places + 1))]
        )


def _units(made: Draft) -> None:
    """Set the units: percent for measures above 1, fraction for those up to 1, count for other whole numbers."""
    units = []
    for index, column in enumerate(made.columns):
        texts = [fields[index] for _, fields in made.rows if fields[index] not in (NO_NUMBER, LOST)]
        marks = dict.fromkeys(made.marks, "")
        first = [cells.parse("", text, len(cells.split(text)), marks)[0] for text in texts]
        largest = max((abs(value.number) for value in first), default=0)
        whole = all("." not in value.printed and not value.unit for value in first)
        measured = "quantity" not in column and "quantity" not in made.row
        if measured and not (whole and largest > 100):
            units.append("fraction" if largest <= 1 else "percent" if largest <= 100 else "number")
        else:
            units.append("count" if whole else "number")
    made.unit = Counter(units).most_common(1)[0][0]
    for column, unit in zip(made.columns, units, strict=True):
        if unit != made.unit:
            column["unit"] = unit
