"""The settings of DRMM."""

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.rankers.settings import WordSettings


@settings
class Settings(WordSettings):
    counts = True

    bins: int = Field(default=11, description="of the histogram")
    hidden: int = Field(default=5, description="units of the hidden layer")
