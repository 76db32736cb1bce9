"""Whether torchrun started this process, among others."""

import os

GIVEN = {"RANK", "WORLD_SIZE", "MASTER_ADDR"}  # torchrun sets all of them; a stray RANK says nothing


def is_started() -> bool:
    return os.environ.keys() >= GIVEN


def rank() -> int:
    """Return the number of this process among those of torchrun; 0 without it."""
    return int(os.environ["RANK"]) if is_started() else 0
