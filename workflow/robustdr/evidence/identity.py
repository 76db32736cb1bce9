"""What runs must have in common to be taken together: everything that decides them but seed, code and number type."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from robustdr.collections import local_files
from robustdr.core.settings import identifying
from robustdr.evaluation.settled import Expected, settled_rows
from robustdr.graph.graph import Graph
from robustdr.graph.graph import graph as graph_of
from robustdr.keys.node import Node, histories
from robustdr.keys.provenance import digests, made_of


class Run(NamedTuple):
    """A system's measures on one collection with one seed; `nodes` are those of its measures files."""

    system: str
    collection: str
    seed: int
    nodes: list[Node]

    @property
    def key(self) -> str:
        """The keys of all of its measures as one."""
        return _digest([node.key for node in self.nodes])


def runs(graph: Graph) -> Iterator[Run]:
    """Yield every run of a scale, whether its files exist or not."""
    nodes_of: dict[tuple[str, str, int], list[Node]] = {}
    for (system, split), groups in graph.demand.measured().items():
        if not graph.lineage.unavailable(system):
            for seed in graph.lineage.seeds(system):
                nodes = nodes_of.setdefault((system, split[0], seed), [])
                nodes += [graph.measures(system, seed, split, group[0]) for group in groups]
    for place, nodes in nodes_of.items():
        yield Run(*place, nodes)


def expected(graph: Graph) -> Expected:
    """Return a digest of the settings and data behind the measures of each system, collection and query set.

    They are those of the first seed, in float32 with one thread: so a run has the same digest whatever its seed and
    machine, and another one as soon as a budget, a recipe or the data of it or of its lineage differ.
    """
    lineage = graph.lineage
    scale = replace(lineage.scale, precision="float32", threads=1)
    config = replace(lineage.config, scales={**lineage.config.scales, lineage.scale_name: scale})
    plain = graph_of(config, lineage.scale_name)
    return {
        (system, collection, f"{split}.{variation}"): _digest(
            [
                settings(plain.run(system, lineage.seeds(system)[0], (collection, split), variation)),
                config.collections[collection].get("relevance_level", 1),
            ]
        )
        for (system, (collection, split)), groups in plain.demand.measured().items()
        if not lineage.unavailable(system)
        for group in groups
        for variation in group
    }


def current(graphs: Iterable[Graph], rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a ledger whose scale and settings are those of a graph."""
    by_scale = {graph.lineage.scale_name: graph for graph in graphs}
    scales = [scale for scale in rows["scale"].unique() if scale in by_scale]
    return pd.concat([rows[:0], *(settled_rows(rows, scale, expected(by_scale[scale])) for scale in scales)])


def unreadable(graph: Graph, rows: pd.DataFrame) -> dict[str, str]:
    """Return by collection why runs that a ledger has at the scale of a graph cannot be judged on this machine.

    The settings of a run have the digests of its collection's files. Without the files nobody knows whether they match.
    """
    sources = graph.lineage.config.collections
    measured = sorted(set(rows.loc[rows["scale"] == graph.lineage.scale_name, "collection"]) & sources.keys())
    return {
        name: sources[name]["unavailable"]
        for name in measured
        if "unavailable" in sources[name] and not all(path.is_file() for path in local_files(sources[name]))
    }


@cache
def settings(node: Node) -> str:
    """Return a digest of the settings of a node and of every node that decides it, and of the user's files."""
    node = node.whole or node
    node_settings = identifying(node.settings) if hasattr(node.settings, "__dataclass_fields__") else node.settings
    inputs = {}
    for name, node_input in node.inputs.items():
        if node_input.decides:
            node_digests = [settings(input_node) for input_node in node_input.nodes]
            by_name = dict(zip(node_input.names, node_digests, strict=True)) if node_input.names else node_digests
            inputs[name] = [by_name, digests([Path(path) for path in node_input.files])]
    name = node.rule if node.stage == "train" else node.stage or node.rule  # pre-training is another thing
    return _digest([name, node_settings, node.decides, inputs])


def code(nodes: Iterable[Node]) -> str:
    """Return a digest of all code, packages and variables of the environment behind artifacts."""
    return _digest(sorted({made_of(node.code) for node in histories(nodes)}))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]
