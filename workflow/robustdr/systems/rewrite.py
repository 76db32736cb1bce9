"""A query rewriter before another system, e.g. a spell checker."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal

from pydantic import PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph, Inputs, Kind, Lineage, Recipe, Split, kind_of
from robustdr.experiments.models import Config
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import RewriteSettings


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """A rewriter of queries."""

    rewriter: Literal["symspell"]
    """Method of rewriting."""
    edits: PositiveInt
    """Characters that a correction may change."""
    ranker: str
    """System that ranks the rewritten queries."""


class Rewrite(Kind):
    """Rewrites queries and ranks with the system `ranker`, with that system's seeds.

    On a split that has a scale's `corrected` queries these are ranked, and the rewriter is not asked.
    """

    ranks = "robustdr.retrieval.rewrite"
    corrects = True

    def systems_named_by(self, recipe: Settings) -> dict[str, str]:
        return {"ranker": recipe.ranker}

    def modules(self, lineage: Lineage, system: str) -> list[str]:
        ranker = lineage.recipe(system).ranker
        return [lineage.kind(ranker).ranks, *lineage.kind(ranker).modules(lineage, ranker)]

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> RewriteSettings:
        recipe: Settings = graph.lineage.recipe(system)
        kind = graph.lineage.kind(recipe.ranker)
        ranker_settings = asdict(kind.ranking(graph, recipe.ranker, collection, depth))
        return RewriteSettings(recipe.rewriter, recipe.edits, kind.ranks, ranker_settings)

    def depth(self, config: Config, scale: str, system: str) -> int:
        ranker = config.systems[system].ranker
        return kind_of(config.systems[ranker]).depth(config, scale, ranker)

    def candidates(
        self, lineage: Lineage, system: str, split: Split, variations: Sequence[str]
    ) -> dict[str, list[str]]:
        ranker = lineage.recipe(system).ranker
        return lineage.kind(ranker).candidates(lineage, ranker, split, variations)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        ranker = graph.lineage.recipe(system).ranker
        its_seed = graph.lineage.seed_of(ranker, seed)
        ranker_inputs = graph.lineage.kind(ranker).reads(graph, ranker, its_seed, split, variations)
        return {**ranker_inputs, "corrected": reads(*graph.corrected(split, variations))}

    def mentions(self, graph: Graph, system: str, seed: int, split: Split) -> dict[str, list[str]]:
        ranker = graph.lineage.recipe(system).ranker
        return graph.lineage.kind(ranker).mentions(graph, ranker, graph.lineage.seed_of(ranker, seed), split)

    def need(self, graph: Graph, system: str, split: str) -> Need:
        ranker = graph.lineage.recipe(system).ranker
        return graph.lineage.kind(ranker).need(graph, ranker, split)
