"""A query rewriter in front of another system, such as a spell checker."""

from dataclasses import asdict
from typing import TYPE_CHECKING, ClassVar

from robustdr.retrieval.settings import RewriteSettings
from robustdr.systems.kind import At, Kind, Need, Reads, Tree, kind_of

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure


class Rewrite(Kind):
    """Ranks as the system that it stands in front of, `ranker`, does; that one's seeds are its own."""

    name = "rewrite"
    keys: ClassVar[Tree] = {
        "rewriter": {"enum": ["symspell"]},
        "edits": {"type": "integer", "minimum": 1},
        "ranker": {"type": "string"},
    }
    rules: ClassVar[Tree] = {"required": ["label", *keys]}
    ranks = "robustdr.retrieval.rewrite"

    def named(self, recipe: Tree) -> dict[str, str]:
        return {"ranker": recipe["ranker"]}

    def modules(self, structure: "Structure", system: str) -> list[str]:
        (ranker,) = self.parents(structure, system)
        kind = structure.kind(ranker)
        return [kind.ranks, *kind.modules(structure, ranker)]

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> RewriteSettings:
        (ranker,) = self.parents(plan, system)
        recipe, kind = plan.recipe(system), plan.kind(ranker)
        told = asdict(kind.settings(plan, ranker, collection, depth))
        return RewriteSettings(recipe["rewriter"], recipe["edits"], kind.ranks, told)

    def depth(self, config: "Config", scale: str, system: str) -> int:
        ranker = config.systems[system]["ranker"]
        return kind_of(config.systems[ranker]).depth(config, scale, ranker)

    def candidates(self, structure: "Structure", system: str, at: At, kinds: list[str]) -> dict[str, list[str]]:
        (ranker,) = self.parents(structure, system)
        return structure.kind(ranker).candidates(structure, ranker, at, kinds)

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        (ranker,) = self.parents(plan, system)
        return plan.kind(ranker).reads(plan, ranker, plan.seed_of(ranker, seed), at, kinds)

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        (ranker,) = self.parents(plan, system)
        return plan.kind(ranker).need(plan, ranker, split)
