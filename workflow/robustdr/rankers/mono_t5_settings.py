"""The settings of monoT5."""

from robustdr.core.settings import settings
from robustdr.rankers.settings import RankerSettings


@settings
class Settings(RankerSettings):
    initial = ("seq2seq",)
    files = (
        "model.safetensors",
        "config.json",
        "generation_config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "ranker.json",
        "README.md",
    )
