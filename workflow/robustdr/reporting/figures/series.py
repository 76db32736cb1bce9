"""A measure by a number: the labels of systems or of query sets."""

import re
from typing import Literal

import numpy as np
from pydantic import Field

from robustdr.core.errors import UserError
from robustdr.core.settings import settings
from robustdr.evaluation.statistics import confidence_interval
from robustdr.reporting.drawing import Drawing, not_run
from robustdr.reporting.spec import Labels, Names, OnOneCollection
from robustdr.reporting.style import COLOURS, MARKERS, Picture, pyplot


@settings
class Settings(OnOneCollection):
    kind: Literal["series"]
    measure: str = Field(description="measure to show")
    across: Literal["systems", "query_sets"] = Field(description="their labels are the numbers on the axis")
    axis: str = Field(description="label of the axis")
    query_sets: Labels = Field(description="label by query set")
    reported: Names | None = Field(default=None, description="tables that hold the printed numbers")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, label in (self.systems if self.across == "systems" else self.query_sets).items():
            if not re.fullmatch(r"\d+(\.\d+)?", label):
                raise UserError(f"{self.across}.{name}: {label!r}; labels on the axis must be numbers")


def series(drawing: Drawing[Settings]) -> Picture:
    """A measure by a number: the labels of systems or of query sets (`across`); a line for each of the others.

    Systems that were not run are left out; a note names them.
    """
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    measure, over_systems = settings.measured[spec.measure], spec.across == "systems"
    points, lines = (spec.systems, spec.query_sets) if over_systems else (spec.query_sets, spec.systems)
    figure, axis = pyplot().subplots(figsize=(5.4, 3.2))
    lacking: dict[str, list[str]] = {}
    printed_numbers: list[float] = []
    for colour, marker, (line, label) in zip(COLOURS, MARKERS, lines.items(), strict=False):
        curve, printed = [], []
        for point, place in points.items():
            system, query_set = (point, line) if over_systems else (line, point)
            store_key = (system, role, query_set)
            coordinates = {"collection": spec.collection, "system": settings.names[system], "query_set": query_set}
            printed.append((float(place), drawing.printed(spec.reported, **coordinates, measure=spec.measure)))
            if reason := store.why_not(*store_key):
                lacking.setdefault(reason, []).append(place if over_systems else label)
                continue
            values = store.values(*store_key, measure).mean(axis=0)
            curve.append((float(place), 100 * values.mean(), 100 * confidence_interval(values)))
        if curve:
            places, means, widths = (np.array(column) for column in zip(*curve, strict=True))
            axis.plot(places, means, color=colour, marker=marker, markersize=4, label=label)
            axis.fill_between(places, means - widths, means + widths, color=colour, alpha=0.12, linewidth=0)
        printed_numbers += [number for _, number in printed]
        axis.plot(
            *zip(*printed, strict=True), color=colour, marker=marker, fillstyle="none", linestyle="none", markersize=7
        )
    axis.set_xlabel(spec.axis)
    axis.set_ylabel(f"{measure} ×100")
    note = f"Bands: 95 % confidence interval over queries. Hollow: as printed. {drawing.printed_note(printed_numbers)}"
    return drawing.finish(figure, "\n".join([note, *not_run(lacking)]))
