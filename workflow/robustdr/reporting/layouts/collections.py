"""A row per collection, each with its own systems; a column per kind of system, measure and query set."""

from typing import Annotated, Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of
from robustdr.reporting.spec import Dropping, Names, OneEach, Tested


@settings
class Settings(Tested, Dropping):
    rows: Literal["collections"]
    systems: Annotated[tuple[OneEach, ...], Field(min_length=1)] = Field(
        description="lists; each has one system for each collection"
    )
    measures: Names = Field(description="measures to show")
    query_sets: Names = Field(description="query sets to show")


def collections(make: Maker[Settings]) -> Grid:
    """A row per collection, each with its own systems; a column per kind of system, measure and query set."""
    roles, sets = make.spec.collections, make.spec.query_sets
    references = make.spec.drop_from or [""] * len(roles)
    cells: dict[tuple[str, str], Cell] = {}
    for row, role in enumerate(roles):
        for of_roles in make.spec.systems:
            for measure in make.spec.measures:
                for query_set in sets:
                    column = f"{make.settings.labels[of_roles[0]]} {make.heading(measure)}"
                    column += f" {query_set}" if len(sets) > 1 else ""
                    cells[role, column] = make.cell(of_roles[row], role, query_set, measure, references[row])
    notes = [] if len(sets) > 1 else [f"All columns: {sets[0]}."]
    return Grid("Collection", list(roles), columns_of(cells), cells, notes=notes)
