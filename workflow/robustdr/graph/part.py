"""The base of all parts of the job graph: a scale's systems, what papers need of it, and shared settings."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from robustdr.core.processor import native
from robustdr.experiments.kinds import Split
from robustdr.graph.demand import Demand
from robustdr.graph.lineage import Lineage
from robustdr.keys.node import Node
from robustdr.keys.provenance import Code
from robustdr.retrieval.settings import BM25IndexSettings


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the graph of one scale. Each method returns the node of one artifact, and always the same node.

    Each part stands on the ones before: collections, query sets, models, retrieval, evaluation. Methods that raise
    `NotImplementedError` are what an earlier part needs of a later one.
    """

    lineage: Lineage
    demand: Demand

    @property
    def root(self) -> str:
        """The folder of this scale's results."""
        name = self.lineage.scale_name
        return "results" if name == "full" else f"results/{name}"

    @property
    def threads(self) -> int:
        return self.lineage.scale.threads

    @cached_property
    def computing(self) -> dict[str, Any]:
        """Settings of model computation: `precision` and `threads`."""
        precision = self.lineage.scale.precision
        return {"precision": native() if precision == "auto" else precision, "threads": self.threads}

    def sized(self, miniature: int, full: int) -> int:
        """Return an amount of memory or time: `miniature` at a scale of stand-ins, else `full`."""
        return miniature if self.lineage.scale.miniature else full

    def node(self, rule: str, path: str, description: str, job: str, **fields: Any) -> Node:
        """Return a node of this scale; `path` is relative to the folder of its results."""
        fields.setdefault("code", Code([fields.get("stage", rule)]))
        need = fields["need"]
        if need.gpus and self.lineage.scale.device == "gpu":
            fields["options"] = {**fields.get("options", {}), "gpus": need.gpus // need.nodes}
        return Node(rule, self.root, f"{self.root}/{path}", description, job, **fields)

    def checkpoint(self, checkpoint: str) -> Node:
        raise NotImplementedError

    def gates(self, *systems: str) -> list[Node]:
        raise NotImplementedError

    def gates_of_vectors(self, system: str, collection: str) -> list[Node]:
        raise NotImplementedError

    def gates_of_run(self, system: str, split: Split) -> list[Node]:
        raise NotImplementedError

    def embeddings(self, system: str, seed: int, collection: str) -> list[Node]:
        raise NotImplementedError

    def compressed(self, system: str, seed: int, collection: str) -> list[Node]:
        raise NotImplementedError

    def index(self, collection: str, settings: BM25IndexSettings) -> Node:
        raise NotImplementedError

    def run(self, system: str, seed: int, split: Split, variation: str) -> Node:
        raise NotImplementedError
