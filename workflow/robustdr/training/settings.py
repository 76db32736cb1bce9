"""Settings of the training stages."""

from dataclasses import field
from typing import Annotated, Literal, TypedDict

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import LATER, STRICT, UNSEEN, Named, Precision

Tokens = Annotated[int, Field(ge=3)]


@dataclass(frozen=True, config=STRICT)
class TrainingDataSettings:
    """How to make the training file of a recipe."""

    assign: Literal["one", "all", "together"]
    """`one`: each query has one variation, and all variations are equally frequent; `all`: each query has every
    variation that changes it, one per epoch in turn; `together`: each query has all variations at once."""
    depth: PositiveInt | None = None
    """Ranks from which hard negatives are drawn; None if training is on queries only."""
    keep: PositiveInt | None = None
    """Hard negatives kept per query; None if training is on queries only."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Schedule:
    """The part of a budget that every training has, also pre-training."""

    learning_rate: PositiveFloat
    """Highest learning rate; it rises from 0 in the warm-up."""
    decay: bool = field(default=True, metadata=LATER)
    """Whether the learning rate falls to 0 after the warm-up; if not, it stays."""
    epochs: PositiveFloat
    """Passes over the training examples; may be a fraction."""
    batch_size: PositiveInt
    """Examples on each device."""
    devices: PositiveInt
    """Processes, one per GPU."""
    warmup: Annotated[float, Field(ge=0, le=1)]
    """Share of the steps in which the learning rate rises."""
    weight_decay: NonNegativeFloat
    """Weight decay of AdamW, on matrices only: biases and layer norms do not decay."""
    max_gradient_norm: PositiveFloat | None
    """Largest norm of the gradients of all parameters together. Larger gradients are scaled down to it. null: none."""
    dropout: Annotated[float, Field(ge=0, lt=1)]
    """Probability of dropout in every layer."""
    freeze_word_embeddings: bool
    """Whether word embeddings are not trained."""
    checkpoint_every: PositiveInt = field(metadata=UNSEEN)
    """Steps between two checkpoints; an interrupted training continues from the last one."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Budget(Schedule):
    """How long and how fast a system is trained on queries."""

    negatives: PositiveInt
    """Hard negatives per query and step."""
    query_length: Tokens
    """Tokens kept of a query."""
    passage_length: Tokens
    """Tokens kept of a passage."""
    gradient_cache: Annotated[int, Field(ge=64)] | None = None
    """Number of tokens that are encoded at once. So memory does not grow with the batch; the loss still sees the whole
    batch."""
    temperature: PositiveFloat | None = None
    """The dot products that a loss reads are divided by it; default 1. Use 0.05 for models whose
    vectors have length 1."""
    new_layers_learning_rate: PositiveFloat | None = None
    """Highest learning rate of a ranker's layers outside the pre-trained transformer, such as a head."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LoopSettings(Schedule):
    """Settings of one training, also of a pre-training."""

    system: str
    """Name of the system in training."""
    precision: Precision
    """Number type of the model's computations."""
    threads: PositiveInt
    """Processor threads."""


class Cost(TypedDict):
    """What a training took; `seconds` is wall time."""

    seconds: float
    peak_memory_mb: float
    device: str
    processes: int


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainSettings(LoopSettings, Budget):
    """Settings of a training on queries, for any kind of system."""

    loss: Named
    """`name` of the loss, and its own settings."""
    augmentation: Annotated[float, Field(ge=0, le=1)]
    """Share of the queries that a variation replaces, drawn again in every epoch."""
    gradient_cache: PositiveInt | None = None
    """As in a budget, but of any size."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DenseTraining(TrainSettings):
    """Settings of the training of a dual encoder."""

    encoders: Literal["shared", "separate"]
    """`shared`: one encoder; `separate`: one for queries and one for passages."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class RankerTraining(TrainSettings):
    """Settings of the training of a ranker."""

    ranker: Named
    """`name` of the ranker, and its own settings."""


@dataclass(frozen=True, config=STRICT)
class ScoreSettings:
    """How a teacher scores the passages of a training file."""

    ranker: Named
    """`name` of the ranker, and its own settings."""
    query_length: Tokens
    """Tokens kept of a query."""
    passage_length: Tokens
    """Tokens kept of a passage."""
    precision: Precision
    """Number type of the ranker's computations."""
    threads: PositiveInt
    """Processor threads."""
