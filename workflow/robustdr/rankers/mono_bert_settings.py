"""The settings of monoBERT."""

from robustdr.core.settings import settings
from robustdr.rankers.settings import TransformerSettings


@settings
class Settings(TransformerSettings):
    initial = ("encoder", "cross_encoder")
