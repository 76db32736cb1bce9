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


@settings
class CapotSettings(LossSettings):
    """Settings of CAPOT. The defaults of τ are the paper's for MS MARCO (Table 5); it gives neither ε nor ε_r."""

    tau_positive: float = Field(default=1.0, description="τ_positive of Eq. 1")
    tau_negative: float = Field(default=0.1, description="τ_negative of Eq. 1")
    tau_anchor: float = Field(default=2.0, description="τ_anchor of Eq. 4")
    tau_ranking: float = Field(default=1.0, description="τ_ranking of Eq. 4")
    margin: float = Field(default=1.0, description="ε of Eq. 1")
    margin_ranking: float = Field(default=0.0, description="ε_r of Eq. 3")
    variant: Literal["printed", "text", "released_sibling"] = Field(default="printed", description="reading of Eq. 3")
