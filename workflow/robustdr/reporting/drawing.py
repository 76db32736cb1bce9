"""Parts that figures share: layout, printed numbers, and output."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from robustdr.audit.reported import Reported, load
from robustdr.reporting.figures import FIGURES
from robustdr.reporting.settings import FigureSettings
from robustdr.reporting.spec import FigureSpec
from robustdr.reporting.style import Picture, pyplot, save

if TYPE_CHECKING:  # the configuration reads the settings of figures, and starts no pandas
    from robustdr.evaluation.store import Store

Figure = TypeVar("Figure", bound=FigureSpec)


def not_run(lacking: Mapping[str, Iterable[str]]) -> list[str]:
    """Lines of a figure's note: by reason, the labels of what was not run."""
    return [f"Not run: {', '.join(dict.fromkeys(labels))}: {reason}" for reason, labels in lacking.items()]


@dataclass(frozen=True)
class Drawing(Generic[Figure]):
    """The inputs of a figure.

    Attributes:
        spec: of the figure. store: measured values. reported: printed values, None if the paper has none.
    """

    settings: FigureSettings
    spec: Figure
    store: "Store"
    reported: Reported | None

    def finish(self, figure: Picture, note: str = "") -> Picture:
        """The figure with its title above and its legend and note below the data."""
        figure.suptitle(self.spec.title + (" (miniature)" if self.settings.miniature else ""), fontsize=10)
        figure.tight_layout()
        handles, labels = figure.axes[-1].get_legend_handles_labels()
        columns = 3 if len(labels) in (5, 6, 9) else 4
        figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns, fontsize=8)
        lines = -(-len(labels) // columns)
        figure.text(0.01, -(0.2 * lines + 0.3) / figure.get_figheight(), note, fontsize=7)
        return figure

    def printed(self, tables: Sequence[str] | None, **coordinates: str) -> float:
        """The paper's number, from the first of these tables that prints it; NaN if none does."""
        printed_cell = self.reported.first(tables or (), **coordinates) if self.reported else None
        return float(printed_cell.number) if printed_cell else float("nan")

    @staticmethod
    def printed_note(numbers: Sequence[float]) -> str:
        """How many points of the paper's own figure are in `numbers`; NaN is one that it does not print as a number."""
        printed_count = sum(map(isfinite, numbers))
        if not printed_count:
            return "The paper prints no numbers for this figure."
        if printed_count == len(numbers):
            return ""
        return f"The paper prints {printed_count} of these {len(numbers)} points as numbers."

    def depth_axes(self, measures: Sequence[str], ylabel: str) -> tuple[Picture, Any]:
        """(figure, axes) with two panels, reported and reproduced; the x ticks are the depths of the measures."""
        figure, axes = pyplot().subplots(1, 2, figsize=(7.2, 2.9), sharey=True)
        scale_measures = [self.settings.measured[measure] for measure in measures]
        for axis, title, panel_measures in zip(
            axes, ("Reported", "Reproduced"), (measures, scale_measures), strict=True
        ):
            axis.set_title(title)
            axis.set_xlabel("recall set size (passages)")
            axis.set_xticks(range(len(panel_measures)), [name.partition("@")[2] for name in panel_measures])
            axis.tick_params(labelleft=True)
        axes[0].set_ylabel(ylabel)
        return figure, axes


def write_figure(settings: FigureSettings, measures: list[Path], reported: Path | None, output: Path) -> None:
    """Draw a figure as .svg and .png.

    Args:
        measures: measures files. reported: reported.yaml; None if the paper has none. output: the .svg file.

    Raises:
        UserError: a system of the figure was not run, or its measures are stale.
    """
    from robustdr.evaluation.store import open_store

    drawing = Drawing(settings, settings.spec, open_store(settings, measures), load(reported) if reported else None)
    save(FIGURES.load(settings.spec.kind)(drawing), output)
