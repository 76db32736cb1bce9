"""Smaller vectors of passages, ranked again: what fewer dimensions and a coarser precision cost, and what they save."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
import torch
from torch.nn.functional import normalize

from robustdr.collections import ignores_identical_ids
from robustdr.core.files import read_qrels, read_queries
from robustdr.encoding.any_type import describe
from robustdr.encoding.directory import QUERY
from robustdr.evaluation.measures import evaluate
from robustdr.evaluation.names import MEAN
from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import Graph
from robustdr.graph.tables import evaluation_settings
from robustdr.own import Coarse
from robustdr.own.compared import Compared, compare
from robustdr.own.experiment import NAME
from robustdr.own.models import dimension_of
from robustdr.retrieval.embeddings import CHUNK, read_embeddings
from robustdr.retrieval.nearest import nearest, texts_of

Precision = Literal["float32", Coarse]
SINGLE: Precision = "float32"


class Compressed(TypedDict):
    """A model whose passages have smaller vectors; `bytes` of one, `original`: the measure on the original queries."""

    label: str
    dimensions: int
    precision: Precision
    bytes: int
    original: float
    variations: Compared


def rows(
    graph: Graph, folder: Path, system: str, model: Path, dimensions: Sequence[int], precisions: Sequence[Coarse]
) -> list[Compressed]:
    """The measures of a model with all its dimensions and with fewer, in single precision and in coarser ones.

    The vectors are those that the model's ranking searched and those of queries that it wrote.

    Args:
        graph: of the configuration from `experiment.write`. folder: where the workflow ran.
        system: its name. model: its directory.
    """
    evaluation = evaluation_settings(graph, NAME)[NAME]
    split, measure = (NAME, evaluation["split"]), evaluation["measures"][0]
    query_sets = {
        name: read_queries(folder / graph.query_set(split, name).path)
        for name in (ORIGINAL, *evaluation["means"][MEAN])
    }
    settings: Any = graph.run(system, 0, split, ORIGINAL).settings
    vector_of: dict[str, np.ndarray] = {}
    for group in dict.fromkeys(graph.demand.ranked_with(system, split, name) for name in query_sets):
        ranking = graph.ranking(system, 0, split, group)
        ranked_texts = texts_of([read_queries(folder / path) for path in ranking.inputs["queries"].paths])
        (path,) = ranking.outputs["query-vectors"]
        vector_of.update(zip(ranked_texts, np.load(folder / path), strict=True))
    texts = texts_of([*query_sets.values()])
    queries = np.stack([vector_of[text] for text in texts])
    shards = [read_embeddings(folder / node.path) for node in graph.embeddings(system, 0, NAME)]
    blocks = [vectors[start : start + CHUNK] for vectors, _ in shards for start in range(0, len(vectors), CHUNK)]
    docids = [ids[start : start + CHUNK] for _, ids in shards for start in range(0, len(ids), CHUNK)]
    description = describe(model)
    unit = description.similarity == "cosine" or "Normalize" in description.modules[QUERY]
    qrels = read_qrels(folder / graph.split_files(split)[1].path)
    ignored = ignores_identical_ids(graph.lineage.config.collections[NAME])
    level = graph.lineage.config.collections[NAME].get("relevance_level", 1)
    sizes = sorted({*dimensions, dimension_of(model)}, reverse=True)
    compressed_rows: list[Compressed] = []
    for dimension, precision in product(sizes, (SINGLE, *precisions)):
        vectors, passages = compress(queries, blocks, dimension, precision, unit)
        runs = nearest([*query_sets.values()], texts, vectors, zip(passages, docids, strict=True), {}, settings.depth)
        values = {}
        for name, run in zip(query_sets, runs, strict=True):
            if ignored:
                run = {qid: [pair for pair in run[qid] if pair[0] != qid] for qid in run}
            by_query = evaluate(qrels, run, [measure], level)[measure]
            values[name] = np.array([[by_query[qid] for qid in sorted(by_query)]])
        means = [
            np.mean([values[name] for name in names], axis=0)
            for mean, names in evaluation["means"].items()
            if mean != MEAN
        ]
        compressed_rows.append(
            {
                "label": graph.lineage.recipe(system).label,
                "dimensions": dimension,
                "precision": precision,
                "bytes": size(dimension, precision),
                "original": float(values[ORIGINAL].mean()),
                "variations": compare(np.mean(means, axis=0), values[ORIGINAL]),
            }
        )
    return compressed_rows


def compress(
    queries: np.ndarray, blocks: Sequence[np.ndarray], dimension: int, precision: Precision, unit: bool
) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """Return vectors of queries and of blocks of passages, whose dot products rank as the smaller vectors do.

    The queries stay in single precision, as where sentence-transformers' `semantic_search_faiss` ranks all that it
    finds again (`rescore`). A bit says whether a number is above 0. In int8, the range of the passages in a dimension
    has 255 steps; the query is multiplied by the width of a step.

    Args:
        queries: [queries, d]. blocks: of passages, [n, d] each. dimension: of the vectors; the first ones are taken.
        unit: whether cut vectors get length 1 again.
    """
    from sentence_transformers.util.quantization import quantize_embeddings  # slow to import, and needed here only

    vectors = _cut(queries, dimension, unit)
    passages = (_cut(block, dimension, unit) for block in blocks)
    if precision == SINGLE:
        return vectors, passages
    if precision == "binary":
        bits = (quantize_embeddings(block, "ubinary") for block in passages)
        return vectors, (np.unpackbits(block, axis=1, count=dimension) for block in bits)
    bounds = np.array([(block.min(axis=0), block.max(axis=0)) for block in passages])
    ranges = np.stack([bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)])
    again = (_cut(block, dimension, unit) for block in blocks)
    steps = np.ptp(ranges, axis=0) / 255
    return vectors * steps, (np.asarray(quantize_embeddings(block, "int8", ranges)) for block in again)


def size(dimension: int, precision: Precision) -> int:
    """Bytes of a vector; bits are packed."""
    return {"float32": 4 * dimension, "int8": dimension, "binary": -(-dimension // 8)}[precision]


def _cut(vectors: np.ndarray, dimension: int, unit: bool) -> np.ndarray:
    """The first dimensions of [n, d] vectors."""
    if dimension == vectors.shape[1]:
        return vectors
    first = torch.from_numpy(np.array(vectors[:, :dimension], np.float32))
    return (normalize(first) if unit else first).numpy()
