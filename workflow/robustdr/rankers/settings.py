"""The bases of the settings of rankers."""

from typing import ClassVar

from robustdr.core.settings import settings


@settings
class RankerSettings:
    """Settings of a ranker, all with a default; a recipe may give them beside its name.

    Attributes:
        initial: forms of the checkpoints that the ranker can start from; see `encoding.settings.Checkpoint.form`.
        files: the files of its own directory.
        counts: whether it must `count` the words of the passages that it ranks.
        represents: whether it can `represent` queries by vectors, besides its scores.
    """

    initial: ClassVar[tuple[str, ...]]
    files: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool] = False
    represents: ClassVar[bool] = False


@settings
class WordSettings(RankerSettings):
    """Settings of a ranker over word vectors."""

    initial = ("static",)
    files = ("ranker.json", "model.safetensors", "tokenizer.json", "README.md")


@settings
class TransformerSettings(RankerSettings):
    """Settings of a ranker that starts from a dual encoder's transformer."""

    initial: ClassVar[tuple[str, ...]] = ("encoder",)
    files: ClassVar[tuple[str, ...]] = (
        "model.safetensors",
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "ranker.json",
        "README.md",
    )
