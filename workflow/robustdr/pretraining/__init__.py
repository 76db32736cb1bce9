"""Pre-training: a checkpoint and a corpus without queries become a checkpoint (ToRoDer)."""

from robustdr.variations.typos import Typo

HEAD = "cls"  # the part of BERT's checkpoints that the encoder leaves out and pre-training goes on with
TRAINS = "robustdr.pretraining.student"  # see `training.loop`
PACKAGES = Typo.packages  # whose data decides what is misspelled
