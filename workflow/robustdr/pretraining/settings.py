"""Settings of pre-training."""

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
    """Tokens that the head scores: `all`, or only those of the `corpus`, which costs less."""
    frozen_steps: NonNegativeInt = 0
    """Number of first steps that train only head and decoder. The encoder is frozen, because an untrained decoder would
    give it random gradients."""
    frozen_learning_rate: PositiveFloat = 1e-3
    """Highest learning rate of those steps."""
    workers: NonNegativeInt = field(default=0, metadata=UNSEEN)
    """Processes that prepare batches; 0: the training process does it. It does not change the result."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Masking:
    """What a pre-training masks and misspells, and what encoder and decoder must recover; ToRoDer's defaults."""

    mask: Share = 0.3
    """Share of a passage's word pieces that the encoder must recover; whole words are masked."""
    typo: Share = 0.3
    """Share of the words that are misspelled for the encoder."""
    typos: Literal["nominal", "effective"] = "nominal"
    """`nominal`: each word is drawn with that probability, but short words and stopwords are not changed (as released).
    `effective`: that share of all words is misspelled, if enough words can be (as in the paper). The log says which
    share was reached."""
    recover: bool = False
    """Whether the encoder must recover misspelled words too."""
    bottleneck: bool = True
    """Whether a decoder must recover the passage from its vector."""
    decoder_mask: Share = 0.5
    """Smallest share of a passage's tokens that the decoder must recover, misspelled and masked words first."""
    decoder_layers: PositiveInt = 2
    """Decoder layers, copied from the encoder's last layers."""
    variant: Literal["released", "paper"] = "paper"
    """`paper`: the decoder has copies of the encoder's embeddings and head; `released`: it shares them."""


OF_THE_DECODER = ("decoder_mask", "decoder_layers", "variant")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingRecipe(Masking):
    """Pre-training of a checkpoint on a corpus, without queries."""

    label: str
    """Name that readers see."""
    initial: str
    """Checkpoint of the scale to start from."""
    collection: str
    """Role of the collection whose passages it is trained on."""
    budget: str
    """Name of one of the scale's `pretraining` budgets."""

    def settings(self) -> dict[str, Any]:
        """The settings of `Masking`, by key."""
        return {key.name: getattr(self, key.name) for key in fields(Masking)}

    def decisive_settings(self) -> dict[str, Any]:
        """Return the `settings` that decide anything: those of a decoder and of typos only where there are such."""
        unread = {*(() if self.bottleneck else OF_THE_DECODER), *(() if self.typo else ("typos",))}
        return {key: value for key, value in self.settings().items() if key not in unread}


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingSettings(LoopSettings, PretrainingBudget, Masking):
    """Settings of one pre-training."""

    head: CheckpointSource | None = None
    """Source of the initial checkpoint if it has a head, which the encoder left out; None: a new head."""
