"""Numbers counted here beside those of a paper: agreement, Markdown, CSV and JSON."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from robustdr.audit.cells import Cell
from robustdr.claims.intervals import Interval
from robustdr.core.files import write_json, write_text
from robustdr.core.markup import plain, table_row

COUNT, SHARE, COEFFICIENT = ",d", ".2%", ".3f"
LEGEND = "= the printed number is a rounding of the counted one; ≠ it is none."


@dataclass(frozen=True)
class Entry:
    """One number: its counted value, written with `form`, and the paper's cell for it."""

    section: str
    row: str
    column: str
    value: float
    form: str
    reported: Cell | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether the printed number can be a rounding of the value; None if the paper prints none."""
        return None if self.reported is None else self.explains(self.reported)

    def explains(self, cell: Cell) -> bool:
        """Whether `cell` can be a rounding of the value, half up, half to even or truncated."""
        return cell.interval.meets(Interval(self.value, self.value))

    @property
    def text(self) -> str:
        """The value as it is written."""
        return format(self.value, self.form)

    @property
    def printed(self) -> str:
        """The number as the paper prints it."""
        return self.reported.printed if self.reported else ""


def elsewhere(entries: Sequence[Entry]) -> list[str]:
    """For each number that disagrees, return the rows of its column whose value would explain the printed number."""
    return [
        f"{' · '.join(filter(None, (entry.section, entry.row, entry.column)))}: the printed {entry.printed} is what is "
        f"counted for {candidate.row}."
        for entry in entries
        if entry.reported is not None and not entry.agrees
        for candidate in entries
        if (candidate.section, candidate.column) == (entry.section, entry.column) and candidate.explains(entry.reported)
    ]


def markdown(title: str, entries: Sequence[Entry], notes: Sequence[str]) -> str:
    """Return one table for each section; a column that the paper prints too becomes two, reported and counted."""
    lines = [f"# {title}", ""]
    for section in dict.fromkeys(entry.section for entry in entries):
        cells = {(entry.row, entry.column): entry for entry in entries if entry.section == section}
        printed = {entry.column for entry in cells.values() if entry.reported}
        columns = dict.fromkeys(column for _, column in cells)
        head = [
            name
            for column in columns
            for name in ([f"{column}: reported", "counted"] if column in printed else [column])
        ]
        lines += [f"## {section}", ""] if section else []
        lines += [table_row(map(plain, ["", *head])), f"| --- |{' ---: |' * len(head)}"]
        for name in dict.fromkeys(name for name, _ in cells):
            fields = [name]
            for column in columns:
                entry = cells.get((name, column))
                sign = "" if entry is None or entry.agrees is None else " =" if entry.agrees else " ≠"
                fields += [(entry.printed if entry else "") or "–"] if column in printed else []
                fields.append(f"{entry.text}{sign}" if entry else "–")
            lines.append(table_row(map(plain, fields)))
        lines.append("")
    return "\n".join([*lines, *(f"- {note}" for note in [LEGEND, *notes]), ""])


def write(table: str, title: str, entries: Sequence[Entry], notes: Sequence[str], output: Path) -> None:
    """Write the numbers as .md, .csv and .json side by side; `output` is the .md file."""
    rows: list[dict[str, object]] = [
        {
            "table": table,
            "section": entry.section,
            "row": entry.row,
            "column": entry.column,
            "reported": entry.printed,
            "counted": entry.value,
            "agrees": entry.agrees,
        }
        for entry in entries
    ]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(output.with_suffix(".csv"), buffer.getvalue())
    write_json(output.with_suffix(".json"), {"table": table, "footnotes": [LEGEND, *notes], "cells": rows})
    write_text(output, markdown(title, entries, notes))
