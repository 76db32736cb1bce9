"""BM25."""

from collections.abc import Sequence
from dataclasses import asdict, field
from typing import Any

from pydantic import NonNegativeFloat, with_config
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict  # Python's own comes with 3.12

from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph, Inputs, Kind, Lineage, Recipe, Split, memory
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import BM25IndexSettings, BM25Settings, Name, Share


@with_config(STRICT)
class Parameters(TypedDict, total=False):
    """Parameters that replace the scale's; null is a value."""

    k1: NonNegativeFloat
    b: Share
    stopwords: Name | None
    stemmer: Name | None


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """BM25."""

    bm25: Parameters = field(default_factory=Parameters)
    """Parameters that replace those of the scale's `bm25`."""


class BM25(Kind):
    """BM25; the recipe's `bm25` overrides the scale's."""

    ranks = "robustdr.retrieval.bm25"

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> Any:
        return BM25Settings(**asdict(self.index(graph.lineage, system)), depth=depth)

    def index(self, lineage: Lineage, system: str) -> BM25IndexSettings:
        return BM25IndexSettings(**{**vars(lineage.scale.bm25), **lineage.recipe(system).bm25})

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        return {"index": reads(graph.index(split[0], self.index(graph.lineage, system)))}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 120, cores=graph.threads)
