"""Pre-training of a checkpoint on a corpus, without queries (ToRoDer)."""

from robustdr.variations.typos import Typo

HEAD = "cls"  # the part of BERT's checkpoints that the encoder does not read; pre-training starts from it
TRAINS = "robustdr.pretraining.student"  # see `training.loop`
PACKAGES = Typo.packages  # their data decides which words are misspelled
