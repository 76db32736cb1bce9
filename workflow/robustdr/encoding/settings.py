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
        pooling: of an encoder, which needs one.
        layers: the transformer layers to keep; None for all.
        drop: parts of the source that are left out, see `checkpoint.check_whole`.
        form: what it is, see `directory.FORMS`.
    """

    name: str
    description: str = field(metadata=UNSEEN)
    source: dict[str, Any]
    pooling: Literal["cls", "mean"] | None = None
    layers: list[int] | None = None
    drop: list[str] = field(default_factory=list)
    form: Literal["encoder", "static", "seq2seq"] = "encoder"
