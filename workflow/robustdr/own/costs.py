"""What a retriever costs: bytes of its weights and of its index, and the time of a query."""

import gc
import json
from collections.abc import Mapping
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from robustdr.core.files import read_queries
from robustdr.encoding.directory import AGREEMENT
from robustdr.experiments.kinds import Recipe
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import Graph
from robustdr.own import latency
from robustdr.own.experiment import NAME
from robustdr.own.latency import Times
from robustdr.systems.bm25 import BM25
from robustdr.systems.fusion import Fusion


class Costs(TypedDict):
    """Bytes of the model's weights and of the index, and times of a query; None where they are not known.

    Attributes:
        index: the index of words, or the vectors of all passages in single precision.
        p50, p95: milliseconds of a query alone, the median and the 95th percentile, where model and index are loaded.
        throughput: queries a second, in batches.
    """

    weights: int | None
    index: int | None
    p50: float | None
    p95: float | None
    throughput: float | None


def costs(graph: Graph, folder: Path, split: str, models: Mapping[str, Path | None], passages: int) -> dict[str, Costs]:
    """Return the costs of systems. What asks several systems costs their sum; one model is in memory at a time.

    Args:
        folder: where the workflow ran. models: the directory of each system's model, if it has one here.
        passages: their number.
    """
    queries = read_queries(folder / graph.query_set((NAME, split), ORIGINAL).path)
    texts = latency.sample(list(queries.values()))
    parts_of = {name: _parts(graph, name) for name in models}
    times = {
        name: _times(graph, folder, split, name, model, passages, texts)
        for name, model in models.items()
        if not parts_of[name]
    }
    sizes = {name: _bytes(graph, folder, name, model, passages) for name, model in models.items()}
    found: dict[str, Costs] = {}
    for name in models:
        names = parts_of[name] or [name]
        of_parts = [time for part in names if (time := times.get(part)) is not None]
        known = latency.summary(latency.total(of_parts)) if len(of_parts) == len(names) else {}
        weights, index = (_sum([sizes[part][number] for part in names]) for number in (0, 1))
        if parts_of[name]:
            weights = sum(sizes[part][0] or 0 for part in names) or None  # BM25 has none
        found[name] = {
            "weights": weights,
            "index": index,
            "p50": known.get("p50"),
            "p95": known.get("p95"),
            "throughput": known.get("throughput"),
        }
    return found


def _parts(graph: Graph, system: str) -> list[str]:
    """The systems that a fusion asks; none of another system."""
    recipe = graph.lineage.recipe(system)
    return list(recipe.systems) if recipe.kind == Fusion().name else []


def _times(
    graph: Graph, folder: Path, split: str, system: str, model: Path | None, passages: int, texts: list[str]
) -> Times | None:
    lineage = graph.lineage
    settings: Any = graph.run(system, 0, (NAME, split), ORIGINAL).settings
    words = lineage.kind(system).index(lineage, system)
    if words and lineage.recipe(system).kind == BM25().name:
        return latency.of_words(
            settings, folder / graph.corpus(NAME).path, folder / graph.index(NAME, words).path, texts
        )
    if not model or lineage.recipe(system).kind != Recipe.kind:
        return None
    try:
        with redirect_stderr(StringIO()):  # a library shows how it loads
            return latency.of_vectors(settings, model, passages, texts)
    finally:
        gc.collect()  # the model has circles of references


def _bytes(graph: Graph, folder: Path, system: str, model: Path | None, passages: int) -> tuple[int | None, int | None]:
    """Bytes of a system's weights and of its index."""
    lineage = graph.lineage
    recipe, words, index = lineage.recipe(system), lineage.kind(system).index(lineage, system), None
    if words:
        index = _size(folder / graph.index(NAME, words).path, "*")
    elif model and recipe.kind == Recipe.kind:
        dimension = json.loads((model / AGREEMENT).read_text(encoding="utf-8"))["dimension"]
        index = passages * dimension * np.dtype(np.float32).itemsize
    return _size(model, "*.safetensors") if model else None, index


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _size(folder: Path, names: str) -> int:
    return sum(file.stat().st_size for file in folder.rglob(names) if file.is_file())
