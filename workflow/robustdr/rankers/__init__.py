"""Ranking models, one file each, named like it; a ranker scores pairs of a query and a passage.

A ranker's file holds one class below `Ranker`. Its literal attributes say what it starts from and what its directory
holds, so that reading a configuration need not import torch; the keyword arguments of its constructor, which all have a
default, are the settings that a recipe may give beside its name.
"""

from pathlib import Path

from robustdr.core.declared import Declared

RANKERS = Declared("ranker", Path(__file__).parent, ("pretrained", "ranker", "words"))
