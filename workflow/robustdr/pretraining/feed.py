"""The batches of a pre-training, from the word pieces of a corpus."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from torch.utils.data import DataLoader, Dataset

from robustdr.core.errors import UserError
from robustdr.core.seeds import Draw, digest
from robustdr.pretraining.masks import MaskedPassage, Masks
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.tokens import read_tokens
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training import distributed

CHUNK = 1 << 24  # pieces in memory at once
SAMPLE = 1000  # passages from which the printed shares are computed


@dataclass(frozen=True)
class Passages:
    """The word pieces of a corpus, in its order.

    Attributes:
        tokens: their folder, see `write_tokens`. vocabulary: of the checkpoint.
        pieces: of all passages, one after the other. ends: where each passage ends in it. names: digest of each docid.
        ordinary: the pieces that the head scores and that can replace words, ascending.
    """

    tokens: Path
    vocabulary: Vocabulary
    pieces: np.ndarray
    ends: np.ndarray
    names: np.ndarray
    ordinary: list[int]

    @classmethod
    def open(cls, tokens: Path, vocabulary: Vocabulary, settings: PretrainingSettings) -> "Passages":
        """Open the pieces of a corpus; raises as `read_tokens`."""
        pieces, ends, names = read_tokens(tokens)
        ordinary = vocabulary.ordinary()
        if settings.vocabulary == "corpus":
            occurs = np.zeros(len(vocabulary.pieces), bool)
            for start in range(0, len(pieces), CHUNK):
                occurs[pieces[start : start + CHUNK]] = True
            ordinary = [piece for piece in ordinary if occurs[piece]]
        return cls(tokens, vocabulary, pieces, ends, names, ordinary)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, position: int) -> list[int]:
        return self.pieces[self.ends[position - 1] if position else 0 : self.ends[position]].tolist()


class Step(NamedTuple):
    """A batch of one process: positions of its passages, and their masked texts."""

    passages: list[int]
    masked: list[MaskedPassage]


class Feed(Dataset[Step]):
    """The batches of this process, by step. They depend only on passages, settings and seed.

    Raises:
        UserError: there are fewer passages than one batch of all processes needs.
    """

    unit = "passages"

    def __init__(self, passages: Passages, settings: PretrainingSettings, seed: int):
        self.examples, self.settings, self.seed = passages, settings, seed
        self.masks = Masks(settings, passages.vocabulary, passages.ordinary)
        self.size = settings.batch_size * settings.devices
        self.per_epoch = len(passages) // self.size
        self.batch_shares, self.shuffled = distributed.shares(settings.devices), (-1, np.empty(0, np.int64))
        if not self.per_epoch:
            raise UserError(f"{passages.tokens}: {len(passages)} passages with a text; a batch needs {self.size}")

    def order(self, epoch: int) -> np.ndarray:
        """The positions of all passages in the order of an epoch."""
        if self.shuffled[0] != epoch:
            random = np.random.default_rng(digest(self.seed, "passages", epoch))
            self.shuffled = epoch, random.permutation(len(self.examples))
        return self.shuffled[1]

    def batch(self, step: int) -> tuple[int, list[int]]:
        """(epoch, positions of this process's passages) of a step."""
        epoch, number = divmod(step, self.per_epoch)
        first, size = number * self.size, self.settings.batch_size
        start, stop = first + self.batch_shares.start * size, first + self.batch_shares.stop * size
        return epoch, self.order(epoch)[start:stop].tolist()

    def show(self, position: int, epoch: int) -> MaskedPassage:
        """The passage at `position`, as encoder and decoder see it in an epoch."""
        chance = hashlib.sha256(f"{self.seed} {epoch} {self.examples.names[position]}".encode())
        return self.masks.show(self.examples[position], Draw(chance.digest()))

    def __getitem__(self, step: int) -> Step:
        epoch, batch = self.batch(step)
        return Step(batch, [self.show(position, epoch) for position in batch])

    def run(self, start: int, stop: int) -> Iterator[Step]:
        """The steps from `start` to `stop`."""
        return iter(DataLoader(self, batch_size=None, sampler=range(start, stop), num_workers=self.settings.workers))

    def names(self, step: Step) -> list[str]:
        return [f"number {position}" for position in step.passages]

    def shares(self) -> dict[str, float]:
        """Shares of words misspelled and of pieces to recover in the first `SAMPLE` passages, by printed name."""
        masked_passages = [self.show(position, 0) for position in range(min(SAMPLE, len(self.examples)))]
        pieces = sum(passage.pieces for passage in masked_passages)
        return {
            "words misspelled": sum(passage.misspelled for passage in masked_passages)
            / sum(passage.words for passage in masked_passages),
            "pieces for the encoder to recover": sum(len(passage.encoder.targets) for passage in masked_passages)
            / pieces,
            "pieces for the decoder to recover": sum(len(passage.decoder.targets) for passage in masked_passages)
            / pieces,
        }
