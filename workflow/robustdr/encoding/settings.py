"""Settings of the stage that writes checkpoints."""

from dataclasses import field
from typing import Any, Literal

from pydantic.dataclasses import dataclass

from robustdr.settings import STRICT, UNSEEN


@dataclass(frozen=True, config=STRICT)
class CheckpointSettings:
    """A checkpoint of a scale.

    Attributes:
        source: where it comes from: `package` with `path`, or `path`, or `hub` with `revision`; optionally `sha256` of
            the weights.
        pooling: of an encoder, which needs one; of a directory that is taken whole, its own is.
        layers: the transformer layers to keep; None for all.
        drop: parts of the source that are left out, see `checkpoint.check_whole`.
        form: what it is, see `directory.FORMS`.
        words: how many of the most frequent words of static vectors are kept; None for all.
        hashed: random vectors that words without one share.
        fitted: of a CharacterBERT made from a BERT, how many words its character part is fitted to; None where the
            source holds the released weights. filters: its filters of width 1, 2, …
    """

    name: str
    description: str = field(metadata=UNSEEN)
    source: dict[str, Any]
    pooling: Literal["cls", "mean"] | None = None
    layers: list[int] | None = None
    drop: list[str] = field(default_factory=list)
    form: Literal["encoder", "character", "whole", "static", "seq2seq"] = "encoder"
    words: int | None = None
    hashed: int = 1000
    fitted: int | None = None
    filters: list[int] = field(default_factory=lambda: [32, 32, 64, 128, 256, 512, 1024])
