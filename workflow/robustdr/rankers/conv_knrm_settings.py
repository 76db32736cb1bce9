"""The settings of Conv-KNRM."""

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.rankers.settings import WordSettings


@settings
class Settings(WordSettings):
    filters: int = Field(default=128, description="dimensions of an n-gram's vector")
    trained_kernels: bool = Field(
        default=True,
        description="whether μ and σ of the kernels are trained; all pairs of lengths share them",
    )
