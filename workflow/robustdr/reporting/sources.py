"""Whose query sets and models stand behind the cells of a table: the authors' own, or those that were made here."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid
from robustdr.reporting.released_numbers import RUN
from robustdr.reporting.settings import TableSettings

THEIR_QUERIES, DRAWN, SOME_DRAWN = "their queries", "drawn here", "their queries and drawn here"
THEIR_CHECKPOINT, THEIR_RUN, TRAINED = "their checkpoint", "their run", "trained here"
MARKS = {THEIR_QUERIES: "°", SOME_DRAWN: "(°)", THEIR_CHECKPOINT: "‡", THEIR_RUN: "¶"}


class SourceMarks(NamedTuple):
    """Marks by row or column, and by (row, column) those of cells for which neither can speak."""

    headings: dict[str, str]
    cells: dict[tuple[str, str], str]


def set_sources(settings: TableSettings, cells: Sequence[Cell]) -> None:
    """Set the fields `queries_from` and `model_from` of cells.

    The original queries and the cells about no system have none; nor has a model that is neither, such as a stand-in.
    """
    for cell in cells:
        means = settings.evaluation[cell.role]["means"]
        theirs = [name in settings.released.get(cell.role, {}) for name in means.get(cell.query_set, [cell.query_set])]
        if cell.query_set in settings.evaluation[cell.role]["variations"] or cell.query_set in means:
            cell.queries_from = THEIR_QUERIES if all(theirs) else SOME_DRAWN if any(theirs) else DRAWN
        if settings.theirs.get(cell.system, {}).get(cell.role) == RUN:
            cell.model_from = THEIR_RUN
        elif cell.system in settings.checkpoints:
            cell.model_from = THEIR_CHECKPOINT
        elif cell.system in settings.trained:
            cell.model_from = TRAINED


def _of_lines(grid: Grid, field: str, axis: int) -> dict[str, str] | None:
    """The source by row (axis 0) or column (axis 1); None if the cells of one of them have different sources."""
    source_by_line: dict[str, str] = {}
    for place, cell in grid.cells.items():
        if source_by_line.setdefault(place[axis], getattr(cell, field)) != getattr(cell, field):
            return None
    return source_by_line


def source_marks(grid: Grid) -> SourceMarks:
    """The marks of a table: at its rows if each has one source, else at its columns, else in the cells."""
    table_marks = SourceMarks({}, {})
    for field in ("queries_from", "model_from"):
        lines = _of_lines(grid, field, 0) or _of_lines(grid, field, 1) or {}
        for name, source in lines.items():
            table_marks.headings[name] = table_marks.headings.get(name, "") + MARKS.get(source, "")
        for place, cell in grid.cells.items():
            table_marks.cells[place] = table_marks.cells.get(place, "") + (
                "" if lines else MARKS.get(getattr(cell, field), "")
            )
    return table_marks


def source_notes(settings: TableSettings, cells: Sequence[Cell]) -> Iterator[str]:
    """Footnotes: what the marks mean, and what is without a mark."""
    queries = {cell.queries_from for cell in cells} - {""}
    models = {cell.model_from for cell in cells} - {""}
    if queries & {THEIR_QUERIES, SOME_DRAWN}:
        roles = dict.fromkeys(cell.role for cell in cells)
        released = dict.fromkeys(place for role in roles for place in settings.released.get(role, {}).values())
        partly = f"; {MARKS[SOME_DRAWN]} a mean over some of them" if SOME_DRAWN in queries else ""
        rest_note = "; other varied queries are drawn here" if queries & {DRAWN, SOME_DRAWN} else ""
        yield f"{MARKS[THEIR_QUERIES]} Their queries, as released ({', '.join(released)}){partly}{rest_note}."
    elif queries:
        yield "The varied queries are drawn here."
    if THEIR_RUN in models:
        yield f"{MARKS[THEIR_RUN]} Their run, as released: nothing is trained, encoded or searched."
    if THEIR_CHECKPOINT in models:
        rest_note = "; other models are trained here" if TRAINED in models else ""
        yield f"{MARKS[THEIR_CHECKPOINT]} Their checkpoint, as released{rest_note}."
    elif models & {TRAINED}:
        yield "The models are trained here."
