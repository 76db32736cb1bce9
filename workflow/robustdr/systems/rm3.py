"""BM25 with pseudo-relevance feedback."""

from typing import TYPE_CHECKING, ClassVar

from robustdr.retrieval.settings import RM3Settings
from robustdr.systems.bm25 import BM25
from robustdr.systems.kind import Tree

if TYPE_CHECKING:
    from robustdr.graph.plan import Plan


FEEDBACK: Tree = {
    "variant": {"enum": ["terrier", "anserini"]},
    "terms": {"type": "integer", "minimum": 1},
    "documents": {"type": "integer", "minimum": 1},
    "original_weight": {"type": "number", "minimum": 0, "maximum": 1},
}


class RM3(BM25):
    """On the scale's `bm25`; the defaults are those of each toolkit's variant."""

    name = "rm3"
    keys: ClassVar[Tree] = {**BM25.keys, **FEEDBACK}
    rules: ClassVar[Tree] = {"required": ["label", *FEEDBACK]}
    ranks = "robustdr.retrieval.rm3"

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> RM3Settings:
        feedback = {key: plan.recipe(system)[key] for key in FEEDBACK}
        searched = super().settings(plan, system, collection, max(depth, feedback["documents"]))
        return RM3Settings(searched, **feedback)
