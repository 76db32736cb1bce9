"""Layouts of tables, one file each; `rows` in experiment.yaml names the file.

A layout is a function of a `Maker` of cells, whose `spec` is the layout's `Settings`; it returns a `Grid`.
"""

from functools import partial

from robustdr.core.plugins import Plugins
from robustdr.reporting.spec import TableSpec, chosen

LAYOUTS = Plugins("layout of a table", __name__, TableSpec)
read_layout = partial(chosen, LAYOUTS, "rows")
