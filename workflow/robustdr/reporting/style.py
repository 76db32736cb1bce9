"""The style and output of figures: equal numbers give equal bytes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from robustdr.core.files import atomic

if TYPE_CHECKING:  # the configuration reads the settings of figures, and starts no matplotlib
    import matplotlib.figure

Picture: TypeAlias = "matplotlib.figure.Figure"
STYLE: Any = {
    "svg.hashsalt": "robustdr",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}
# Okabe and Ito's colours, which colour-blind people can tell apart, darker: 4.5 : 1 on white. Grey replaces yellow.
COLOURS = ["#0072B2", "#B84E00", "#00795A", "#A64D7E", "#8A6000", "#2A7A9B", "#000000", "#6B6B6B"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def pyplot() -> Any:
    """Return `matplotlib.pyplot` with this style alone, for a process without a screen: no `matplotlibrc` counts."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    matplotlib.rcdefaults()
    plt.rcParams |= STYLE
    return plt


def save(figure: Picture, output: Path) -> None:
    """Write a figure as .svg and .png, without dates."""
    for suffix in (".svg", ".png"):
        with atomic(output.with_suffix(suffix)) as temporary:
            metadata = {"Date": None, "Creator": None} if suffix == ".svg" else {"Software": None}
            figure.savefig(temporary, dpi=150, metadata=metadata, bbox_inches="tight")
    pyplot().close(figure)
