"""What pre-training is told."""

from dataclasses import field, fields
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, UNSEEN
from robustdr.encoding.settings import CheckpointSource
from robustdr.training.settings import LoopSettings, Schedule, Tokens

Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingBudget(Schedule):
    """How long and how fast a checkpoint is pre-trained."""

    length: Tokens
    """Tokens kept of a passage."""
    vocabulary: Literal["corpus", "all"] = "all"
    """Tokens that the head tells apart: `all`, or those that occur in the `corpus`, which costs less."""
    frozen_steps: NonNegativeInt = 0
    """Steps before all others that train head and decoder alone, with the encoder as it is: checkpoints of retrievers
    come without a head, and a decoder that recovers nothing teaches the encoder noise."""
    frozen_learning_rate: PositiveFloat = 1e-3
    """Highest learning rate of those steps."""
    workers: NonNegativeInt = field(default=0, metadata=UNSEEN)
    """Processes that prepare batches; 0: the process that trains. The number changes no byte."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Masking:
    """What a pre-training hides and misspells, and what must recover it; the defaults are those of ToRoDer."""

    mask: Share = 0.3
    """Share of a passage's word pieces that the encoder must recover; whole words are masked."""
    typo: Share = 0.3
    """Share of the words that are misspelled for the encoder."""
    typos: Literal["nominal", "effective"] = "nominal"
    """`nominal`: each word is drawn with that probability, and stays as it is where it is too short or a stopword (as
    released); `effective`: that share of the words is misspelled, as far as there are words that can be (as the paper
    says). The log has the share that was reached."""
    recover: bool = False
    """Whether the encoder must recover misspelled words too."""
    bottleneck: bool = True
    """Whether a decoder must recover the passage from its vector."""
    decoder_mask: Share = 0.5
    """Smallest share of a passage's tokens that the decoder must recover, misspelled and masked words first."""
    decoder_layers: PositiveInt = 2
    """Decoder layers; they are copied from the encoder's last ones."""
    variant: Literal["released", "paper"] = "paper"
    """`paper`: the decoder has copies of the encoder's embeddings and head; `released`: it shares them."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingRecipe(Masking):
    """A checkpoint and a corpus without queries become a checkpoint."""

    label: str
    """Name for people."""
    initial: str
    """Checkpoint of the scale to start from."""
    collection: str
    """Role of the collection whose passages it learns from."""
    budget: str
    """Name of one of the scale's `pretraining` budgets."""

    def settings(self) -> dict[str, Any]:
        """The keys that reach the stage."""
        return {key.name: getattr(self, key.name) for key in fields(Masking)}


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingSettings(LoopSettings, PretrainingBudget, Masking):
    """Of one pre-training."""

    head: CheckpointSource | None = None
    """Source of the checkpoint, where that has a head of its own that the encoder left out; None: a new head."""
