"""Pre-training: a checkpoint and a corpus without queries become a checkpoint (ToRoDer)."""
