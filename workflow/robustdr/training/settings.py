"""What the stages of training are told."""

from dataclasses import field
from typing import Any, Literal

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, UNSEEN, Precision


@dataclass(frozen=True, config=STRICT)
class TrainingDataSettings:
    """Of a recipe's training file.

    Attributes:
        assign: `one`: each query has one of the variations, all of them equally often; `all`: every one that changes
            it, in turn; `together`: every one, at once.
        depth: ranks that hard negatives are drawn from. keep: negatives per query. Both are None on queries alone.
    """

    assign: Literal["one", "all", "together"]
    depth: int | None = None
    keep: int | None = None


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LoopSettings:
    """Of one training, whatever it learns from.

    Attributes:
        system: its name.
        learning_rate: the highest; see `schedule.learning_rate`. warmup: share of the steps.
        epochs: may be a fraction.
        batch_size: examples on each device. devices: processes.
        weight_decay: of AdamW, on matrices alone: biases and layer norms are exempt.
        max_gradient_norm: gradients of a larger norm, taken over all parameters, are scaled down to it.
        dropout: the probability in every layer.
        freeze_word_embeddings: whether word embeddings stay as they are.
        checkpoint_every: steps between two checkpoints.
        precision: that the model computes in. threads: of the processor.
    """

    system: str
    learning_rate: float
    warmup: float
    epochs: float
    batch_size: int
    devices: int
    weight_decay: float
    max_gradient_norm: float
    dropout: float
    freeze_word_embeddings: bool
    checkpoint_every: int = field(metadata=UNSEEN)
    precision: Precision
    threads: int


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainSettings(LoopSettings):
    """Of a training on queries, whatever the kind of system.

    Attributes:
        loss: `name` and the loss's own settings.
        augmentation: share of the queries that stand in a variation's words, drawn anew in every epoch.
        negatives: hard negatives per query and step.
        query_length, passage_length: tokens.
        gradient_cache: tokens whose activations are in memory at once, see `training.dense`; None: the whole batch's.
    """

    loss: dict[str, Any]
    augmentation: float
    negatives: int
    query_length: int
    passage_length: int
    gradient_cache: int | None = None


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DenseTraining(TrainSettings):
    """Of a dual encoder.

    Attributes:
        encoders: `shared`, or `separate` ones for queries and passages.
        temperature: that a loss finds every dot product divided by; vectors of length 1 learn nothing at 1.
    """

    encoders: Literal["shared", "separate"]
    temperature: float = 1.0


@dataclass(frozen=True, kw_only=True, config=STRICT)
class RankerTraining(TrainSettings):
    """Of a ranker.

    Attributes:
        ranker: `name` and its own settings.
        new_layers_learning_rate: the highest of the layers that are in no pre-trained transformer; None: the others'.
    """

    ranker: dict[str, Any]
    new_layers_learning_rate: float | None = None


@dataclass(frozen=True, config=STRICT)
class ScoreSettings:
    """How a teacher scores a training file's passages.

    Attributes:
        ranker: `name` and its own settings. query_length, passage_length: tokens that it reads.
        precision: that it computes in. threads: of the processor.
    """

    ranker: dict[str, Any]
    query_length: int
    passage_length: int
    precision: Precision
    threads: int
