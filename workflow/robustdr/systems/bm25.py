"""BM25 over a collection's words."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from robustdr.retrieval.settings import INDEX_FILES, BM25IndexSettings, BM25Settings
from robustdr.systems.kind import At, Kind, Need, Reads, Tree, memory

if TYPE_CHECKING:
    from robustdr.graph.plan import Plan


class BM25(Kind):
    """Untrained: what a recipe's own `bm25` does not say, the scale's does."""

    name = "bm25"
    keys: ClassVar[Tree] = {
        "bm25": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "k1": {"type": "number", "minimum": 0},
                "b": {"type": "number", "minimum": 0, "maximum": 1},
                "stopwords": {"type": ["string", "null"], "pattern": "^[a-z_]+$"},
                "stemmer": {"type": ["string", "null"], "pattern": "^[a-z_]+$"},
            },
        }
    }
    ranks = "robustdr.retrieval.bm25"

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> Any:
        return BM25Settings(**asdict(self.index(plan, system)), depth=depth)

    def index(self, plan: "Plan", system: str) -> BM25IndexSettings:
        return BM25IndexSettings(**{**plan.bound["bm25"], **plan.recipe(system).get("bm25", {})})

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        made = self.index(plan, system)
        folder = plan.index(at[0], made.name)
        return Reads({"index": [folder]}, [f"{folder}/{INDEX_FILES[0]}"], {"index": plan.index_key(at[0], made)})

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 120, cores=0)
