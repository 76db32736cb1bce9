"""BM25 with pseudo-relevance feedback."""

from typing import Annotated, Literal

from pydantic import Field, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph
from robustdr.retrieval.settings import RM3Settings
from robustdr.systems import bm25


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(bm25.Settings):
    """RM3."""

    variant: Literal["terrier", "anserini"]
    """Toolkit whose formulas are used."""
    terms: PositiveInt
    """Words that feedback adds."""
    documents: PositiveInt
    """Passages that feedback reads."""
    original_weight: Annotated[float, Field(ge=0, le=1)]
    """Weight of the query's own words."""


class RM3(bm25.BM25):
    """BM25 with feedback, by the formulas of a toolkit."""

    ranks = "robustdr.retrieval.rm3"

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> RM3Settings:
        recipe: Settings = graph.lineage.recipe(system)
        searched = super().ranking(graph, system, collection, max(depth, recipe.documents))
        return RM3Settings(searched, recipe.variant, recipe.terms, recipe.documents, recipe.original_weight)
