"""A measure by share of the training steps."""

from math import nan
from typing import Annotated, Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.statistics import confidence_interval
from robustdr.reporting.drawing import Drawing
from robustdr.reporting.spec import Names, OneEach, OnOneCollection
from robustdr.reporting.style import COLOURS, Picture, pyplot

Share = Annotated[float, Field(gt=0, le=1)]


def snapshot(system: str, share: float) -> str:
    """The name of a system after a share of its training."""
    return system if share == 1 else f"{system}.at{round(100 * share)}"


@settings
class Settings(OnOneCollection):
    kind: Literal["learning_curve"]
    measure: str = Field(description="measure to show")
    start: str = Field(description="system that training starts from")
    points: Annotated[tuple[Share, ...], Field(min_length=1)] = Field(description="shares of the training steps")
    reported: Names | None = Field(default=None, description="tables that hold the printed numbers")

    def needed(self) -> list[str | OneEach]:
        snapshots = (snapshot(system, share) for system in self.systems for share in self.points)
        return [*self.systems, *snapshots, self.start]


def learning_curve(drawing: Drawing[Settings]) -> Picture:
    """A measure by share of the training steps, on the original queries and on the mean of the variations.

    Values are changes from the start, so that curves of other collections compare; so are their bands, which pair each
    query with itself at the start, where the change is 0. A paper's tables have the start and the end of its curve,
    which stand beside ours.
    """
    spec, role = drawing.spec, drawing.spec.collection
    settings, store = drawing.settings, drawing.store
    measure = settings.measured[spec.measure]
    figure, axes = pyplot().subplots(1, 2, figsize=(7.2, 2.8), sharex=True)
    printed_numbers: list[float] = []
    for axis, query_set, title in zip(axes, (ORIGINAL, MEAN), ("Original", "Variations (mean)"), strict=True):
        for colour, (system, label) in zip(COLOURS, spec.systems.items(), strict=False):
            points = [(0.0, spec.start), *((share, snapshot(system, share)) for share in spec.points)]
            values = [store.values(name, role, query_set, measure).mean(axis=0) for _, name in points]
            start = values[0].mean()
            means = [100 * (v.mean() / start - 1) for v in values]
            widths = [
                100 * confidence_interval(v - v.mean() / start * values[0]) / start for v in values
            ]  # delta method
            shares = [100 * share for share, _ in points]
            axis.plot(shares, means, marker="o", markersize=4, color=colour, label=label)
            low, high = zip(*((m - w, m + w) for m, w in zip(means, widths, strict=True)), strict=True)
            axis.fill_between(shares, low, high, color=colour, alpha=0.12, linewidth=0)
            coordinates = {"collection": role, "query_set": query_set, "measure": spec.measure}
            printed = [
                drawing.printed(spec.reported, system=settings.names[name], **coordinates) if share in (0, 1) else nan
                for share, name in points
            ]
            changes = [100 * (number / printed[0] - 1) for number in printed]
            axis.plot(shares, changes, marker="o", color=colour, fillstyle="none", linestyle="none", markersize=7)
            printed_numbers += printed
        axis.set_title(title)
        axis.set_xlabel("training steps (%)")
    axes[0].set_ylabel(f"change of {measure} (%)")
    bands = "Bands: 95 % confidence interval of the change, paired over queries."
    return drawing.finish(figure, f"{bands} Hollow: as printed. {drawing.printed_note(printed_numbers)}")
