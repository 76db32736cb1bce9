"""Late interaction, e.g. ColBERT."""

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT
from robustdr.systems.whole import Whole, WholeRecipe


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(WholeRecipe):
    """A late-interaction model."""


class LateInteraction(Whole):
    """A text is a vector of every token; all passages are ranked by MaxSim."""

    model = "MultiVectorEncoder"
