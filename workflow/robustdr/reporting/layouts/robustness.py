"""A row per system: a measure on the original queries, its mean drop over the variations, and the worst."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.estimates import Estimate
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of
from robustdr.reporting.layouts.changes import filled, mean_of
from robustdr.reporting.spec import Measured, Names, Quoted


@settings
class Settings(Measured, Quoted):
    rows: Literal["robustness"]
    systems: Names = Field(description="systems to show")


AVERAGE, WORST = "average_drop", "worst_drop"  # values in reported.yaml


def robustness(make: Maker[Settings]) -> Grid:
    """A row per system; columns for a measure on the original queries, its mean drop over the variations, the worst.

    The mean drop is intent's avg d.; the worst drop, over all variations, is its worst d. (§4.2).
    """
    cells: dict[tuple[str, str], Cell] = {}
    for role, measure in (
        (shown_role, shown_measure)
        for shown_role in make.spec.collections
        for shown_measure in make.measures(shown_role)
    ):
        column = f"{role} {make.heading(measure)}"
        for system in make.spec.systems:
            row = make.settings.labels[system]
            cells[row, column] = make.cell(system, role, ORIGINAL, measure)
            for value, estimate in _attacked(make, system, role, measure).items():
                cell = make.blank(system, role, MEAN, measure)
                coordinates = {"collection": role, "system": make.settings.names[system], "query_set": ORIGINAL}
                printed = make.printed(**coordinates, measure=measure, value=value)
                queries, sized = make.settings.paper_queries.get(role), make.sized(measure)
                attacked = filled(cell, estimate, printed, True, queries, sized)
                attacked.value = value
                cells[row, f"{column} {value.replace('_', ' ')}"] = attacked
    worst = "The worst drop is that of the variation that costs most here, and its interval that variation's alone."
    rows = [make.settings.labels[system] for system in make.spec.systems]
    return Grid("System", rows, columns_of(cells), cells, notes=[worst])


def _attacked(make: Maker[Settings], system: str, role: str, measure: str) -> dict[str, Estimate | None]:
    """The mean and the worst drop over a role's variations; None if not run, or if the mean on originals is 0."""
    cell = make.blank(system, role, MEAN, measure)
    if cell.not_run:
        return {AVERAGE: None, WORST: None}
    original = make.estimate(cell, system, ORIGINAL)
    if not original.mean:
        return {AVERAGE: None, WORST: None}
    kinds = make.store.averaged(cell.role, MEAN)
    drops = [(make.estimate(cell, system, kind) - original) / original for kind in kinds]
    return {AVERAGE: mean_of(drops), WORST: min(drops, key=lambda drop: drop.mean)}
