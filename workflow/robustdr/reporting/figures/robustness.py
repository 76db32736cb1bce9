"""Mean and worst drop of each system over the variations."""

from typing import Literal

import matplotlib.pyplot as plt
from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.reporting.drawing import Drawing, not_run
from robustdr.reporting.spec import OnOneCollection
from robustdr.reporting.style import COLOURS, MARKERS


@settings
class Settings(OnOneCollection):
    kind: Literal["robustness"]
    measure: str = Field(description="measure to show")


def robustness(drawing: Drawing[Settings]) -> plt.Figure:
    """Mean and worst drop of each system over the variations (intent, Figure 3).

    Systems that were not run are left out; a note names them.
    """
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    measure, kinds = settings.measured[spec.measure], store.averaged(role, MEAN)
    drops: dict[str, list[float]] = {}
    lacking: dict[str, list[str]] = {}
    for system, label in spec.systems.items():
        if reason := store.why_not(system, role, ORIGINAL):
            lacking.setdefault(reason, []).append(label)
            continue
        clean = store.values(system, role, ORIGINAL, measure).mean()
        drops[label] = [100 * (store.values(system, role, kind, measure).mean() / clean - 1) for kind in kinds]
    rows = range(len(drops))
    figure, axis = plt.subplots(figsize=(5.4, 0.9 + 0.3 * len(rows)))
    found = {
        "mean drop": [sum(of) / len(of) for of in drops.values()],
        "worst drop": [min(of) for of in drops.values()],
    }
    for colour, marker, (label, values) in zip(COLOURS, MARKERS, found.items(), strict=False):
        axis.plot(values, rows, color=colour, marker=marker, label=label, linestyle="none")
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel(f"drop of {measure} (%)")
    axis.set_yticks(rows, list(drops))
    axis.invert_yaxis()
    return drawing.finish(figure, "\n".join(not_run(lacking)))
