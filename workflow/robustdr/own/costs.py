"""What a retriever costs: bytes of its weights and of its index, and time."""

import json
from pathlib import Path
from typing import TypedDict

import numpy as np

from robustdr.core.benchmarks import costs
from robustdr.encoding.directory import AGREEMENT
from robustdr.experiments.kinds import Recipe
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import Graph
from robustdr.own.experiment import NAME


class Costs(TypedDict):
    """Bytes of the model's weights and of the index, and milliseconds a query; None where they are not known.

    Attributes:
        index: the index of words, or the vectors of all passages in single precision.
        ms: of the job that ranks, divided by its queries: it reads the model, encodes the passages and searches.
    """

    weights: int | None
    index: int | None
    ms: float | None


def cost(graph: Graph, folder: Path, system: str, split: str, model: Path | None, passages: int, queries: int) -> Costs:
    """Return the cost of a system.

    Args:
        folder: where the workflow ran. model: the system's directory, if it has one here.
        passages, queries: their numbers; queries of all query sets.
    """
    lineage = graph.lineage
    recipe, words, index = lineage.recipe(system), lineage.kind(system).index(lineage, system), None
    if words:
        index = _size(folder / graph.index(NAME, words).path, "*")
    elif model and recipe.kind == Recipe.kind:
        dimension = json.loads((model / AGREEMENT).read_text(encoding="utf-8"))["dimension"]
        index = passages * dimension * np.dtype(np.float32).itemsize
    took = costs(folder / graph.run(system, 0, (NAME, split), ORIGINAL).benchmark) or {}
    return {
        "weights": _size(model, "*.safetensors") if model else None,
        "index": index,
        "ms": 1000 * took["s"] / queries if "s" in took else None,
    }


def _size(folder: Path, names: str) -> int:
    return sum(file.stat().st_size for file in folder.rglob(names) if file.is_file())
