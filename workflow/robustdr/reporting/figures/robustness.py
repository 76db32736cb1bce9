"""Mean and worst drop of each system over the variations."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.reporting.drawing import Drawing, not_run
from robustdr.reporting.spec import Names, OnOneCollection
from robustdr.reporting.style import COLOURS, MARKERS, Picture, pyplot


@settings
class Settings(OnOneCollection):
    kind: Literal["robustness"]
    measure: str = Field(description="measure to show")
    reported: Names | None = Field(default=None, description="tables that hold the printed numbers, as losses")


def robustness(drawing: Drawing[Settings]) -> Picture:
    """Mean and worst drop of each system over the variations (intent, Figure 3).

    Systems that were not run are left out; a note names them.
    """
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    measure, kinds = settings.measured[spec.measure], store.averaged(role, MEAN)
    drops: dict[str, list[float]] = {}
    printed: dict[str, list[float]] = {"average_drop": [], "worst_drop": []}
    lacking: dict[str, list[str]] = {}
    for system, label in spec.systems.items():
        if reason := store.why_not(system, role, ORIGINAL):
            lacking.setdefault(reason, []).append(label)
            continue
        clean = store.values(system, role, ORIGINAL, measure).mean()
        coordinates = {
            "collection": role,
            "system": settings.names[system],
            "query_set": ORIGINAL,
            "measure": spec.measure,
        }
        for value, numbers in printed.items():
            numbers.append(-drawing.printed(spec.reported, value=value, **coordinates))
        drops[label] = [100 * (store.values(system, role, kind, measure).mean() / clean - 1) for kind in kinds]
    rows = range(len(drops))
    figure, axis = pyplot().subplots(figsize=(5.4, 0.9 + 0.3 * len(rows)))
    drop_summaries = {
        "mean drop": [sum(system_drops) / len(system_drops) for system_drops in drops.values()],
        "worst drop": [min(system_drops) for system_drops in drops.values()],
    }
    styles = zip(COLOURS, MARKERS, drop_summaries.items(), printed.values(), strict=False)
    for colour, marker, (label, values), numbers in styles:
        axis.plot(values, rows, color=colour, marker=marker, label=label, linestyle="none")
        axis.plot(numbers, rows, color=colour, marker=marker, fillstyle="none", linestyle="none", markersize=9)
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel(f"drop of {measure} (%)")
    axis.set_yticks(rows, list(drops))
    axis.invert_yaxis()
    printed_losses = [number for numbers in printed.values() for number in numbers]
    note = f"Hollow: as printed. {drawing.printed_note(printed_losses)}"
    return drawing.finish(figure, "\n".join([note, *not_run(lacking)]))
