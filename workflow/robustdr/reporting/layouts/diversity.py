"""A row per query set: the length of its queries, and their distances from the original queries."""

from statistics import fmean
from typing import Literal

from pydantic import Field

from robustdr.core.files import read_queries
from robustdr.core.settings import settings
from robustdr.evaluation.names import ORIGINAL
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of
from robustdr.reporting.spec import Names, TableSpec


@settings
class Settings(TableSpec):
    reads = ("counts", "queries")
    about_data = True

    rows: Literal["diversity"]
    query_sets: Names = Field(description="query sets to show")


DIVERSITY = {  # quantity in reported.yaml -> (key in the statistics, heading)
    "sentence_length": ("characters", "characters"),
    "jaccard_similarity": ("word_jaccard", "Jaccard similarity of words"),
    "levenshtein_distance": ("characters_edited", "Levenshtein distance"),
}


def diversity(make: Maker[Settings]) -> Grid:
    """A row per query set; columns for the length of its queries and their distances from the original queries.

    The values of a mean are averaged over its variations (intent, Table 3).
    """
    statistics = make.read_statistics()
    originals = (path for path in make.queries if path.stem == "queries")
    lengths = {path.parts[-3:-1]: fmean(map(len, read_queries(path).values())) for path in originals}
    cells: dict[tuple[str, str], Cell] = {}
    for role in make.spec.collections:
        role_evaluation = make.settings.evaluation[role]
        place = (role_evaluation["collection"], role_evaluation["split"])
        for query_set in make.spec.query_sets:
            for quantity, (field, heading) in DIVERSITY.items():
                if query_set == ORIGINAL and field != "characters":
                    continue
                cell = cells[query_set, f"{role} {heading}"] = make.quantity_cell(role, query_set, quantity)
                if query_set == ORIGINAL:
                    cell.reproduced = lengths.get(place)
                elif not cell.not_run:
                    values = [statistics[*place, kind][field] for kind in make.store.averaged(role, query_set)]
                    cell.reproduced = fmean(values) if values else None
    return Grid("Query set", list(make.spec.query_sets), columns_of(cells), cells)
