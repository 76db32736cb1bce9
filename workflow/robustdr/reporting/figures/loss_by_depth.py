"""Drops by recall set size, against one system's original queries."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.names import ORIGINAL
from robustdr.reporting.drawing import Drawing
from robustdr.reporting.spec import Names, OnOneCollection
from robustdr.reporting.style import COLOURS, MARKERS, Picture


@settings
class Settings(OnOneCollection):
    kind: Literal["loss_by_depth"]
    measures: Names = Field(description="measures to show")
    query_set: str = Field(description="query set to show")
    drop_from: str = Field(description="drops are relative to this system's original queries")
    reported: Names = Field(description="tables that hold the printed numbers")


def loss_by_depth(drawing: Drawing[Settings]) -> Picture:
    """The drop by recall set size, against the original queries of `drop_from`: a line per system."""
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    figure, axes = drawing.depth_axes(spec.measures, "relative loss (%)")
    places = range(len(spec.measures))
    printed_numbers: list[float] = []
    scale_measures = [settings.measured[measure] for measure in spec.measures]
    clean = [store.values(spec.drop_from, role, ORIGINAL, measure).mean() for measure in scale_measures]
    for colour, marker, (system, label) in zip(COLOURS, MARKERS, spec.systems.items(), strict=False):
        coordinates = {"collection": spec.collection, "system": settings.names[system], "value": "drop"}
        coordinates |= {"query_set": spec.query_set}
        printed = [drawing.printed(spec.reported, **coordinates, measure=measure) for measure in spec.measures]
        printed_numbers += printed
        noisy = [store.values(system, role, spec.query_set, measure).mean() for measure in scale_measures]
        reproduced = [100 * (n - c) / c if c else float("nan") for n, c in zip(noisy, clean, strict=True)]
        for axis, numbers in zip(axes, (printed, reproduced), strict=True):
            axis.plot(places, numbers, color=colour, marker=marker, markersize=4, label=label)
    for axis in axes:
        axis.axhline(0, color="#444444", linewidth=0.8)
    return drawing.finish(figure, drawing.printed_note(printed_numbers))
