"""What pre-training is told."""

from dataclasses import field
from typing import Literal

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, UNSEEN
from robustdr.encoding.settings import CheckpointSource
from robustdr.training.settings import LoopSettings


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PretrainingSettings(LoopSettings):
    """Of one pre-training.

    Attributes:
        mask: share of a passage's tokens that the encoder must recover.
        typo: ratio of its words that are misspelled for the encoder. typos: `nominal`: each word is drawn with that
            probability, and stays as it is where it is too short or a stopword (as released); `effective`: that share
            of the words is misspelled, as far as there are words that can be (as the paper has it).
        recover: whether the encoder too must recover the words that are misspelled.
        bottleneck: whether there is a decoder, which reads the passage's vector.
        decoder_mask: the least share of a passage's tokens that the decoder must recover.
        decoder_layers: copied from the encoder's last ones.
        variant: `released`: decoder and encoder share embeddings and head; `paper`: the decoder has copies of them.
        vocabulary: the tokens that the head tells apart: `all`, or those that occur in the `corpus`.
        head: the source of the checkpoint, where that has a head of its own that the encoder left out; None: a new one.
        length: tokens of a passage.
        frozen_steps: steps before all others that fit head and decoder, the encoder as it is. frozen_learning_rate: the
            highest then.
        workers: processes that prepare batches; 0: the one that trains.
    """

    mask: float = 0.3
    typo: float = 0.3
    typos: Literal["nominal", "effective"] = "nominal"
    recover: bool = False
    bottleneck: bool = True
    decoder_mask: float = 0.5
    decoder_layers: int = 2
    variant: Literal["released", "paper"] = "paper"
    vocabulary: Literal["corpus", "all"] = "all"
    head: CheckpointSource | None = None
    length: int
    frozen_steps: int = 0
    frozen_learning_rate: float = 1e-3
    workers: int = field(default=0, metadata=UNSEEN)
