"""A row per query set of one system, collection and measure; a column per seed, and columns for summaries."""

from typing import Literal

import numpy as np
from pydantic import Field

from robustdr.audit.cells import Cell as Printed
from robustdr.audit.reported import ANY
from robustdr.core.settings import settings
from robustdr.evaluation.statistics import confidence_interval
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of
from robustdr.reporting.spec import Name, TableSpec


@settings
class Settings(TableSpec):
    reads = ("seeds",)
    explains_uncertainty = False

    rows: Literal["seeds"]
    collections: Name
    systems: Name = Field(description="one system")
    measures: Name = Field(description="one measure")


SUMMARY = {  # value in reported.yaml -> heading
    "median": "Mean",
    "deviation": "Deviation",
    "ci": "CI",
    "upper_bound": "Upper bound",
    "lower_bound": "Lower bound",
}


def summary(by_seed: np.ndarray) -> dict[str, float]:
    """The summary in CAPOT's Tables 8 to 17 of the measures of several seeds, [seeds].

    `median` is the mean (the paper prints means under this heading), `ci` half the 95 % confidence interval of a normal
    distribution, 1.96 · deviation / √seeds. One seed has only a mean.
    """
    import scipy.stats

    mean = float(by_seed.mean())
    if len(by_seed) < 2:
        return {"median": mean}
    deviation = float(by_seed.std(ddof=1))
    ci = deviation * float(scipy.stats.norm.ppf(0.975)) / len(by_seed) ** 0.5
    return {"median": mean, "deviation": deviation, "ci": ci, "upper_bound": mean + ci, "lower_bound": mean - ci}


def seeds(make: Maker[Settings]) -> Grid:
    """A row per query set of one system, collection and measure; a column per seed, and columns for summaries."""
    (role,), (system,), (measure,) = make.spec.collections, make.spec.systems, make.spec.measures
    paper_seeds, run = make.settings.seeds["paper"], make.settings.seeds["scale"]
    lacking = f"this scale has {len(run)} seed{'s' if len(run) > 1 else ''} of this system: {', '.join(map(str, run))}"
    rows, cells = make.query_sets(role), {}
    coordinates = {"collection": role, "system": make.settings.names[system], "measure": measure}

    def put(column: str, query_set: str, printed: Printed | None, seed: int = 0, value: str = "value") -> Cell:
        cell = cells[query_set, column] = make.blank(system, role, query_set, measure)
        cell.seed, cell.value = seed, value
        cell.quote(printed)
        return cell

    for query_set in rows:
        # By position, not by seed: the paper gives two columns the same seed.
        place = {**coordinates, "query_set": query_set, "seed": ANY, "value": "value"}
        table = make.reported.tables[make.settings.table] if make.reported else None
        printed = table.select(place) if table else []
        for number, seed in enumerate(paper_seeds):
            cell = put(f"Seed {seed}", query_set, printed[number] if number < len(printed) else None, seed)
            if seed not in run:
                cell.not_run = cell.not_run or lacking
            if not cell.not_run:
                values = make.values(cell, system, query_set)[run.index(seed)]
                cell.reproduced, cell.uncertainty = float(values.mean()), confidence_interval(values)
                cell.seeds, cell.queries = 1, len(values)
        for value, heading in SUMMARY.items():
            cell = put(heading, query_set, make.printed(**coordinates, query_set=query_set, value=value), value=value)
            if not cell.not_run:
                values = make.values(cell, system, query_set)
                cell.seeds, cell.queries = values.shape
                cell.reproduced = summary(values.mean(axis=1)).get(value)
                cell.not_run = lacking if cell.reproduced is None else ""
    notes = [
        "± of a seed is half the 95 % confidence interval over queries. Mean to lower bound are taken over the seeds "
        "that were run; CI is 1.96 · deviation / √seeds, and the bounds are mean ± CI. Reproduced deviations and CIs "
        "are ×100."
    ]
    return Grid("Query set", rows, columns_of(cells), cells, notes=notes)
