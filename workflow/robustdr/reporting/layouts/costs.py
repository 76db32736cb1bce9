"""What training takes: hours, as printed and as measured, beside what they give."""

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker, columns_of, rows_of
from robustdr.reporting.spec import Columns, Measured, Quoted
from robustdr.training.settings import Cost


@settings
class Settings(Measured, Quoted):
    reads = ("costs",)

    rows: Literal["costs"]
    systems: Columns = Field(description="systems; a list has one for each collection")


OWN, TOTAL, TIMES = "own hours", "hours from scratch", "times the first"
QUANTITIES = {OWN: "training_time", TOTAL: "training_time_from_scratch"}  # in reported.yaml
NONE = "–"


def costs(make: Maker[Settings]) -> Grid:
    """A row per system, a column per query set (original and the mean) and measure; facts: hours of training."""
    cost_by_path: dict[str, Cost] = {str(path): json.loads(path.read_text(encoding="utf-8")) for path in make.costs}
    cells: dict[tuple[str, str], Cell] = {}
    facts: dict[str, dict[str, tuple[str, str]]] = {heading: {} for heading in (OWN, TOTAL, TIMES)}
    printed_at: dict[str, dict[str, str]] = {}
    devices: list[str] = []
    for position, role in enumerate(make.spec.collections):
        first = None
        for system in make.one_of_each(make.spec.systems, position):
            own_costs, total = (
                [cost_by_path[path] for path in make.settings.lineage[system][part]] for part in ("own", "total")
            )
            row = make.settings.labels[system] + (f", {role}" if len(make.spec.collections) > 1 else "")
            for query_set in make.summed_up(role):
                for measure in make.measures(role):
                    cells[row, f"{query_set} {make.heading(measure)}"] = make.cell(system, role, query_set, measure)
            hours = {OWN: _hours(own_costs, len(own_costs)), TOTAL: _hours(total, len(own_costs))}
            first = first or hours[TOTAL]
            for heading, quantity in QUANTITIES.items():
                coordinates = {"collection": role, "system": make.settings.names[system], "quantity": quantity}
                printed = make.printed(**coordinates)
                facts[heading][row] = printed.printed if printed else NONE, _text(hours[heading])
                if printed:
                    printed_at.setdefault(row, {})[heading] = str(printed)
            facts[TIMES][row] = NONE, _text(hours[TOTAL] / first) if first else NONE
            devices += [f"{cost['processes']} × {cost['device']}" for cost in total]
    notes = [
        f"{OWN.capitalize()}: of the system's own training. {TOTAL.capitalize()}: with all that it is trained from. "
        f"{TIMES.capitalize()}: hours from scratch, relative to the first system of the collection. Hours are means "
        "over seeds; they are measured and vary between runs.",
    ]
    if devices:
        notes.append(f"Trained on: {', '.join(sorted(set(devices)))}.")
    return Grid(
        "System",
        rows_of(cells),
        [*columns_of(cells), *facts],
        cells,
        facts,
        notes,
        printed_at,
    )


def _hours(costs: Sequence[Cost], runs: int) -> float:
    """The mean hours of `runs` trainings that took these costs together; 0 without a training."""
    return sum(cost["seconds"] for cost in costs) / 3600 / max(1, runs)


def _text(number: float) -> str:
    return f"{number:.3g}" if number else NONE
