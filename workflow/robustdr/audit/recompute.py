"""Printed numbers and marks beside what the runs behind them give."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.audit.cells import Cell, describe
from robustdr.audit.conventions import ALL, Convention, Found, Runs, ordered, search, values
from robustdr.audit.findings import SEVERITIES, Audit, Finding, Flaw
from robustdr.audit.intervals import Interval
from robustdr.audit.relations import shown
from robustdr.audit.reported import Reported, Table
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import read_qrels
from robustdr.evaluation.measures import Qrels
from robustdr.evaluation.names import parse
from robustdr.evaluation.statistics import paired_t_test
from robustdr.retrieval.trec import read_listed


@dataclass(frozen=True)
class Number:
    """A printed number, the file of its run and what that gives."""

    cell: Cell
    run: str
    found: Found


@dataclass(frozen=True)
class Mark:
    """A mark that a cell prints or lacks, beside a paired t-test of its run against another one.

    Attributes:
        level: as declared. comparisons: that Bonferroni's correction divides it by.
    """

    cell: Cell
    mark: str
    against: str
    p: float
    level: float
    comparisons: int

    @property
    def printed(self) -> bool:
        return self.mark in self.cell.mark

    @property
    def words(self) -> str:
        """Under which test the cell is marked rightly, or `neither`."""
        alone, corrected = self.p < self.level, self.p < self.level / self.comparisons
        names = {"without correction": alone, "with Bonferroni's": corrected}
        right = [name for name, significant in names.items() if significant == self.printed]
        return "with and without correction" if len(right) == 2 else right[0] if right else "neither"


@dataclass(frozen=True)
class Recomputed:
    """What the runs of one paper give."""

    numbers: list[Number]
    marks: list[Mark]

    @property
    def findings(self) -> list[Finding]:
        """The numbers that no convention gives, and the marks that no test gives."""
        numbers = [
            Flaw(
                number.cell,
                shown(Interval(number.found.value, number.found.value), number.cell),
                f"what {number.run} gives: no convention gives the printed number, "
                f"the nearest is {number.found.giving[0]}",
            )
            for number in self.numbers
            if not number.found.agrees
        ]
        marks = [
            Flaw(
                mark.cell,
                f"{'no ' * mark.printed}{mark.mark}",
                f"what its runs give: p = {mark.p:.2g} against {mark.against}, at {mark.level:g} with and without "
                f"Bonferroni's correction for {mark.comparisons}",
            )
            for mark in self.marks
            if mark.words == "neither"
        ]
        kinds = [("recomputed", "inconsistent", [flaw]) for flaw in numbers]
        kinds += [("recomputed_mark", "inconsistent", [flaw]) for flaw in marks]
        return [Finding(kind, severity, flaws, "") for kind, severity, flaws in kinds]

    def markdown(self) -> list[str]:
        """Every recomputed number and mark, and what gives it."""
        lines = ["## Recomputed from runs", "", "| cell | printed | run | recomputed | printed number is given by |"]
        lines.append("| --- | ---: | --- | ---: | --- |")
        for number in self.numbers:
            given = "; or ".join(number.found.giving)
            says = given if number.found.agrees else f"**no convention**; nearest: {given}, {number.found.value:.4f}"
            cell = number.cell
            lines.append(f"| {cell} | `{cell.printed}{cell.mark}` | {number.run} | {number.found.usual:.4f} | {says} |")
        if self.marks:
            lines += ["", "| cell | mark | against | p | marked rightly |", "| --- | --- | --- | ---: | --- |"]
        for mark in self.marks:
            state = mark.mark if mark.printed else f"no {mark.mark}"
            at = f"{mark.words} (level {mark.level:g}, {mark.comparisons} comparisons)"
            lines.append(f"| {mark.cell} | {state} | {mark.against} | {mark.p:.2g} | {at} |")
        return [*lines, ""]

    def as_data(self) -> dict[str, Any]:
        """The same as what JSON can hold."""
        return {
            "numbers": [
                {"cell": str(number.cell), "printed": number.cell.printed, "run": number.run, **asdict(number.found)}
                for number in self.numbers
            ],
            "marks": [
                {
                    "cell": str(mark.cell),
                    "mark": mark.mark,
                    "printed": mark.printed,
                    "against": mark.against,
                    "p": mark.p,
                    "level": mark.level,
                    "comparisons": mark.comparisons,
                    "right": mark.words,
                }
                for mark in self.marks
            ],
        }


class _Folder:
    """The runs in a folder, judged by one qrels file; a few are kept, as cells of one run often stand together."""

    def __init__(self, folder: Path, qrels: Path) -> None:
        self.folder, self._path = folder, qrels
        self.qrels: Qrels = read_qrels(qrels)
        self.read = lru_cache(maxsize=4)(self._read)

    def _read(self, name: str) -> Runs:
        listed = read_listed(self.folder / name)
        judged = {qid: ranking for qid, ranking in listed.items() if qid in self.qrels}
        if not judged:
            raise UserError(f"{self.folder / name}: none of its {len(listed)} queries is judged in {self._path}")
        return ordered(judged)


def recompute(reported: Reported, folder: Path, qrels: Path) -> Recomputed:
    """Evaluate every cell that names its run, and test every mark that is declared.

    Args:
        folder: of the TREC runs. qrels: that judge all of them.

    Raises:
        UserError: no run is declared, a run or coordinate that is not there, a cell without a measure, a mark that the
            table does not declare, a damaged file; before anything is evaluated, but for damage.
    """
    named = {id(cell): (cell, name) for table in reported.tables.values() for cell, name in _named(reported, table)}
    if not named:
        raise UserError(f"{reported.path}: no table names its runs; add `runs: [{{for: …, run: FILE}}]` to one")
    for _, name in named.values():
        if not (folder / name).is_file():
            raise UserError(f"{folder / name}: no such run; {reported.path} names it")
    pairs = [pair for table in reported.tables.values() for pair in _compared(reported, table, named)]
    judged = _Folder(folder, qrels)
    numbers = [
        Number(cell, name, search(cell.interval, cell.coordinates["measure"], judged.qrels, judged.read(name)))
        for cell, name in named.values()
    ]
    return Recomputed(numbers, [_mark(judged, named, *pair) for pair in pairs])


def _selected(where: str, table: Table, wanted: Mapping[str, Any]) -> list[Cell]:
    """The cells at some labels of each coordinate."""
    labels = {name: one if isinstance(one, list) else [one] for name, one in {"value": "value", **wanted}.items()}
    places = (dict(zip(labels, map(str, one), strict=True)) for one in product(*labels.values()))
    cells = [cell for place in places for cell in table.select(place)]
    if not cells:
        raise UserError(f"{where}: `for` selects no cell of {table.id}")
    return cells


def _named(reported: Reported, table: Table) -> Iterator[tuple[Cell, str]]:
    """Every cell that names its run, and the name of the file."""
    for line, declared in table.runs:
        where = f"{reported.path}:{line}: tables.{table.id}.runs"
        for cell in _selected(where, table, declared["for"]):
            try:
                name = declared["run"].format_map(cell.coordinates)
            except KeyError as error:
                raise unknown(f"{where}: run: coordinate", error.args[0], cell.coordinates) from None
            except (ValueError, AttributeError, IndexError):
                known = ", ".join(f"{{{name}}}" for name in cell.coordinates)
                raise UserError(f"{where}: run: {declared['run']!r} is no name of a file; allowed: {known}") from None
            if "measure" not in cell.coordinates:
                raise UserError(f"{where}: {cell} has no measure; give it by `where`, a row or a column")
            try:
                parse(cell.coordinates["measure"])
            except UserError as error:
                raise UserError(f"{where}: {cell}: {error}") from None
            yield cell, name


def _compared(
    reported: Reported, table: Table, named: Mapping[int, tuple[Cell, str]]
) -> Iterator[tuple[Cell, Cell, Mapping[str, Any], int]]:
    """Every cell that may be marked, the cell it is compared with, the declaration, and how many are compared."""
    for line, declared in table.tests:
        where = f"{reported.path}:{line}: tables.{table.id}.tests"
        if declared["mark"] not in table.marks:
            raise unknown(f"{where}: mark", declared["mark"], table.marks)
        cells = _selected(where, table, declared["for"])
        for cell in cells:
            place = {**cell.coordinates, **{name: str(label) for name, label in declared["against"].items()}}
            others = table.select(place)
            if len(others) != 1:
                raise UserError(f"{where}: {len(others)} cells of {table.id} stand at {describe(place)}; one is needed")
            for one in (cell, others[0]):
                if id(one) not in named:
                    raise UserError(f"{where}: {one} names no run; its table's `runs` must select it")
            yield cell, others[0], declared, declared.get("comparisons", len(cells))


def _mark(
    folder: _Folder,
    named: Mapping[int, tuple[Cell, str]],
    cell: Cell,
    other: Cell,
    declared: Mapping[str, Any],
    comparisons: int,
) -> Mark:
    """The test of one cell's run against another's, by the project's conventions."""
    measure = cell.coordinates["measure"]
    usual = Convention(parse(measure).cut or ALL)
    here, there = (values(measure, usual, folder.qrels, folder.read(named[id(one)][1])) for one in (cell, other))
    # One query has no spread: no test finds anything.
    tested = paired_t_test(*(np.array([of[qid] for qid in here]) for of in (here, there)))
    p = 1.0 if np.isnan(tested.p) else tested.p
    against = describe({name: other.coordinates[name] for name in declared["against"]})
    return Mark(cell, declared["mark"], against, p, declared["level"], comparisons)


def with_runs(audit: Audit, recomputed: Recomputed) -> list[Finding]:
    """The findings of an audit and of the runs, table by table, the worst first."""
    order = list(audit.reported.tables)
    found = [*audit.findings, *recomputed.findings]
    return sorted(found, key=lambda finding: (order.index(finding.table), SEVERITIES.index(finding.severity)))
