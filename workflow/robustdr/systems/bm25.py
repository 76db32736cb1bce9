"""BM25 over a collection's words."""

from typing import TYPE_CHECKING, Any

from robustdr.retrieval.settings import BM25Settings
from robustdr.systems.kind import Kind, Need, memory

if TYPE_CHECKING:
    from robustdr.plan import Plan


class BM25(Kind):
    """Untrained: a recipe says no more than the kind, the scale's `bm25` the rest."""

    name = "bm25"
    ranks = "robustdr.retrieval.bm25"

    def settings(self, plan: "Plan", system: str, collection: str) -> Any:
        return BM25Settings(**plan.bound["bm25"], depth=plan.bound["retrieval"]["depth"])

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        slow = split == "train" and "miniature" not in plan.bound  # one core scores all passages for every query
        return Need(memory(plan, split), 2400 if slow else 240)
