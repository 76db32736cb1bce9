"""What the stages of training are told."""

from dataclasses import field
from typing import Annotated, Literal, TypedDict

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, UNSEEN, Named, Precision

Tokens = Annotated[int, Field(ge=3)]


@dataclass(frozen=True, config=STRICT)
class TrainingDataSettings:
    """How the training file of a recipe is made."""

    assign: Literal["one", "all", "together"]
    """`one`: each query has one variation, and all variations are equally frequent; `all`: each query has, in turn,
    every variation that changes it; `together`: each query has all of them at once."""
    depth: PositiveInt | None = None
    """Ranks that hard negatives are drawn from; None where training is on queries alone."""
    keep: PositiveInt | None = None
    """Hard negatives kept per query; None where training is on queries alone."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Schedule:
    """The part of a budget that every training has, whatever it learns from."""

    learning_rate: PositiveFloat
    """Highest learning rate; it rises in the warm-up and falls to 0 after it."""
    epochs: PositiveFloat
    """Passes over the training examples; may be a fraction."""
    batch_size: PositiveInt
    """Examples on each device."""
    devices: PositiveInt
    """Processes, one per GPU."""
    warmup: Annotated[float, Field(ge=0, le=1)]
    """Share of the steps in which the learning rate rises."""
    weight_decay: NonNegativeFloat
    """Of AdamW, on matrices alone: biases and layer norms are exempt."""
    max_gradient_norm: PositiveFloat
    """Gradients of a larger norm, taken over all parameters, are scaled down to it."""
    dropout: Annotated[float, Field(ge=0, lt=1)]
    """Probability of dropout in every layer."""
    freeze_word_embeddings: bool
    """Whether word embeddings stay as they are."""
    checkpoint_every: PositiveInt = field(metadata=UNSEEN)
    """Steps between two checkpoints, from which an interrupted training continues."""


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
    """Tokens that go through the encoder at once: the loss sees the whole batch, and memory does not grow with it."""
    temperature: PositiveFloat | None = None
    """A loss gets dot products divided by it (1 if not given); 0.05 for models whose vectors have length 1."""
    new_layers_learning_rate: PositiveFloat | None = None
    """Highest learning rate of a ranker's layers that no pre-trained transformer has, such as a head."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LoopSettings(Schedule):
    """Of one training, whatever it learns from."""

    system: str
    """Name of the system that is trained."""
    precision: Precision
    """Number type that the model computes in."""
    threads: PositiveInt
    """Processor threads."""


class Cost(TypedDict):
    """What a training took: the file cost.json of its model."""

    seconds: float
    peak_memory_mb: float
    device: str
    processes: int


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TrainSettings(LoopSettings, Budget):
    """Of a training on queries, whatever the kind of system."""

    loss: Named
    """`name` of the loss, and its own settings."""
    augmentation: Annotated[float, Field(ge=0, le=1)]
    """Share of the queries that are replaced by a variation, drawn anew in every epoch."""
    gradient_cache: PositiveInt | None = None
    """As in a budget, but of any size."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DenseTraining(TrainSettings):
    """Of a dual encoder."""

    encoders: Literal["shared", "separate"]
    """`shared`: one encoder; `separate`: one for queries and one for passages."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class RankerTraining(TrainSettings):
    """Of a ranker."""

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
    """Number type that the ranker computes in."""
    threads: PositiveInt
    """Processor threads."""
