"""Changes of measures from the original queries to their variations: by system, and averaged over systems."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from robustdr.audit.cells import Cell as Printed
from robustdr.core.checks import check_known
from robustdr.core.files import read_queries
from robustdr.core.settings import settings
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.names import ORIGINAL
from robustdr.evaluation.quotients import Ratio
from robustdr.reporting.cells import Cell, finite
from robustdr.reporting.grid import Grid, Maker, agreement, columns_of, rows_of
from robustdr.reporting.spec import Columns, Names, Quoted
from robustdr.variations.statistics import neutral

Changed = dict[tuple[str, str, str], set[str]]  # (collection, split, variation) -> ids of queries


@settings
class Settings(Quoted):
    reads = ("queries",)
    explains_uncertainty = False

    rows: Literal["changes"]
    systems: Columns = Field(description="systems; a list has one for each collection")
    measures: Names = Field(description="measures to show")
    query_sets: Names = Field(description="query sets to show")
    queries: Literal["changed"] | None = Field(
        default=None, description="`changed`: only queries whose words the variation changes count"
    )
    averages: dict[str, Columns] = Field(description="systems by name of their average")

    def __post_init__(self) -> None:
        super().__post_init__()
        for average, systems in self.averages.items():
            for averaged in systems:
                check_known(f"averages.{average}", str(averaged), list(map(str, self.systems)))


def changes(make: Maker[Settings]) -> Grid:
    """A row per system and per average over some of them; a column per collection, query set and measure."""
    roles, averages = make.spec.collections, make.spec.averages
    changed = _changed(make.queries) if make.spec.queries else None
    cells: dict[tuple[str, str], Cell] = {}
    for (position, role), query_set in product(enumerate(roles), make.spec.query_sets):
        for measure in make.spec.measures:
            column = f"{role} {query_set} {make.heading(measure)}"
            cell_drops: dict[str, tuple[Cell, Estimate | None]] = {}
            for system in make.one_of_each(make.spec.systems, position):
                cell = make.blank(system, role, query_set, measure)
                cell_drops[system] = cell, None if cell.not_run else _drop(make, cell, changed)
            for name, members in averages.items():
                parts = [cell_drops[system] for system in make.one_of_each(members, position)]
                not_run = next((cell.not_run for cell, _ in parts if cell.not_run), "")
                whole = replace(parts[0][0], system=name, label=name, not_run=not_run)
                estimates = [estimate for _, estimate in parts if estimate]
                cell_drops[name] = whole, mean_of(estimates) if len(estimates) == len(parts) else None
            rows = [make.settings.labels[system] for system in make.one_of_each(make.spec.systems, 0)] + list(averages)
            for row, (cell, estimate) in zip(rows, cell_drops.values(), strict=True):
                name = make.settings.names.get(cell.system, cell.system)
                coordinates = {"collection": role, "system": name, "query_set": query_set, "measure": measure}
                loss, rise = (make.printed(**coordinates, value=value) for value in ("drop", "rise"))
                queries, sized = make.settings.paper_queries.get(role), make.sized(measure)
                cells[row, column] = filled(cell, estimate, loss or rise, loss is not None, queries, sized)
    counted = "the queries whose words the variation changes" if changed is not None else "all queries"
    notes = [f"A drop is the mean of those on the variations behind a query set, each over {counted}."]
    labels = make.settings.labels
    notes += [
        f"{name}: the mean of {', '.join(labels[system] for system in make.one_of_each(members, 0))}."
        for name, members in averages.items()
    ]
    return Grid("System", rows_of(cells), columns_of(cells), cells, notes=notes)


def _changed(queries: list[Path]) -> Changed:
    """The queries whose words each variation changes, without regard to case and punctuation."""
    texts = {path.parts[-3:]: read_queries(path) for path in queries}
    return {
        (collection, split, Path(name).stem): {
            qid
            for qid, text in varied.items()
            if neutral(text) != neutral(texts[collection, split, "queries.tsv"][qid])
        }
        for (collection, split, name), varied in texts.items()
        if name != "queries.tsv"
    }


def mean_of(parts: list[Estimate]) -> Estimate:
    """The mean of estimates."""
    return sum(parts[1:], parts[0]) / len(parts)


def _drop(make: Maker[Settings], cell: Cell, changed: Changed | None) -> Estimate | None:
    """The mean drop over the variations of a cell's query set; None if the originals' mean is 0 for one of them."""
    drops = []
    for kind in make.store.averaged(cell.role, cell.query_set):
        counted: np.ndarray | float = 1.0
        if changed is not None:
            ids = make.store.queries(cell.system, cell.role)
            counted = np.isin(ids, list(changed[cell.collection, cell.split, kind])).astype(float)
        base = make.estimate(cell, cell.system, ORIGINAL, counted)
        if not base.mean:
            return None
        drops.append((make.estimate(cell, cell.system, kind, counted) - base) / base)
    return mean_of(drops)


def filled(
    cell: Cell, estimate: Estimate | None, printed: Printed | None, loss: bool, queries: int | None, sized: bool
) -> Cell:
    """The cell with the printed number (a `loss` is printed without its sign) and the estimate.

    Args:
        queries: behind the printed number; None for as many as here. sized: whether sizes compare.
    """
    cell.value = "drop"
    cell.quote(printed)
    if estimate is None:
        cell.not_run = cell.not_run or "no query that counts has a value above 0"
        return cell
    change = Ratio(estimate, ONE)
    cell.reproduced = cell.drop = change.value
    cell.p, cell.seeds, cell.queries = change.p, change.seeds, change.queries
    cell.drop_low, cell.drop_high = finite(change.interval(0.95))
    if printed and sized and change.runs_known:
        printed_interval = -printed.interval.magnitude() if loss else printed.interval
        cell.drop_agreement = agreement(printed_interval, cell.drop, change.prediction(0.95, queries or change.queries))
    return cell
