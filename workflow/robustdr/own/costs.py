"""What a retriever costs: bytes of its weights and of its index, and the time of a query."""

import gc
import json
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
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
from robustdr.retrieval.settings import LibrarySettings
from robustdr.systems.bm25 import BM25
from robustdr.systems.fusion import Fusion
from robustdr.systems.rerank import Rerank
from robustdr.systems.rewrite import Rewrite


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
    measured = {name: _measure(graph, folder, split, name, model, passages, texts) for name, model in models.items()}
    system_costs: dict[str, Costs] = {}
    for name in models:
        # A fusion asks other systems, a spell checker its ranker, a reranker its first stage.
        asked = graph.lineage.kind(name).systems_named_by(graph.lineage.recipe(name)).values()
        names = [*(part for part in asked if part not in graph.lineage.scale.checkpoints), name]
        times = [time for part in names if (time := measured[part].times) is not None]
        known = latency.summary(latency.total(times)) if len(times) == len(names) else {}
        indexes = [measured[part].index for part in names]
        weights = sum(measured[part].weights or 0 for part in names) or None  # BM25 has none
        index = None if None in indexes else sum(filter(None, indexes))
        system_costs[name] = {
            "weights": weights,
            "index": index,
            "p50": known.get("p50"),
            "p95": known.get("p95"),
            "throughput": known.get("throughput"),
        }
    return system_costs


@dataclass(frozen=True)
class _Measured:
    """Bytes and times of a system without those that it asks; None where they are not known."""

    weights: int | None
    index: int | None
    times: Times | None


def _measure(
    graph: Graph, folder: Path, split: str, system: str, model: Path | None, passages: int, texts: list[str]
) -> _Measured:
    lineage = graph.lineage
    settings: Any = graph.run(system, 0, (NAME, split), ORIGINAL).settings
    kind, corpus = lineage.recipe(system).kind, folder / graph.corpus(NAME).path
    weights = _size(model, "*.safetensors") if model else None
    try:
        with redirect_stderr(StringIO()):  # a library shows how it loads
            if kind == Fusion().name:
                return _Measured(None, 0, latency.NOTHING)
            if kind == Rewrite().name:
                return _Measured(None, 0, latency.of_rewriter(settings, corpus, texts))
            if kind == BM25().name and (words := lineage.kind(system).index(lineage, system)):
                index = folder / graph.index(NAME, words).path
                return _Measured(None, _size(index, "*"), latency.of_words(settings, corpus, index, texts))
            if model and kind == Rerank().name:
                return _Measured(weights, 0, latency.of_reranker(settings, model, corpus, texts))
            if model and isinstance(settings, LibrarySettings):
                times, size = latency.of_library(settings, model, corpus, passages, texts)
                return _Measured(weights, size, times)
            if model and kind == Recipe.kind:
                dimension = json.loads((model / AGREEMENT).read_text(encoding="utf-8"))["dimension"]
                size = passages * dimension * np.dtype(np.float32).itemsize
                return _Measured(weights, size, latency.of_vectors(settings, model, passages, texts))
            return _Measured(weights, None, None)
    finally:
        gc.collect()  # the model has circles of references


def _size(folder: Path, names: str) -> int:
    return sum(file.stat().st_size for file in folder.rglob(names) if file.is_file())
