"""One cell of a table: what the paper reports, what was reproduced, how sure that is, and how the two agree."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from robustdr.audit.reported import Reported
from robustdr.evaluation.statistics import confidence_interval, drop, paired_t_test
from robustdr.evaluation.store import MEAN, Store

ORIGINAL = "original"
CLOSE = 0.05  # drops within five points are called the same size
NOISE = 0.01  # drops below one point have no direction


@dataclass
class Cell:
    """A cell of a table; drops and measures are shares of 1, reported ones are strings as printed.

    `measured` is the measure taken at this scale for the paper's `measure`. `uncertainty` is the standard deviation
    over seeds where there are several, else half the 95 % confidence interval over queries. `drop_agreement`: `same`,
    `larger`, `smaller` or `opposite` loss than reported.
    """

    table: str
    system: str
    label: str
    collection: str
    role: str
    split: str
    query_set: str
    measure: str
    measured: str
    reported: str = ""
    reported_mark: str = ""
    reported_drop: str = ""
    reproduced: float | None = None
    uncertainty: float | None = None
    seeds: int = 0
    queries: int = 0
    drop: float | None = None
    drop_agreement: str = ""
    against: str = ""
    difference: float | None = None
    p: float | None = None
    mark: str = ""
    not_run: str = ""

    def as_row(self) -> dict[str, Any]:
        return asdict(self)


def agreement(reported: float, reproduced: float) -> str:
    """Whether a reproduced drop has the direction and size of the reported one."""
    if max(abs(reported), abs(reproduced)) >= NOISE and reported * reproduced < 0:
        return "opposite"
    if abs(reported - reproduced) <= CLOSE:
        return "same"
    return "larger" if abs(reproduced) > abs(reported) else "smaller"


def make_cell(
    spec: dict[str, Any], paper: str, table: str, place: dict[str, Any], store: Store, reported: Reported
) -> Cell:
    """The cell at `place` (system, label, collection, role, split, query_set, measure, measured).

    Args:
        spec: the table's entry of experiment.yaml (its `significance`).
        paper, table: names. store: measured values. reported: printed values.
    """
    cell = Cell(table=f"{paper}_{table}", **place)
    where = {"collection": cell.role, "system": cell.system, "query_set": cell.query_set, "measure": cell.measure}
    printed = reported.find(table, **where)
    printed_drop = reported.find(table, **where, value="drop")
    if printed is not None:
        cell.reported, cell.reported_mark = printed.printed, printed.mark
    if printed_drop is not None:
        cell.reported_drop = printed_drop.printed
    cell.not_run = store.why_not(cell.system, cell.collection)
    if cell.not_run:
        return cell
    known = store.query_sets(cell.system, cell.collection, cell.split)
    if cell.query_set not in (ORIGINAL, *known, *([MEAN] if known else [])):
        cell.not_run = store.reasons.get(cell.query_set, "this query set was not run")
        return cell

    def values(system: str, query_set: str) -> np.ndarray:
        return store.values(system, cell.collection, cell.split, query_set, cell.measured)

    found = values(cell.system, cell.query_set)  # [seeds, queries]
    cell.seeds, cell.queries = found.shape
    cell.reproduced = float(found.mean())
    by_seed = found.mean(axis=1)
    cell.uncertainty = float(by_seed.std(ddof=1)) if cell.seeds > 1 else confidence_interval(found[0])
    if cell.query_set != ORIGINAL:
        cell.drop = drop(cell.reproduced, float(values(cell.system, ORIGINAL).mean()))
        if printed_drop is not None and cell.drop is not None:
            cell.drop_agreement = agreement(float(printed_drop.number) / 100, cell.drop)
    test = spec.get("significance", {"against": {}})
    cell.against = test["against"].get(cell.system, "")
    if cell.against and not store.why_not(cell.against, cell.collection):
        other = values(cell.against, cell.query_set)
        compared = paired_t_test(found.mean(axis=0), other.mean(axis=0))
        cell.difference, cell.p = compared.difference, compared.p
        worse = test["mark"] == "↓"
        if compared.p < test["level"] and (compared.difference < 0) == worse:
            cell.mark = test["mark"]
    return cell
