"""The queries, texts and passages of each training step."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustdr.collections.rows import Reference
from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.training.data import Example
from robustdr.training.schedule import batches, turn, window

Files = Mapping[str, Sequence[Path]]  # further inputs of a training, by name


@dataclass(frozen=True)
class Step:
    """One batch: positions of its B examples, their texts, and their B · (1 + negatives) passages, if any, unread.

    `variation` has one variation of each example, the one of this epoch; `variations` has all, example by example.
    """

    examples: list[int]
    query: list[str]
    variation: list[str]
    variations: list[str]
    passages: list[Reference]

    def items_of(self, field: str, start: int, stop: int) -> list[Any]:
        """The items of a field for the examples from `start` to `stop`; each example must have equally many."""
        items = getattr(self, field)
        items_per_example = len(items) // len(self.examples)
        return items[start * items_per_example : stop * items_per_example]


class Feed:
    """The batches of a training, from any step on. They depend only on data, settings and seed.

    Args:
        size: queries per batch, over all devices.
        negatives: hard negatives per query and step.
        augmentation: share of the queries that a variation replaces, drawn again in every epoch.

    Raises:
        UserError: there are fewer examples than one batch needs.
    """

    def __init__(self, examples: Sequence[Example], size: int, negatives: int, augmentation: float, seed: int):
        self.examples, self.size, self.seed = examples, size, seed
        self.negatives, self.augmentation = negatives, augmentation
        self.unit, self.per_epoch = "queries", len(examples) // size
        if not self.per_epoch:
            raise UserError(f"training: batches of {size} need at least {size} examples; the data has {len(examples)}")

    def names(self, step: Step) -> list[str]:
        return [self.examples[i].qid for i in step.examples]

    def passages(self, example: Example, epoch: int) -> list[Reference]:
        if not example.positives:
            return []
        return [
            turn(example.positives, epoch, self.seed, "positive", example.qid),
            *window(example.negatives, self.negatives, epoch, self.seed, example.qid),
        ]

    def texts(self, example: Example, epoch: int) -> tuple[str, str]:
        """The training text of the query, and its variation, in this epoch."""
        variation = turn(example.variations, epoch, self.seed, "variation", example.qid)
        share = self.augmentation
        augmented = share and generator(self.seed, "augmentation", epoch, example.qid).random() < share
        return variation if augmented else example.query, variation

    def run(self, start: int, stop: int) -> Iterator[Step]:
        """The steps from `start` to `stop`."""
        for epoch in range(start // self.per_epoch, math.ceil(stop / self.per_epoch)):
            epoch_batches = batches(len(self.examples), self.size, epoch, self.seed)
            for step, batch in enumerate(epoch_batches, epoch * self.per_epoch):
                if start <= step < stop:
                    examples = [self.examples[i] for i in batch]
                    query, variation = zip(*(self.texts(example, epoch) for example in examples), strict=True)
                    passages = [passage for example in examples for passage in self.passages(example, epoch)]
                    variations = [text for example in examples for text in example.variations]
                    yield Step(batch, list(query), list(variation), variations, passages)
