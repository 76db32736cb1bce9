"""Compressed FAISS indexes, built once for each shard of a model's vectors and memory-mapped by every search."""

import json
from pathlib import Path

import faiss
import numpy as np

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, read_lines, write_json, write_text
from robustdr.keys.integrity import recorded
from robustdr.retrieval.embeddings import read_embeddings
from robustdr.retrieval.index import BLOCK
from robustdr.retrieval.settings import Index

LEARNS_FROM = 2**20  # most vectors to train an index on: more than FAISS itself uses for 4,096 lists


def build(vectors: np.ndarray, factory: str) -> faiss.Index:
    """An inner-product index of [n, d] vectors, in any precision; `factory` is a FAISS index factory string.

    Memory depends on the index, not on the vectors: it is trained on some vectors, evenly spread, and all are added in
    blocks.

    Raises:
        UserError: FAISS does not know the factory string, or there are too few vectors to train the index.
    """
    try:
        index = faiss.index_factory(vectors.shape[1], factory, faiss.METRIC_INNER_PRODUCT)
        if faiss.get_num_gpus() > 0:
            index = faiss.index_cpu_to_all_gpus(index)
        if not index.is_trained:
            step = -(-len(vectors) // LEARNS_FROM) or 1  # without vectors, FAISS reports the error
            index.train(np.ascontiguousarray(vectors[::step], dtype=np.float32))
        for start in range(0, len(vectors), BLOCK):
            index.add(np.ascontiguousarray(vectors[start : start + BLOCK], dtype=np.float32))
    except RuntimeError as error:
        raise UserError(
            f"retrieval.index: FAISS cannot make an index {factory!r} of {len(vectors)} vectors ({error}); use Flat or "
            "e.g. IVF1024,PQ48"
        ) from None
    return faiss.index_gpu_to_cpu(index) if faiss.get_num_gpus() > 0 else index


def write_index(factory: str, vectors: Path, output: Path) -> None:
    """Train and build the index of a shard.

    Args:
        vectors: the shard, see `embeddings.write_embeddings`.
        output: the index in FAISS's format. `output` with suffix .ids gets the docids; with suffix .json, the factory
            string and the SHA-256 of the vectors.

    Raises:
        UserError: see `build` and `embeddings.read_embeddings`; or the index cannot be written, e.g. the disk is full.
    """
    passages, ids = read_embeddings(vectors)
    index = build(passages, factory)
    with atomic(output) as temporary:
        try:
            # Python's file: FAISS's own writer reports no error if the last bytes fill the disk.
            with open(temporary, "wb") as file:
                faiss.write_index(index, faiss.PyCallbackIOWriter(file.write))  # type: ignore[attr-defined]
        except OSError as error:
            raise UserError(f"{output}: the index cannot be written ({error})") from None
        write_text(output.with_suffix(".ids"), "".join(f"{docid}\n" for docid in ids))
        write_json(output.with_suffix(".json"), {"factory": factory, "vectors": recorded(vectors)})


def read_index(path: Path, vectors: Path, settings: Index, dimension: int) -> tuple[faiss.Index, list[str]]:
    """(index, docids) of a shard. The index is on the GPU if there is one, else memory-mapped if FAISS can.

    Args:
        vectors: the shard's vectors; checked by their record, if there is one.

    Raises:
        UserError: the index has another factory, other vectors or another dimension, is damaged, or has no lists for
            `nprobe`.
    """
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    factory = facts["factory"]
    if factory != settings.factory:
        raise UserError(
            f"{path}: its factory is {factory!r}, but retrieval.index has {settings.factory!r}; delete it and run again"
        )
    if (expected := recorded(vectors)) not in (None, facts.get("vectors")):
        raise UserError(
            f"{path}: an index of other vectors than {vectors}: sha256 {facts.get('vectors')!r}, expected "
            f"{expected!r}; delete it and run again"
        )
    on_gpu = faiss.get_num_gpus() > 0
    try:
        index = faiss.read_index(str(path), 0 if on_gpu else faiss.IO_FLAG_MMAP)
    except RuntimeError as error:
        raise UserError(f"{path}: damaged index ({error}); delete the file and run again") from None
    ids = [docid for _, docid in read_lines(path.with_suffix(".ids"))]
    if (len(ids), dimension) != (index.ntotal, index.d):
        raise UserError(
            f"{path}: {index.ntotal} vectors of {index.d} dimensions, but {len(ids)} docids and queries of "
            f"{dimension}; delete it and run again"
        )
    if settings.nprobe > 1:
        try:
            faiss.ParameterSpace().set_index_parameter(index, "nprobe", settings.nprobe)
        except RuntimeError:
            raise UserError(
                f"retrieval.index: nprobe is {settings.nprobe}, but {factory!r} has no lists; allowed: 1"
            ) from None
    return (faiss.index_cpu_to_all_gpus(index) if on_gpu else index), ids
