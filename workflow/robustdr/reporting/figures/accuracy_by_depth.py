"""Retrieval accuracy over the recall set size."""

from typing import Annotated, Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.reporting.drawing import Drawing
from robustdr.reporting.spec import FigureSpec, Names, OneEach
from robustdr.reporting.style import COLOURS, MARKERS, Picture


@settings
class Settings(FigureSpec):
    kind: Literal["accuracy_by_depth"]
    collections: Names = Field(description="roles of the paper's evaluation")
    systems: Annotated[tuple[OneEach, ...], Field(min_length=1)] = Field(
        description="lists of one system for each collection; the first list is drawn"
    )
    query_sets: Names = Field(description="query sets to show")
    measures: Names = Field(description="measures to show")
    reported: Names = Field(description="tables that hold the printed numbers")


def accuracy_by_depth(drawing: Drawing[Settings]) -> Picture:
    """Retrieval accuracy over the recall set size: a colour per collection, a line style per query set."""
    spec = drawing.spec
    settings, store = drawing.settings, drawing.store
    figure, axes = drawing.depth_axes(spec.measures, "retrieval accuracy (%)")
    places = range(len(spec.measures))
    printed_numbers: list[float] = []
    for colour, marker, role, system in zip(COLOURS, MARKERS, spec.collections, spec.systems[0], strict=False):
        for style, query_set in zip(("-", "--", ":"), spec.query_sets, strict=False):
            coordinates = {"collection": role, "system": settings.names[system], "query_set": query_set}
            printed = [drawing.printed(spec.reported, **coordinates, measure=measure) for measure in spec.measures]
            printed_numbers += printed
            store_key = (system, role, query_set)
            reproduced = [
                100 * store.values(*store_key, settings.measured[measure]).mean() for measure in spec.measures
            ]
            look = {"color": colour, "marker": marker, "markersize": 4, "linestyle": style}
            for axis, numbers in zip(axes, (printed, reproduced), strict=True):
                axis.plot(places, numbers, label=f"{role}, {query_set}", **look)
    return drawing.finish(figure, drawing.printed_note(printed_numbers))
