"""What is seen when: a function of (seed, epoch, qid) alone, so that a resumed training sees the same."""

from collections.abc import Sequence
from typing import Any

from robustdr.seeds import digest, generator

POOL = 50  # batches sorted together by length: enough to save the padding, few enough to keep batches mixed


def window(negatives: Sequence, count: int, epoch: int, seed: int, qid: str) -> list:
    """The hard negatives of one query in one epoch.

    The list is shuffled once per (query, seed), then a window of `count` moves on by `count` with each epoch and wraps
    around; a list that is too short is sampled with replacement (the toolkit that RoDR used).
    """
    rng = generator(seed, "window", qid)
    if len(negatives) < count:
        return [rng.choice(negatives) for _ in range(count)]
    shuffled = list(negatives)
    rng.shuffle(shuffled)
    start = epoch * count % len(shuffled)
    return (shuffled + shuffled)[start : start + count]


def pick(positives: Sequence, epoch: int, seed: int, qid: str):
    """The positive of one query in one epoch: all take their turn."""
    return positives[(digest(seed, "positive", qid) + epoch) % len(positives)]


def batches(lengths: Sequence[int], batch_size: int, epoch: int, seed: int) -> list[list[int]]:
    """The batches of one epoch: shuffled, then sorted by length within pools, then the batches shuffled.

    Args:
        lengths: tokens of each example.
        batch_size: examples in a batch; what does not fill a batch is left out of the epoch.
        epoch: counted from 0.
        seed: of the training.
    """
    rng = generator(seed, "batches", epoch)
    order = list(range(len(lengths)))
    rng.shuffle(order)
    order = order[: len(order) - len(order) % batch_size]
    made: list[list[int]] = []
    for start in range(0, len(order), POOL * batch_size):
        pool = sorted(order[start : start + POOL * batch_size], key=lambda i: (lengths[i], i))
        made += [pool[i : i + batch_size] for i in range(0, len(pool), batch_size)]
    rng.shuffle(made)
    return made


def learning_rate(step: int, steps: int, settings: dict[str, Any]) -> float:
    """Linear warm-up over the share `warmup` of the steps, then linear decay to zero."""
    warmup = settings["warmup"] * steps
    share = min(1.0, (step + 1) / warmup) if step < warmup else (steps - step) / max(1.0, steps - warmup)
    return settings["learning_rate"] * share
