"""The settings of intent's reranker."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.rankers.settings import TransformerSettings

LAYER = "query_layer.safetensors"


@settings
class Settings(TransformerSettings):
    files = (*TransformerSettings.files, LAYER)
    represents = True

    reads: Literal["pair", "query"] = Field(
        default="pair", description="beside the query, its positive passage (`pair`) or nothing (`query`)"
    )
