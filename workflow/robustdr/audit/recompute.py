"""Printed numbers and marks compared with the results of their runs."""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from robustdr.audit.cells import Cell, describe
from robustdr.audit.conventions import (
    ALL,
    Convention,
    Runs,
    RunValues,
    evaluate_run,
    explain_column,
    parse_any,
    under_tie_rules,
    values,
)
from robustdr.audit.recomputed import Mark, Number, Recomputed
from robustdr.audit.reported import Reported, Table, as_text
from robustdr.audit.resolve import selected
from robustdr.audit.transcript import MarkTest, Places
from robustdr.claims.intervals import Interval
from robustdr.collections.local import read_qrels
from robustdr.core.errors import UserError, unknown
from robustdr.evaluation.measures import Qrels
from robustdr.evaluation.names import cut_of
from robustdr.evaluation.statistics import paired_t_test
from robustdr.retrieval.trec import read_listed


class _JudgedRuns:
    """The runs in a folder, judged by one qrels file; the last few stay in memory: cells of one run are near."""

    def __init__(self, folder: Path, qrels: Path) -> None:
        self.folder, self._path = folder, qrels
        self.qrels: Qrels = read_qrels(qrels)
        self.notes: list[str] = []

    @lru_cache(maxsize=4)
    def read_run(self, name: str) -> Runs:
        """A run under each tie rule, with its judged queries alone."""
        listed, notes = read_listed(self.folder / name)
        self.notes += [f"{self.folder / name} {note}" for note in notes]
        judged = {qid: ranking for qid, ranking in listed.items() if qid in self.qrels}
        if not judged:
            raise UserError(f"{self.folder / name}: none of its {len(listed)} queries is judged in {self._path}")
        return under_tie_rules(judged)


def recompute(reported: Reported, folder: Path, qrels: Path) -> Recomputed:
    """Evaluate every cell that names its run, and test every declared mark.

    Args:
        folder: folder of the TREC runs. qrels: judgements for all of them.

    Raises:
        UserError: no declared run, a missing run or coordinate, a mark that the table does not declare, a damaged file.
            All but damage is found before anything is evaluated.
    """
    skipped: list[tuple[Cell, str]] = []
    cell_runs: dict[int, tuple[Cell, str]] = {}
    for table in reported.tables.values():
        for cell, name in _cells_with_runs(reported, table):
            if "measure" not in cell.coordinates:
                skipped.append((cell, "it has no measure; give it by `where`, a row or a column"))
                continue
            try:
                parse_any(cell.coordinates["measure"])
            except UserError as error:
                skipped.append((cell, str(error)))
            else:
                cell_runs[id(cell)] = cell, name
    if not cell_runs and not skipped:
        raise UserError(f"{reported.path}: no table names its runs; add `runs: [{{for: …, run: FILE}}]` to one")
    for _, name in cell_runs.values():
        if not (folder / name).is_file():
            raise UserError(f"{folder / name}: no such run; {reported.path} names it")
    pairs = [
        pair
        for table in reported.tables.values()
        for pair in _compared(reported, table, cell_runs, {id(cell) for cell, _ in skipped})
    ]
    judged = _JudgedRuns(folder, qrels)
    numbers = _numbers(judged, list(cell_runs.values()))
    marks = [_mark(judged, cell_runs, *pair) for pair in pairs]
    return Recomputed(numbers, marks, skipped, list(dict.fromkeys(judged.notes)))


