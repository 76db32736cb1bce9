"""BM25 over a collection's words."""

from typing import TYPE_CHECKING, Any, ClassVar

from robustdr.retrieval.settings import BM25Settings
from robustdr.systems.kind import Kind, Need, Tree, memory

if TYPE_CHECKING:
    from robustdr.plan import Plan


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
                "stopwords": {"type": ["string", "null"]},
                "stemmer": {"type": ["string", "null"]},
            },
        }
    }
    ranks = "robustdr.retrieval.bm25"

    def settings(self, plan: "Plan", system: str, collection: str) -> Any:
        return self.searched(plan, system)

    def searched(self, plan: "Plan", system: str) -> BM25Settings:
        parameters = {**plan.bound["bm25"], **plan.recipe(system).get("bm25", {})}
        return BM25Settings(**parameters, depth=plan.bound["retrieval"]["depth"])

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        slow = split == "train" and "miniature" not in plan.bound  # all passages are scored for every query
        return Need(memory(plan), 480 if slow else 240, cores=0)
