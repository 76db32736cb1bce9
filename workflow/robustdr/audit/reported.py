"""The numbers that a paper prints (`config/papers/<paper>/reported.yaml`), cell by cell."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from robustdr.audit import cells
from robustdr.audit.cells import Cell, describe
from robustdr.audit.transcript import MarkTest, PrintedTable, Relation, RunFiles, Transcript
from robustdr.core.errors import UserError, unknown
from robustdr.core.yaml_files import Keys, checked, read_numbered

CLONE, WHEEL = (Path(__file__).resolve().parents[level] / "config" for level in (3, 1))
PAPERS = (CLONE if CLONE.is_dir() else WHEEL) / "papers"
ANY = "*"
Declared = TypeVar("Declared", Relation, RunFiles, MarkTest)


@dataclass(frozen=True)
class Table:
    """A printed table: its cells row by row, and its declared relations."""

    id: str
    caption: str
    cells: list[Cell]
    blank: list[Mapping[str, str]]  # coordinates without a printed number
    lost_places: list[Mapping[str, str]]  # coordinates of numbers that are missing from the available text
    rows: list[tuple[int, Mapping[str, str]]]  # (line, coordinates) of every row
    columns: list[Mapping[str, str]]  # coordinates of every column, by `Cell.column`
    relations: list[tuple[int, Relation]]  # (line, declaration)
    marks: Mapping[str, str] = field(default_factory=dict)  # mark: its meaning
    runs: list[tuple[int, RunFiles]] = field(default_factory=list)  # (line, declaration)
    tests: list[tuple[int, MarkTest]] = field(default_factory=list)  # (line, declaration)
    firsts: Sequence[int] = ()  # of every column, that of the first value of its printed cells

    @property
    def is_prose(self) -> bool:
        """Whether its numbers stand in the text of the paper, in no table."""
        return self.id.startswith("prose")

    @property
    def is_declared(self) -> bool:
        """Whether somebody declared a relation of its cells; a draft only proposes them."""
        return any(relation.proposed is None for _, relation in self.relations)

    @cached_property
    def _positions(self) -> dict[tuple[str, str], set[int]]:
        """The cells at (coordinate, label); at (coordinate, "*"), all cells with the coordinate."""
        positions: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for position, cell in enumerate(self.cells):
            for name, label in cell.coordinates.items():
                positions[name, label].add(position)
                positions[name, ANY].add(position)
        return positions

    @cached_property
    def varying(self) -> set[str]:
        """The coordinates in which two cells differ."""
        return {name for (name, _), cells in self._positions.items() if len(cells) < len(self.cells)}

    def select(self, coordinates: Mapping[str, str]) -> list[Cell]:
        """Return the cells at all these coordinates, in printed order; the label `*` stands for any."""
        if not coordinates:
            return list(self.cells)
        matches = sorted((self._positions.get(place, set()) for place in coordinates.items()), key=len)
        return [self.cells[position] for position in sorted(matches[0].intersection(*matches[1:]))]


@dataclass(frozen=True)
class Reported:
    """All numbers of one paper."""

    path: Path
    paper: str
    title: str
    tables: Mapping[str, Table]
    missing: Mapping[str, str]  # tables that the available text of the paper lacks: reason
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by label, how the paper's text words it

    @property
    def outside_prose(self) -> list[Table]:
        """The tables that the paper prints as such."""
        return [table for table in self.tables.values() if not table.is_prose]

    @cached_property
    def cells(self) -> list[Cell]:
        """Every cell, table by table, in printed order."""
        return [cell for table in self.tables.values() for cell in table.cells]

    def find(self, table: str, **coordinates: object) -> Cell | None:
        """Return the one cell of `table` at these coordinates, or None if the paper prints none.

        `value` is `value` if not given: `value="drop"` finds the drop beside a measure.

        Raises:
            UserError: the paper lacks the table, or several cells are at these coordinates.
        """
        if table not in self.tables:
            raise UserError(f"{self.path}: no table {table!r}; the paper has {', '.join(self.tables)}")
        place = {"value": "value", **as_text(coordinates)}
        matches = self.tables[table].select(place)
        if len(matches) > 1:
            raise UserError(
                f"{self.path}: {len(matches)} cells of {table} stand at {describe(place)}; name more coordinates"
            )
        return matches[0] if matches else None

    def first(self, tables: Iterable[str], **coordinates: object) -> Cell | None:
        """Return the result of `find` in the first of these tables with a cell at the coordinates."""
        return next(filter(None, (self.find(table, **coordinates) for table in tables)), None)


def load(path: str | Path) -> Reported:
    """Read a reported.yaml.

    Raises:
        UserError: file, line, key and what is allowed, in one line.
    """
    tree, lines = read_numbered(Path(path))
    return build(Path(path), checked(Transcript, tree, Path(path)), {(): 1, **lines})


def build(path: Path, transcript: Transcript, lines: Mapping[Keys, int]) -> Reported:
    """Return the numbers of a paper; `lines` gives the lines of the keys.

    Raises:
        UserError: a line with too many or too few fields, or a cell that is not a printed number.
    """
    tables = {id: _table(path, transcript.paper, id, table, lines) for id, table in transcript.tables.items()}
    words = {
        label: [wordings] if isinstance(wordings, str) else wordings for label, wordings in transcript.words.items()
    }
    labels = {label for table in tables.values() for cell in table.cells for label in cell.coordinates.values()}
    for label in words.keys() - labels:
        raise unknown(f"{path}: words: label", label, sorted(labels))
    return Reported(path, transcript.paper, transcript.title, tables, transcript.missing, words)


def load_paper(paper: str) -> Reported:
    """Read the reported.yaml of a paper of the project, `config/papers/<paper>/reported.yaml`."""
    return load(PAPERS / paper / "reported.yaml")


def _table(path: Path, paper: str, id: str, table: PrintedTable, lines: Mapping[Keys, int]) -> Table:
    rows: list[str] = [*table.row] if isinstance(table.row, list) else [table.row]
    shared = {"value": "value", **as_text(table.where)}
    columns = []
    for column in table.columns:
        base_place = as_text(column.place)
        further = column.further if isinstance(column.further, list) else [column.further]
        places = [base_place]
        for value_or_place in further:
            changed = {"value": value_or_place} if isinstance(value_or_place, str) else value_or_place
            places.append({**base_place, **as_text(changed)})
        columns.append((places, column.unit or table.unit))

    def numbered(key: str, declared: Sequence[Declared]) -> list[tuple[int, Declared]]:
        return [(lines["tables", id, key, number], declaration) for number, declaration in enumerate(declared)]

    relations = numbered("relations", table.relations)
    runs, tests = numbered("runs", table.runs), numbered("tests", table.tests)
    labels: list[Mapping[str, str]] = [place for places, _ in columns for place in places]
    firsts: list[int] = []
    for places, _ in columns:
        firsts += [len(firsts)] * len(places)
    result = Table(id, table.caption, [], [], [], [], labels, relations, table.marks, runs, tests, firsts)
    first = lines[("tables", id, "cells")] + 1  # the text block begins one line below its key
    for number, line in enumerate(table.cells.splitlines(), first):
        if not line.strip():
            continue
        message_place = f"{path}:{number}: tables.{id}.cells"
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != len(rows) + len(columns):
            raise UserError(
                f"{message_place}: {len(fields)} fields; a line has {len(rows) + len(columns)}: "
                f"{', '.join(rows)} and {len(columns)} columns, separated by |"
            )
        if "" in fields:
            raise UserError(f"{message_place}: empty field; write `{cells.NO_NUMBER}` where the paper prints no number")
        row = {**shared, **dict(zip(rows, fields, strict=False))}
        result.rows.append((number, row))
        first_place = 0
        for (places, unit), printed in zip(columns, fields[len(rows) :], strict=True):
            coordinates = [
                {name: merged[name] for name in cells.COORDINATES if name in merged}
                for merged in ({**row, **place} for place in places)
            ]
            positions = range(first_place, first_place := first_place + len(places))
            if printed == cells.NO_NUMBER:
                result.blank.extend(coordinates)
            elif printed == cells.LOST:
                result.lost_places.extend(coordinates)
            else:
                values = cells.parse(message_place, printed, len(places), table.marks)
                for position, place, value in zip(positions, coordinates, values, strict=False):
                    result.cells.append(Cell(paper, id, number, position, place, *value.with_unit(unit)))
    if not result.rows:
        raise UserError(f"{path}:{first - 1}: tables.{id}.cells: no rows; write one line for every printed row")
    return result


def as_text(coordinates: Mapping[Any, object]) -> dict[str, str]:
    """Return labels as text: YAML reads some as numbers."""
    return {str(name): str(label) for name, label in coordinates.items()}


def literal(message_place: str, paper: str, line: int, printed: str) -> Cell:
    """Return a cell with an exact number that a relation gives itself, such as the number of queries."""
    value = cells.parse(message_place, printed, 1, {})[0]
    number = value.number / 100 if value.unit == "percent" else value.number
    return Cell(paper, "", line, 0, {"value": "value"}, value.printed, "", "", "count", number)
