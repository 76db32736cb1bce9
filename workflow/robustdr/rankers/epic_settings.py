"""The settings of EPIC."""

from robustdr.core.settings import settings
from robustdr.rankers.settings import TransformerSettings


@settings
class Settings(TransformerSettings):
    pass
