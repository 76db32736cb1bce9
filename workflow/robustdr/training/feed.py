"""What a training step sees: which queries, which of their texts, which passages."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from robustdr.encoding.encoder import Encoder
from robustdr.encoding.hardware import Precision
from robustdr.errors import UserError
from robustdr.retrieval.embeddings import PassageVectors
from robustdr.seeds import generator
from robustdr.training.data import Example
from robustdr.training.schedule import batches, pick, window

Passage = tuple[str, str, str]  # docid, title, text


@dataclass
class Teacher:
    """A frozen model's view of the training data: its vectors, looked up, never computed twice."""

    queries: torch.Tensor  # [examples, d], on the CPU
    passages: PassageVectors

    @classmethod
    def load(
        cls, model: Path, shards: list[Path], examples: list[Example], query_length: int, precision: Precision
    ) -> "Teacher":
        queries = Encoder(model, precision).encode(
            [example.query for example in examples], query_length, progress="teacher"
        )
        wanted = {docid for e in examples for docid, _, _ in (*e.positives, *e.negatives)}
        return cls(torch.from_numpy(queries), PassageVectors(shards, wanted))


@dataclass(frozen=True)
class Step:
    """One batch: positions of its B examples, their texts, and their B · (1 + negatives) passages, if any."""

    examples: list[int]
    query: list[str]
    variation: list[str]
    passages: list[Passage]


class Feed:
    """The batches of a training, from any step on: a function of (data, settings, seed) alone.

    Args:
        settings: `negatives` (per query and step), `augmentation` (share of the queries that stand in a variation's
            words, drawn anew in every epoch).
        size: queries of a batch, on all devices together.

    Raises:
        UserError: fewer examples than a batch holds.
    """

    def __init__(self, examples: list[Example], settings: dict[str, Any], seed: int, size: int):
        self.examples, self.settings, self.seed, self.size = examples, settings, seed, size
        self.per_epoch = len(batches([0] * len(examples), size, 0, seed))
        if not self.per_epoch:
            raise UserError(f"training: batches of {size} need at least {size} examples; the data has {len(examples)}")

    def passages(self, example: Example, epoch: int) -> list[Passage]:
        if not example.positives:
            return []
        return [
            pick(example.positives, epoch, self.seed, example.qid),
            *window(example.negatives, self.settings["negatives"], epoch, self.seed, example.qid),
        ]

    def texts(self, example: Example, epoch: int) -> tuple[str, str]:
        """The query as it is trained on, and its variation of this epoch."""
        variation = pick(example.variations, epoch, self.seed, example.qid)
        share = self.settings["augmentation"]
        augmented = share and generator(self.seed, "augmentation", epoch, example.qid).random() < share
        return variation if augmented else example.query, variation

    def run(self, start: int, stop: int) -> Iterator[Step]:
        """The steps from `start` to `stop`."""
        for epoch in range(start // self.per_epoch, math.ceil(stop / self.per_epoch)):
            passages = [self.passages(example, epoch) for example in self.examples]
            lengths = [
                sum(len(text) for _, _, text in own) or len(example.query)
                for example, own in zip(self.examples, passages, strict=True)
            ]
            first = epoch * self.per_epoch
            for step, batch in enumerate(batches(lengths, self.size, epoch, self.seed), first):
                if start <= step < stop:
                    query, variation = zip(*(self.texts(self.examples[i], epoch) for i in batch), strict=True)
                    yield Step(batch, list(query), list(variation), [p for i in batch for p in passages[i]])


def derangement(size: int, *seed: object) -> list[int]:
    """For each of `size` positions another one, at random: a cycle through all of them."""
    order = list(range(size))
    generator(*seed).shuffle(order)
    other = dict(zip(order, order[1:] + order[:1], strict=True))
    return [other[i] for i in range(size)]
