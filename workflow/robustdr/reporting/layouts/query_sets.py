"""A row per query set of each collection, a column per system and measure."""

from itertools import product
from typing import Annotated, Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of, rows_of
from robustdr.reporting.spec import Columns, Dropping, Measured, Quoted, Tested, Unique


@settings
class Settings(Measured, Quoted, Tested, Dropping):
    reads = ("counts",)

    rows: Literal["query_sets"]
    systems: Columns = Field(description="systems; a list has one for each collection")
    counts: Annotated[tuple[Literal["unchanged", "changed", "valid"], ...], Unique] = Field(
        default=("unchanged", "changed"), description="counts of queries in each query set"
    )


CHANGED = (
    "valid: the queries that a variation leaves with other words, case and punctuation aside; an invalid variation is "
    "replaced by the original query where people judged it."
)
CASE = "In case alone: only capital letters differ from the original query's, which an uncased model does not see."
COUNTED = {  # quantity in reported.yaml -> key in the statistics of a query set
    "unchanged": "unchanged",
    "changed": "changed",
    "valid": "changed_ignoring_case_and_punctuation",
}


def query_sets(make: Maker[Settings]) -> Grid:
    """A row per query set of each collection, a column per system and measure; facts: counts of changed queries.

    `valid` counts the queries with other words; where people judged the variations, invalid ones were replaced by the
    original query.
    """
    roles = make.spec.collections
    references = make.spec.drop_from or [""] * len(roles)
    statistics = make.read_statistics()
    cells: dict[tuple[str, str], Cell] = {}
    counted: dict[str, dict[str, tuple[str, str]]] = {quantity: {} for quantity in make.spec.counts}
    printed_at: dict[str, dict[str, str]] = {}
    lost_notes = []
    for position, role in enumerate(roles):
        role_evaluation = make.settings.evaluation[role]
        for query_set in make.query_sets(role):
            row = query_set if len(roles) == 1 else f"{role}, {query_set}"
            labels = [make.settings.labels[system] for system in make.one_of_each(make.spec.systems, 0)]
            systems = zip(labels, make.one_of_each(make.spec.systems, position), strict=True)
            for (label, system), measure in product(systems, make.measures(role)):
                column = f"{label} {make.heading(measure)}"
                cells[row, column] = make.cell(system, role, query_set, measure, references[position])
            set_statistics = statistics.get((role_evaluation["collection"], role_evaluation["split"], query_set))
            for quantity, of_rows in counted.items():
                printed = make.printed(collection=role, query_set=query_set, quantity=quantity)
                count_text = f"{set_statistics[COUNTED[quantity]]:,}" if set_statistics else "–"
                if set_statistics and quantity == "changed" and set_statistics["changed_in_case_alone"]:
                    count_text += f" ({set_statistics['changed_in_case_alone']:,} in case alone)"
                of_rows[row] = (printed.printed if printed else "–", count_text)
                if printed:
                    printed_at.setdefault(row, {})[quantity] = str(printed)
            if set_statistics and set_statistics["lost"]:
                lost_notes.append(f"{row} {100 * set_statistics['lost'] / set_statistics['queries']:.1f} %")
    notes = [CHANGED] if "valid" in counted else []
    if any("in case alone" in count_text for _, count_text in counted.get("changed", {}).values()):
        notes.append(CASE)
    if lost_notes:
        opening = "Queries that lost all their uncommon words, and so no longer ask the same"
        notes.append(f"{opening}: {', '.join(lost_notes)}.")
    columns = [*counted, *columns_of(cells)]
    return Grid("Query set", rows_of(cells), columns, cells, counted, notes, printed_at)
