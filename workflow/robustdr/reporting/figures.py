"""Figures: the same bytes from the same numbers."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.files import atomic
from robustdr.reporting.cells import ORIGINAL

plt.rcParams |= {
    "svg.hashsalt": "robustdr",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # Okabe and Ito: colour-blind safe


def save(figure: plt.Figure, output: Path) -> None:
    """Write a figure as .svg and .png, without dates."""
    for suffix in (".svg", ".png"):
        with atomic(output.with_suffix(suffix)) as temporary:
            metadata = {"Date": None, "Creator": None} if suffix == ".svg" else {"Software": None}
            figure.savefig(temporary, dpi=150, metadata=metadata, bbox_inches="tight")
    plt.close(figure)


def learning_curve(settings: dict[str, Any], store: Store) -> plt.Figure:
    """A measure over the share of the training steps, on the original queries and on the mean of the variations."""
    spec, where = settings["spec"], settings["evaluation"][settings["spec"]["collection"]]
    measure = settings["measured"][spec["measure"]]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharex=True)
    for axis, query_set, title in zip(axes, (ORIGINAL, MEAN), ("Original", "Variations (mean)"), strict=True):
        for colour, (system, label) in zip(COLOURS, spec["systems"].items(), strict=False):
            points = [(0.0, spec["start"])]
            points += [(p, system if p == 1 else f"{system}.at{round(100 * p)}") for p in spec["points"]]
            values = [
                store.values(name, where["collection"], where["split"], query_set, measure).mean(axis=0)
                for _, name in points
            ]
            means, widths = [100 * v.mean() for v in values], [100 * confidence_interval(v) for v in values]
            shares = [100 * share for share, _ in points]
            axis.plot(shares, means, marker="o", markersize=4, color=colour, label=label)
            low, high = zip(*((m - w, m + w) for m, w in zip(means, widths, strict=True)), strict=True)
            axis.fill_between(shares, low, high, color=colour, alpha=0.12, linewidth=0)
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("training steps (%)")
    axes[0].set_ylabel(f"{measure} ×100")
    axes[1].legend(loc="best")
    note = "Bands: 95 % confidence interval over queries."
    figure.suptitle(spec["title"] + (" (miniature)" if settings["miniature"] else ""), fontsize=10)
    figure.text(0.01, -0.04, note, fontsize=7)
    figure.tight_layout()
    return figure


KINDS = {"learning_curve": learning_curve}


def write_figure(settings: dict[str, Any], measures: list[Path], output: Path) -> None:
    """Draw a figure as .svg and .png.

    Args:
        settings: `spec` (the figure's entry of experiment.yaml), `evaluation`, `miniature`, `reasons`, `keys`.
        measures: measures files. output: the .svg file.

    Raises:
        UserError: a system that the figure needs was not run, or its measures are stale.
    """
    sources = [Source(path, settings["keys"][str(path)]) for path in measures]
    store = Store(sources, dict(settings["reasons"]))
    save(KINDS[settings["spec"]["kind"]](settings, store), output)
