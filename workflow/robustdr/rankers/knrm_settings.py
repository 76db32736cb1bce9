"""The settings of KNRM."""

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.rankers.settings import WordSettings


@settings
class Settings(WordSettings):
    trained_kernels: bool = Field(default=True, description="whether μ and σ of the kernels are trained with the rest")
