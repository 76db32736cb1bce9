"""All methods under equal conditions: the gain of each on every mean of variations, and its cost."""

import json
from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.estimates import ONE
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.statistics import holm
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker
from robustdr.reporting.spec import Level, Measured, Name, Names
from robustdr.training.settings import Cost


@settings
class Settings(Measured):
    reads = ("costs",)

    rows: Literal["methods"]
    collections: Name
    systems: Names = Field(description="systems to show")
    base: str = Field(description="marks and re-indexing are relative to this system")
    level: Level = Field(description="level of the tests, after Holm's correction")


NONE = "–"
BETTER, WORSE = "↑", "↓"


def expenses(lineage: dict[str, list[str]], costs: dict[str, Cost]) -> dict[str, str]:
    """The costs of training a system, averaged over its seeds, as texts of the table.

    Args:
        lineage: `own`: the files of costs of the system; `total`: of its whole lineage, with itself. For all seeds;
            empty for a system that is not trained.
        costs: by file.

    Returns:
        Own and total seconds, GPU-hours of the whole lineage if it used a GPU, peak memory of its own training.
    """
    own_costs, total = ([costs[path] for path in lineage[part]] for part in ("own", "total"))
    if not own_costs:
        return dict.fromkeys(("own seconds", "total seconds", "GPU-hours", "peak memory"), NONE)
    on_gpu = [cost["seconds"] * cost["processes"] for cost in total if cost["device"] != "CPU"]
    return {
        "own seconds": f"{sum(cost['seconds'] for cost in own_costs) / len(own_costs):,.0f}",
        "total seconds": f"{sum(cost['seconds'] for cost in total) / len(own_costs):,.0f}",
        "GPU-hours": f"{sum(on_gpu) / len(own_costs) / 3600:.2f}" if on_gpu else NONE,
        "peak memory": f"{max(cost['peak_memory_mb'] for cost in own_costs):,.0f} MB",
    }


def per_minute(gain: float | None, lineage: dict[str, list[str]], costs: dict[str, Cost]) -> str:
    """A gain, as a share, for each minute of a system's own training, averaged over its seeds."""
    seconds = [costs[path]["seconds"] for path in lineage["own"]]
    if gain is None or not sum(seconds):
        return NONE
    return f"{100 * gain / (sum(seconds) / len(seconds) / 60):+.2f} %"


def _mark(cells: list[Cell], level: float) -> int:
    """Mark cells that are better or worse than the base system after Holm's correction; return the number of tests."""
    tested = [cell for cell in cells if cell.p is not None]
    for cell, p in zip(tested, holm([cell.p for cell in tested if cell.p is not None]), strict=True):
        cell.p = p
        if p < level:
            cell.mark = BETTER if (cell.difference or 0) > 0 else WORSE
    return len(tested)


def _from_best(make: Maker[Settings], cells: dict[str, Cell]) -> dict[str, tuple[str, str]]:
    """By label: whether a system's mean over variations differs from that of the best system, after Holm's correction.

    Args:
        cells: of the mean over variations, by label.
    """
    run = {label: cell for label, cell in cells.items() if cell.reproduced is not None}
    differences = dict.fromkeys(cells, (NONE, NONE))
    if not run:
        return differences
    best, *rivals = sorted(run, key=lambda label: -(run[label].reproduced or 0.0))
    means = {label: make.estimate(cell, cell.system, cell.query_set) for label, cell in run.items()}
    tests = holm([Ratio(means[rival] - means[best], ONE).p for rival in rivals])
    differences |= {
        rival: (NONE, "yes" if p < make.spec.level else "no") for rival, p in zip(rivals, tests, strict=True)
    }
    return {**differences, best: (NONE, "best")}


def methods(make: Maker[Settings]) -> Grid:
    """A row per system; a column per query set (original and the means), and facts: the cost of its training.

    Drops are against the system's own original queries; marks say whether the measure differs from the base system's.
    `p` of a cell is corrected.
    """
    (role,), base = make.spec.collections, make.spec.base
    labels = make.settings.labels
    columns = {
        f"{query_set} {make.heading(measure)}": (query_set, measure)
        for measure in make.measures(role)
        for query_set in (ORIGINAL, *make.settings.evaluation[role]["means"])
    }
    cells = {}
    facts: dict[str, dict[str, tuple[str, str]]] = {}
    costs = {str(path): json.loads(path.read_text(encoding="utf-8")) for path in make.costs}
    for system in make.spec.systems:
        for column, place in columns.items():
            against = base if system != base else ""
            cell = cells[labels[system], column] = make.cell(system, role, *place, against=against)
            if cell.difference is not None:  # as a share of the base's mean on the original queries
                gain = make.estimate(cell, system, cell.query_set) - make.estimate(cell, base, cell.query_set)
                cell.set_difference(Ratio(gain, make.estimate(cell, base, ORIGINAL)))
        lineage = make.settings.lineage[system]
        mean = next(column for column, (query_set, _) in columns.items() if query_set == MEAN)
        cost_texts = expenses(lineage, costs)
        cost_texts["gain a minute"] = per_minute(cells[labels[system], mean].difference, lineage, costs)
        cost_texts["new index"] = "yes" if make.settings.reindexes[system] else "no"
        for heading, text in cost_texts.items():
            facts.setdefault(heading, {})[labels[system]] = (NONE, text)
    varied = {labels[cell.system]: cell for cell in cells.values() if cell.query_set == MEAN}
    facts["differs from best"] = _from_best(make, varied)
    tests = _mark(list(cells.values()), make.spec.level)
    notes = [
        f"{BETTER} {WORSE}: better or worse than {labels[base]} on the same queries: two-sided tests at "
        f"p < {make.spec.level} with the variances of queries and of training runs (docs/explanation/verdicts.md), "
        f"Holm's correction over all {tests} tests of the table.",
        f"The differences in the CSV and JSON files are shares of {labels[base]} on the original queries, with 95 % "
        "intervals.",
        f"Differs from best: whether its {MEAN} differs from the highest by the same tests, corrected too.",
        "Own seconds and peak memory: of the system's own training; total seconds and GPU-hours: with all that it is "
        f"trained from. New index: whether its passage vectors differ from those of {labels[base]}. Costs are "
        "measured and vary between runs; everything else is deterministic.",
        f"Gain a minute: on {MEAN}, over {labels[base]}, for each minute of the system's own training: equal updates "
        "are not equal cost. Minutes compare on one kind of machine alone.",
    ]
    rows = [labels[system] for system in make.spec.systems]
    return Grid("Method", rows, [*columns, *facts], cells, facts, notes)