def _numbers(judged: _JudgedRuns, cell_runs: Sequence[tuple[Cell, str]]) -> list[Number]:
    """Evaluate cells by their runs, and search the conventions of each column that the project's do not give."""

    def evaluate(cell: Cell, name: str, only_usual: bool) -> RunValues:
        return evaluate_run(cell.coordinates["measure"], judged.qrels, judged.read_run(name), only_usual)

    columns: defaultdict[tuple[str, int, str], list[tuple[Cell, str]]] = defaultdict(list)
    for cell, name in cell_runs:
        columns[_column(cell)].append((cell, name))
    results = {id(cell): evaluate(cell, name, only_usual=True) for cell, name in cell_runs}
    unexplained = {
        _column(cell)
        for cell, _ in cell_runs
        if not cell.interval.meets(Interval(value := results[id(cell)].value_under(results[id(cell)].usual), value))
    }
    results |= {id(cell): evaluate(cell, name, False) for cell, name in cell_runs if _column(cell) in unexplained}
    outcomes = {
        id(cell): outcome
        for column in columns.values()
        for (cell, _), outcome in zip(
            column,
            explain_column([cell.interval for cell, _ in column], [results[id(cell)] for cell, _ in column]),
            strict=True,
        )
    }
    return [Number(cell, name, outcomes[id(cell)]) for cell, name in cell_runs]


def _column(cell: Cell) -> tuple[str, int, str]:
    return cell.table, cell.column, cell.coordinates["measure"]


def _selected(message_place: str, table: Table, places: Places) -> list[Cell]:
    """Return the cells that a declaration's `for` selects, at least one."""
    cells = selected(places, table)
    if not cells:
        raise UserError(f"{message_place}: `for` selects no cell of {table.id}")
    return cells


def _cells_with_runs(reported: Reported, table: Table) -> Iterator[tuple[Cell, str]]:
    """Yield each cell that names its run, with the name of the file."""
    for line, declared in table.runs:
        message_place = f"{reported.path}:{line}: tables.{table.id}.runs"
        for cell in _selected(message_place, table, declared.cells):
            try:
                name = declared.run.format_map(cell.coordinates)
            except KeyError as error:
                raise unknown(f"{message_place}: run: coordinate", error.args[0], cell.coordinates) from None
            except (ValueError, AttributeError, IndexError):
                allowed = ", ".join(f"{{{name}}}" for name in cell.coordinates)
                raise UserError(
                    f"{message_place}: run: {declared.run!r} is no name of a file; allowed: {allowed}"
                ) from None
            yield cell, name


def _compared(
    reported: Reported, table: Table, cell_runs: Mapping[int, tuple[Cell, str]], skipped: Container[int]
) -> Iterator[tuple[Cell, Cell, MarkTest, int]]:
    """Yield each cell that may have a mark, its compared cell, the declaration, and the number of comparisons."""
    for line, declared in table.tests:
        message_place = f"{reported.path}:{line}: tables.{table.id}.tests"
        if declared.mark not in table.marks:
            raise unknown(f"{message_place}: mark", declared.mark, table.marks)
        cells = _selected(message_place, table, declared.cells)
        for cell in cells:
            place = {**cell.coordinates, **as_text(declared.against)}
            matches = table.select(place)
            if len(matches) != 1:
                raise UserError(
                    f"{message_place}: {len(matches)} cells of {table.id} stand at {describe(place)}; one is needed"
                )
            if id(cell) in skipped or id(matches[0]) in skipped:
                continue
            for compared_cell in (cell, matches[0]):
                if id(compared_cell) not in cell_runs:
                    raise UserError(f"{message_place}: {compared_cell} names no run; its table's `runs` must select it")
            yield cell, matches[0], declared, declared.comparisons or len(cells)


def _mark(
    judged: _JudgedRuns,
    cell_runs: Mapping[int, tuple[Cell, str]],
    cell: Cell,
    base_cell: Cell,
    declared: MarkTest,
    comparisons: int,
) -> Mark:
    """Test one cell's run against another's, by the project's conventions."""
    measure = cell.coordinates["measure"]
    usual = Convention(cut_of(parse_any(measure)) or ALL)
    cell_values, base_values = (
        values(measure, usual, judged.qrels, judged.read_run(cell_runs[id(member)][1])) for member in (cell, base_cell)
    )
    # One query has no spread, so the result is never significant.
    tested = paired_t_test(
        *(np.array([query_values[qid] for qid in cell_values]) for query_values in (cell_values, base_values))
    )
    p = 1.0 if np.isnan(tested.p) else tested.p
    against = describe({name: base_cell.coordinates[name] for name in declared.against})
    return Mark(cell, declared.mark, against, p, declared.level, comparisons)
