"""A row per system, a column per collection, query set and measure."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.grid import Grid, Maker
from robustdr.reporting.spec import Measured, Names, Quoted, Tested


@settings
class Settings(Measured, Quoted, Tested):
    any_measure = True

    rows: Literal["systems"]
    systems: Names = Field(description="systems to show")
    unit: Literal["percent", "number"] = Field(
        default="percent", description="how measures are printed: `percent`, times 100; `number`, not scaled"
    )


def systems(make: Maker[Settings]) -> Grid:
    """A row per system; a column per collection, query set (original and the mean of the variations) and measure."""
    labels = make.settings.labels
    columns = {
        f"{role} {query_set} {make.heading(measure)}": (role, query_set, measure)
        for role in make.spec.collections
        for query_set in make.summed_up(role)
        for measure in make.measures(role)
    }
    cells = {
        (labels[system], column): make.cell(system, *place)
        for system in make.spec.systems
        for column, place in columns.items()
    }
    return Grid("System", [labels[system] for system in make.spec.systems], list(columns), cells)
