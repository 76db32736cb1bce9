"""BM25 with pseudo-relevance feedback."""

from typing import TYPE_CHECKING, ClassVar

from robustdr.retrieval.settings import BM25Settings, RM3Settings
from robustdr.systems.bm25 import BM25
from robustdr.systems.kind import Tree

if TYPE_CHECKING:
    from robustdr.plan import Plan


class RM3(BM25):
    """On the scale's `bm25`; the defaults are those of each toolkit's variant."""

    name = "rm3"
    keys: ClassVar[Tree] = {
        "variant": {"enum": ["terrier", "anserini"]},
        "terms": {"type": "integer", "minimum": 1},
        "documents": {"type": "integer", "minimum": 1},
        "original_weight": {"type": "number", "minimum": 0, "maximum": 1},
    }
    rules: ClassVar[Tree] = {"required": ["label", *keys]}
    ranks = "robustdr.retrieval.rm3"

    def settings(self, plan: "Plan", system: str, collection: str) -> RM3Settings:
        recipe = plan.recipe(system)
        searched = BM25Settings(**plan.bound["bm25"], depth=plan.bound["retrieval"]["depth"])
        return RM3Settings(searched, **{key: recipe[key] for key in self.keys})
