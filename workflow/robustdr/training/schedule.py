"""The order of examples. It depends only on seed, epoch and query id, so a resumed training sees the same order."""

from collections.abc import Sequence
from math import ceil
from typing import TypeVar

from robustdr.core.seeds import digest, generator

Item = TypeVar("Item")


def window(negatives: Sequence[Item], count: int, epoch: int, seed: int, qid: str) -> list[Item]:
    """The hard negatives of one query in one epoch.

    The list is shuffled once per (query, seed). A window of `count` moves on by `count` in each epoch and wraps around.
    If the list is shorter than `count`, negatives are drawn with replacement, again in each epoch (as in the toolkit
    that RoDR used).
    """
    if len(negatives) < count:
        return generator(seed, "window", qid, epoch).choices(negatives, k=count)
    shuffled = list(negatives)
    generator(seed, "window", qid).shuffle(shuffled)
    start = epoch * count % len(shuffled)
    return (shuffled + shuffled)[start : start + count]


def turn(items: Sequence[Item], epoch: int, *seed: object) -> Item:
    """The item of one epoch, e.g. one of a query's positives: all items take turns; `seed` decides the first."""
    return items[(digest("turn", *seed) + epoch) % len(items)]


def batches(examples: int, size: int, epoch: int, seed: int) -> list[list[int]]:
    """The batches of one epoch, in shuffled order, as positions of examples.

    Args:
        examples: number of examples. size: of a batch; an incomplete last batch is left out.
        epoch: counted from 0. seed: of the training.
    """
    order = list(range(examples))
    generator(seed, "batches", epoch).shuffle(order)
    return [order[start : start + size] for start in range(0, examples - size + 1, size)]


def learning_rate(step: int, steps: int, highest: float, warmup: float, decay: bool) -> float:
    """Linear warm-up from zero over the share `warmup` of the steps, rounded up, then linear decay to zero if `decay`.

    The first step has the rate 0 if there is a warm-up, as in Hugging Face's trainer.
    """
    rise = ceil(warmup * steps)
    if step < rise:
        return highest * step / rise
    return highest * (steps - step) / (steps - rise) if decay else highest
