"""Charts in the report's pages."""

import io
import re
from collections.abc import Iterable
from typing import NamedTuple

import scipy.stats
from markupsafe import Markup

from robustdr.reporting.artifacts import Means
from robustdr.reporting.cells import Cell
from robustdr.reporting.style import COLOURS, MARKERS, Picture, pyplot

INK = "#123456"  # a placeholder, replaced by the colour of the page's text, light or dark
FEW = 5  # drops: a rank correlation of fewer says nothing
DROP = re.compile(r"[-+]?[\d.]+(?=%)")


def embedded(svg: str, name: str) -> Markup:
    """An SVG file to put into a page: its ids begin with its name, because a page has several figures."""
    text = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return Markup(re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", text))


def inline(figure: Picture, name: str) -> Markup:
    """A figure as SVG for a page, transparent and in the colour of the page's text."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    pyplot().close(figure)
    return embedded(buffer.getvalue().replace(INK, "currentColor"), name)


class Drop(NamedTuple):
    """A drop of a system on one kind of variation, as reported and as reproduced, in percent."""

    label: str
    query_set: str
    reported: float
    reproduced: float


def drops(cells: Iterable[Cell], means: Means) -> list[Drop]:
    """The drops that are reported and reproduced, each once; means over variations are left out.

    Args:
        means: of the cells' tables.
    """
    drop_by_cell = {}
    for cell in cells:
        printed = DROP.match(cell.reported_drop)
        if printed and cell.drop is not None and cell.query_set not in means.get(cell.role, {}):
            cell_key = cell.role, cell.system, cell.query_set, cell.measure
            drop_by_cell[cell_key] = Drop(cell.label, cell.query_set, float(printed[0]), 100 * cell.drop)
    return list(drop_by_cell.values())


def rank(drawn: list[Drop]) -> float | None:
    """Spearman's correlation of reported and reproduced drops; None for few of them, or where all are equal."""
    reported, reproduced = [drop.reported for drop in drawn], [drop.reproduced for drop in drawn]
    if len(drawn) < FEW or 1 in (len({*reported}), len({*reproduced})):
        return None
    return float(scipy.stats.spearmanr(reported, reproduced).statistic)


def scatter(drawn: list[Drop]) -> Markup:
    """Reported drops against reproduced ones: a colour and a sign for each system, a line where they are equal."""
    labels = dict.fromkeys(drop.label for drop in drawn)
    by_label = {label: [drop for drop in drawn if drop.label == label] for label in labels}
    with pyplot().rc_context(
        {key: INK for key in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")}
    ):
        figure, axis = pyplot().subplots(figsize=(5.4, 4.2))
        for number, (label, of_label) in enumerate(by_label.items()):
            colour, marker = COLOURS[number % 6], MARKERS[number % len(MARKERS)]
            reported, reproduced = [drop.reported for drop in of_label], [drop.reproduced for drop in of_label]
            axis.scatter(
                reported, reproduced, s=28, color=colour, marker=marker, label=label, edgecolors=INK, linewidth=0.6
            )
        low = min(min(drop.reported, drop.reproduced) for drop in drawn)
        high = max(0.0, *(max(drop.reported, drop.reproduced) for drop in drawn))
        axis.plot([low, high], [low, high], color=INK, linewidth=0.8, linestyle="--")
        axis.set_xlabel("drop as printed, %")
        axis.set_ylabel("drop here, %")
        axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return inline(figure, "scatter")
