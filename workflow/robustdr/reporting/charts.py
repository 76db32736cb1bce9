"""Charts of the report, drawn into its pages."""

import io
import re
from typing import Any

import matplotlib.pyplot as plt
from markupsafe import Markup

from robustdr.evaluation.store import MEAN
from robustdr.reporting.cells import ORIGINAL
from robustdr.reporting.style import COLOURS, MARKERS

INK = "#123456"  # drawn in this colour, and replaced by that of the page's text, light or dark


def inline(figure: plt.Figure) -> Markup:
    """A figure as SVG for a page, in the colours and without the background of the page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    text = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>", "", buffer.getvalue(), flags=re.DOTALL)
    return Markup(text.replace(INK, "currentColor"))


def points(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Of each method of the comparison, its difference from the base system on the variations and on the originals.

    Returns:
        `label`; `gain` and `loss` as shares of 1; `seconds` of its own training, None where it has none.
    """
    cells = {(cell["label"], cell["query_set"]): cell for cell in table.get("cells", [])}
    found = []
    for label in dict.fromkeys(label for label, _ in cells):
        varied, original = cells.get((label, MEAN)), cells.get((label, ORIGINAL))
        if varied and original and None not in (varied["difference"], original["difference"]):
            seconds = original.get("own_seconds", "–").replace(",", "")
            cost = float(seconds) if seconds != "–" else None
            found.append(
                {"label": label, "gain": varied["difference"], "loss": original["difference"], "seconds": cost}
            )
    return found


def gains(table: dict[str, Any]) -> dict[str, Any] | None:
    """The chart of what each method gains on variations against what it loses on originals; None where none was run.

    Returns:
        `svg`, and `points` for those who read rather than look.
    """
    if not (drawn := points(table)):
        return None
    with plt.rc_context(
        {key: INK for key in ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")}
    ):
        figure, axis = plt.subplots(figsize=(6.4, 3.8))
        most = max((point["seconds"] or 0 for point in drawn), default=0) or 1
        for colour, marker, point in zip(COLOURS * 2, MARKERS * 2, drawn, strict=False):
            size = 40 + 260 * (point["seconds"] or 0) / most
            at = (100 * point["loss"], 100 * point["gain"])
            axis.scatter(*at, s=size, color=colour, marker=marker, alpha=0.85, linewidth=0)
            axis.annotate(point["label"], at, xytext=(8, 5), textcoords="offset points", fontsize=8)
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.axvline(0, color=INK, linewidth=0.8)
        axis.margins(0.2)
        axis.set_xlabel("difference on the original queries (×100)")
        axis.set_ylabel("difference on the variations (×100)")
        return {"svg": inline(figure), "points": drawn}
