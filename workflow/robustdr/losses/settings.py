"""The bases of the settings of losses."""

from typing import ClassVar, Literal

from pydantic import Field

from robustdr.core.settings import settings


class LossSettings:
    """Settings of a loss, all with a default.

    Attributes:
        needs: the fields of `Batch` that the loss reads.
    """

    needs: ClassVar[tuple[str, ...]]

    @property
    def reads(self) -> set[str]:
        """The fields of `Batch` that the loss reads with these settings."""
        return set(self.needs)


@settings
class OneSided(LossSettings):
    """Settings of a loss that trains either on the original query or on its variation."""

    queries: Literal["query", "variation"] = Field(
        default="query", description="what it trains on: `query` (original) or `variation`"
    )

    @property
    def reads(self) -> set[str]:
        return {*super().reads, self.queries}
