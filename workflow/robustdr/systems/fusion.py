"""A hybrid: the rankings of several systems, fused by ranx."""

from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Literal, get_args

from pydantic import Field
from pydantic.dataclasses import dataclass

from robustdr.core.names import Names
from robustdr.core.settings import STRICT
from robustdr.core.validation import wrong
from robustdr.experiments.kinds import Graph, Inputs, Kind, Lineage, Recipe, Split, memory
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import FusionSettings

RankMethod = Literal[
    "rrf", "rbc", "isr", "log_isr", "logn_isr", "bordafuse", "w_bordafuse", "condorcet", "w_condorcet"
]  # fmt: skip
ScoreMethod = Literal["sum", "wsum", "min", "max", "med", "anz", "mnz", "gmnz"]
PARAMETERS = {  # the one that a method needs, if any, by its name in ranx
    "rrf": "k", "rbc": "phi", "logn_isr": "sigma", "gmnz": "gamma",
    "w_bordafuse": "weights", "w_condorcet": "weights", "wsum": "weights",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """A hybrid of several systems."""

    systems: Annotated[Names, Field(min_length=2)]
    """Systems whose rankings are fused."""
    method: RankMethod | ScoreMethod
    """Method of ranx. The first nine look at ranks alone, the others at scores. `rrf` is reciprocal rank fusion."""
    normalization: Literal["min-max", "max", "sum", "zmuv", "rank", "borda"] | None = None
    """How the scores of each system are normalised, by ranx; needed by a method that looks at scores."""
    parameters: dict[str, float | list[float]] = field(default_factory=dict)
    """Of the method: `k` of `rrf` (60 in its paper), `phi` of `rbc`, `sigma` of `logn_isr`, `gamma` of `gmnz`; and
    `weights` of `wsum`, `w_bordafuse` and `w_condorcet`, one for each system."""

    def __post_init__(self) -> None:
        if (self.normalization is not None) != (self.method in get_args(ScoreMethod)):
            change = "needed by" if self.normalization is None else "not allowed with"
            raise wrong("normalization", f"{change} the method {self.method!r}")
        needed = PARAMETERS.get(self.method)
        if [*self.parameters] != ([needed] if needed else []):
            names = ", ".join(self.parameters) or "none"
            raise wrong("parameters", f"{names}; the method {self.method!r} has {needed or 'none'}")
        for name, value in self.parameters.items():
            if isinstance(value, list) != (name == "weights"):
                raise wrong(f"parameters.{name}", f"{value}; allowed: {'a list' if name == 'weights' else 'a number'}")
            if isinstance(value, list) and len(value) != len(self.systems):
                raise wrong("parameters.weights", f"{len(value)} for {len(self.systems)} systems")


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
        recipe = graph.lineage.recipe(system)
        return FusionSettings(recipe.method, recipe.normalization, recipe.parameters, depth)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        fused = [(parent, graph.lineage.seed_of(parent, seed)) for parent in self.parents(graph.lineage, system)]
        return {
            "candidates": reads(
                *(graph.run(*system_seed, split, variation) for system_seed in fused for variation in variations)
            )
        }

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 60)
