"""Ranking models, one file each, named like it; a ranker scores pairs of a query and a passage.

A ranker's file holds its `Settings` and one class below `Ranker`.
"""

from robustdr.core.plugins import Plugins
from robustdr.rankers.settings import RankerSettings

RANKERS = Plugins("ranker", __name__, RankerSettings)
