"""A sparse encoder, e.g. SPLADE."""

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT
from robustdr.systems.whole import Whole, WholeRecipe


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(WholeRecipe):
    """A sparse encoder."""


class Sparse(Whole):
    """A text is weights of words; the passages that share words with a query are ranked by dot products."""

    model = "SparseEncoder"
