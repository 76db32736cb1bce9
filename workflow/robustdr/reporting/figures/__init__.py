"""Figures, one file each; `kind` in experiment.yaml names the file.

A figure is a function of a `Drawing`, whose `spec` is the figure's `Settings`; it returns a matplotlib figure.
"""

from functools import partial

from robustdr.core.plugins import Plugins
from robustdr.reporting.spec import FigureSpec, chosen

FIGURES = Plugins("figure", __name__, FigureSpec)
read_figure = partial(chosen, FIGURES, "kind")
