"""A hybrid: the rankings of several systems, fused by reciprocal ranks."""

from typing import TYPE_CHECKING, ClassVar

from robustdr.retrieval.settings import FusionSettings
from robustdr.systems.kind import At, Kind, Need, Reads, Tree, memory

if TYPE_CHECKING:
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure


class Fusion(Kind):
    """Ranks what any of its `systems` ranks."""

    name = "fusion"
    keys: ClassVar[Tree] = {
        "systems": {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True},
        "k": {"type": "integer", "minimum": 0},
    }
    rules: ClassVar[Tree] = {"required": ["label", *keys]}
    ranks = "robustdr.retrieval.fusion"

    def named(self, recipe: Tree) -> dict[str, str]:
        return {f"systems.{number}": system for number, system in enumerate(recipe["systems"])}

    def candidates(self, structure: "Structure", system: str, at: At, kinds: list[str]) -> dict[str, list[str]]:
        return dict.fromkeys(self.parents(structure, system), kinds)

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> FusionSettings:
        return FusionSettings(plan.recipe(system)["k"], depth)

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        fused = [(parent, plan.seed_of(parent, seed)) for parent in self.parents(plan, system)]
        runs = [plan.run(*of, *at, kind) for of in fused for kind in kinds]
        keys = [plan.run_key(*of, *at, kind) for of in fused for kind in kinds]
        return Reads({"candidates": runs}, runs, {"candidates": keys})

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 60)
