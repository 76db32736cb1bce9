"""A row per sentence encoder: the similarity in meaning of varied queries and original queries."""

from statistics import fmean
from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.grid import Grid, Maker, columns_of
from robustdr.reporting.spec import Labels, Names, TableSpec


@settings
class Settings(TableSpec):
    reads = ("similarities",)
    about_data = True

    rows: Literal["similarity"]
    query_sets: Names = Field(description="query sets to show")
    encoders: Labels = Field(description="label by checkpoint")


SIMILARITY = "cosine_similarity"


def similarity(make: Maker[Settings]) -> Grid:
    """A row per sentence encoder, a column per collection and query set: its cosine similarity to the originals."""
    statistics, cells = make.read_statistics(), {}
    for role in make.spec.collections:
        role_evaluation = make.settings.evaluation[role]
        for encoder, label in make.spec.encoders.items():
            similarities = statistics.get((role_evaluation["collection"], role_evaluation["split"], encoder))
            for query_set in make.spec.query_sets:
                cell = cells[label, f"{role} {query_set}"] = make.quantity_cell(role, query_set, SIMILARITY, encoder)
                cell.not_run = cell.not_run or make.settings.reasons.get(encoder, "")
                if similarities and not cell.not_run:
                    values = [similarities[kind] for kind in make.store.averaged(role, query_set)]
                    cell.reproduced = fmean(values) if values else None
    return Grid("Encoder", list(make.spec.encoders.values()), columns_of(cells), cells)
