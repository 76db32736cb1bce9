"""Settings of the stage that writes checkpoints."""

from dataclasses import field
from typing import Literal, NotRequired

from pydantic import with_config
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict  # Python's own comes with 3.12

from robustdr.core.settings import STRICT, UNSEEN


@with_config(STRICT)
class CheckpointSource(TypedDict):
    """Where a checkpoint comes from: `package` with `path`, or `path`, or `hub` with `revision`.

    `sha256` is that of the weights.
    """

    package: NotRequired[str]
    path: NotRequired[str]
    hub: NotRequired[str]
    revision: NotRequired[str]
    sha256: NotRequired[str]


@dataclass(frozen=True, config=STRICT)
class CheckpointSettings:
    """A checkpoint of a scale.

    Attributes:
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
    source: CheckpointSource
    pooling: Literal["cls", "mean"] | None = None
    layers: list[int] | None = None
    drop: list[str] = field(default_factory=list)
    form: Literal["encoder", "character", "whole", "static", "seq2seq"] = "encoder"
    words: int | None = None
    hashed: int = 1000
    fitted: int | None = None
    filters: list[int] = field(default_factory=lambda: [32, 32, 64, 128, 256, 512, 1024])
