"""Drops by method and mean of variations."""

from typing import Literal

import numpy as np
from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.names import ORIGINAL
from robustdr.evaluation.statistics import confidence_interval
from robustdr.reporting.drawing import Drawing
from robustdr.reporting.spec import OnOneCollection
from robustdr.reporting.style import COLOURS, MARKERS, Picture, pyplot


@settings
class Settings(OnOneCollection):
    kind: Literal["methods"]
    measure: str = Field(description="measure to show")


def methods(drawing: Drawing[Settings]) -> Picture:
    """Each method's drop by mean of variations: a row per mean, a point per method."""
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    measure, means = settings.measured[spec.measure], list(settings.evaluation[role]["means"])
    figure, axis = pyplot().subplots(figsize=(7.2, 0.5 + 0.12 * (len(spec.systems) + 2) * len(means)))
    offsets = np.linspace(-0.34, 0.34, len(spec.systems))
    styles = zip(COLOURS, MARKERS, offsets, spec.systems.items(), strict=False)
    for colour, marker, offset, (system, label) in styles:
        original = store.values(system, role, ORIGINAL, measure).mean(axis=0)
        changes = [
            (store.values(system, role, mean, measure).mean(axis=0) - original) / original.mean() for mean in means
        ]
        drops, widths = [100 * c.mean() for c in changes], [100 * confidence_interval(c) for c in changes]
        heights = np.arange(len(means)) + offset
        axis.errorbar(
            drops, heights, xerr=widths, label=label, color=colour, marker=marker, elinewidth=0.8, linestyle="none"
        )
    axis.set_yticks(range(len(means)), [mean.removesuffix("_mean").replace("variations", "all") for mean in means])
    axis.set_ylim(len(means) - 0.5, -0.5)
    for edge in range(1, len(means)):
        axis.axhline(edge - 0.5, color="#bbbbbb", linewidth=0.8)
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel(f"drop of {measure} against each method's own original queries (%)")
    return drawing.finish(figure, "Bars: 95 % confidence interval over queries.")
