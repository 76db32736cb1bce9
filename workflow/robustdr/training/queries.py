"""Base of students that learn from queries: their data and their loss."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.losses.batch import Batch
from robustdr.training.data import read_training_data
from robustdr.training.feed import Feed, Files, Step
from robustdr.training.settings import TrainSettings


class LearnsFromQueries(ABC):
    """A student that learns from a training file; its recipe names the loss."""

    settings: TrainSettings

    @classmethod
    def feed(cls, settings: TrainSettings, seed: int, data: Path, initial: Path, files: Files) -> Feed:
        """The steps of a training file.

        Args:
            files: `corpus`: holds the passages that the training file names, if any.

        Raises:
            UserError: the file is malformed or too small; the loss needs passages, and there are none; or it needs
                equally many variations of every query.
        """
        corpus = next(iter(files.get("corpus") or ()), None)
        examples, needs = read_training_data(data, corpus), losses.check(**settings.loss)
        if needs & {"passages", "groups"} and not examples[0].positives:
            raise UserError(
                f"systems.{settings.system}: the loss {settings.loss['name']} needs passages; name its `negatives`"
            )
        if "variations" in needs and len(counts := {len(example.variations) for example in examples}) > 1:
            raise UserError(
                f"{data}: queries with {min(counts)} to {max(counts)} variations; the loss {settings.loss['name']} "
                "needs the same number for every query"
            )
        size = settings.batch_size * settings.devices
        return Feed(examples, size, settings.negatives, settings.augmentation, seed)

    @cached_property
    def loss(self) -> tuple[Callable[[Batch], dict[str, torch.Tensor]], set[str]]:
        """The loss, and the fields of a batch that it reads."""
        return losses.create(**self.settings.loss), losses.check(**self.settings.loss)

    @property
    @abstractmethod
    def parameters(self) -> dict[str, torch.nn.Parameter]: ...

    @property
    def rates(self) -> dict[str, float]:
        """The highest learning rate of each parameter."""
        return dict.fromkeys(self.parameters, self.settings.learning_rate)

    @abstractmethod
    def batch(self, ready: Any, step: int) -> Batch: ...

    @abstractmethod
    def ready(self, step: Step) -> list[Any]: ...

    def terms(self, ready: Any, step: int) -> dict[str, torch.Tensor]:
        """The weighted terms of the loss, by name."""
        return self.loss[0](self.batch(ready, step))
