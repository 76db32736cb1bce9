"""Ranking models, one file each; a ranker scores pairs of a query and a passage.

The file has the ranker's name, and holds its `Settings` and one class below `Ranker`.
"""

from robustdr.core.plugins import Plugins
from robustdr.rankers.settings import RankerSettings

RANKERS = Plugins("ranker", __name__, RankerSettings)
