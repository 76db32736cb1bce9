"""A hybrid: the rankings of several systems, fused by reciprocal ranks."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, NonNegativeInt
from pydantic.dataclasses import dataclass

from robustdr.core.names import Names
from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph, Inputs, Kind, Lineage, Recipe, Split, memory
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import FusionSettings


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """A hybrid of several systems."""

    systems: Annotated[Names, Field(min_length=2)]
    """Systems whose rankings are fused."""
    k: NonNegativeInt
    """Constant added to each rank."""


class Fusion(Kind):
    """Fuses the rankings of its systems."""

    ranks = "robustdr.retrieval.fusion"

    def systems_named_by(self, recipe: Settings) -> dict[str, str]:
        return {f"systems.{number}": system for number, system in enumerate(recipe.systems)}

    def candidates(
        self, lineage: Lineage, system: str, split: Split, variations: Sequence[str]
    ) -> dict[str, list[str]]:
        return {parent: [*variations] for parent in self.parents(lineage, system)}

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> FusionSettings:
        return FusionSettings(graph.lineage.recipe(system).k, depth)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        fused = [(parent, graph.lineage.seed_of(parent, seed)) for parent in self.parents(graph.lineage, system)]
        return {
            "candidates": reads(
                *(graph.run(*system_seed, split, variation) for system_seed in fused for variation in variations)
            )
        }

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 60)
