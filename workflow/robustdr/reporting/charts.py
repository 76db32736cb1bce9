"""Charts in the report's pages."""

import io
import re
from collections.abc import Iterable
from typing import NamedTuple

import matplotlib.pyplot as plt
from markupsafe import Markup

from robustdr.evaluation.store import MEAN
from robustdr.reporting.cells import ORIGINAL
from robustdr.reporting.style import COLOURS, MARKERS
from robustdr.reporting.written import Row

INK = "#123456"  # a placeholder, replaced by the colour of the page's text, light or dark


def inline(figure: plt.Figure) -> Markup:
    """A figure as SVG for a page, transparent and in the colour of the page's text."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>", "", buffer.getvalue(), flags=re.DOTALL)
    return Markup(text.replace(INK, "currentColor"))


class Point(NamedTuple):
    """A method: `gain` and `loss` are differences from the base system on variations and originals, as shares of 1.

    `seconds`: of its own training; None if it is not trained.
    """

    label: str
    gain: float
    loss: float
    seconds: float | None


class Chart(NamedTuple):
    """A drawing, and its points to show as text."""

    svg: Markup
    points: list[Point]


def points(cells: Iterable[Row]) -> list[Point]:
    """The methods that have a difference on both variations and originals."""
    at = {(cell["label"], cell["query_set"]): cell for cell in cells}
    found = []
    for label in dict.fromkeys(label for label, _ in at):
        varied, original = at.get((label, MEAN)), at.get((label, ORIGINAL))
        if varied and original and varied["difference"] is not None and original["difference"] is not None:
            seconds = original.get("own_seconds", "–").replace(",", "")
            cost = float(seconds) if seconds != "–" else None
            found.append(Point(label, varied["difference"], original["difference"], cost))
    return found


def gains(cells: Iterable[Row]) -> Chart | None:
    """A chart of each method's difference on variations by its difference on originals; None if none was run."""
    if not (drawn := points(cells)):
        return None
    with plt.rc_context(
        {key: INK for key in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")}
    ):
        figure, axis = plt.subplots(figsize=(6.4, 3.8))
        most = max((point.seconds or 0 for point in drawn), default=0) or 1
        for colour, marker, point in zip(COLOURS * 2, MARKERS * 2, drawn, strict=False):
            size = 40 + 260 * (point.seconds or 0) / most
            at = (100 * point.loss, 100 * point.gain)
            axis.scatter(*at, s=size, color=colour, marker=marker, alpha=0.85, linewidth=0)
            axis.annotate(point.label, at, xytext=(8, 5), textcoords="offset points", fontsize=8)
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.axvline(0, color=INK, linewidth=0.8)
        axis.margins(0.2)
        axis.set_xlabel("difference on the original queries (×100)")
        axis.set_ylabel("difference on the variations (×100)")
        return Chart(inline(figure), drawn)
