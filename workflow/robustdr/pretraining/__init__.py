"""Pre-training: a checkpoint and a corpus without queries become a checkpoint (ToRoDer)."""

from robustdr.variations.typos import Typo

TRAINS = "robustdr.pretraining.student"  # see `training.loop`
PACKAGES = Typo.packages  # whose data decides what is misspelled
