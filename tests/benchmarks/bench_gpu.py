"""One GPU: BERT-base encodes, trains, pre-trains and ranks, and vectors are searched exactly.

    python tests/benchmarks gpu [full|tiny] [BASE]

BASE is a directory whose tokenizer is taken, by default the miniature's pretrained model, which is made. Weights,
texts and vectors are drawn. A ratio tells a speed as a share of a matrix product's. FLOPs are two per parameter of the
layers and token to encode and six to train; padding, attention, embeddings and heads count as none. Where there is no
GPU, only `tiny` runs, on the processor.
"""

import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import torch
import transformers

from benchmarks.common import configured, report, timed, train_ours, training_settings, write_base, write_bert
from benchmarks.drawn import WORDS, draw, write_examples
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.hardware import device, kind
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.tokens import write_tokens
from robustdr.rankers.ranker import load
from robustdr.retrieval.index import exact
from robustdr.training.settings import DenseTraining, LoopSettings

LENGTH = 128  # tokens of a passage, as in the papers' budgets
WIDTH = 768  # of the vectors that are searched
BLOCK = 65536  # of them at a time, with FAISS
CHECKED = 16  # queries whose scores are compared with FAISS's
THREADS = torch.get_num_threads()
COMPUTING = {"system": "benchmark", "precision": "bfloat16", "threads": THREADS, "checkpoint_every": 10**9}


@dataclass(frozen=True)
class Size:
    """What is measured.

    Attributes:
        layers: of the model. passages: that are encoded. steps: of each training, in `batches` of these sizes.
        pretrained: passages of a batch of pre-training. pairs: of query and passage that are ranked.
        rows: of a square matrix product. vectors, queries, depth: of a search.
    """

    layers: int
    passages: int
    steps: int
    batches: tuple[int, ...]
    pretrained: int
    pairs: int
    rows: int
    vectors: int
    queries: int
    depth: int


SIZES = {
    "full": Size(12, 2**16, 64, (16, 64), 256, 2**14, 8192, 2**20, 4096, 1000),
    "tiny": Size(2, 32, 2, (2,), 4, 32, 256, 2000, 20, 10),
}


def rate(work: Callable[[], Any], flop: float, rounds: int = 20) -> float:
    """FLOPs per second of work that is given to the GPU again and again."""
    for again in (3, rounds):
        started = time.perf_counter()
        for _ in range(again):
            work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
    return rounds * flop / (time.perf_counter() - started)


def peak(size: Size) -> float:
    """FLOPs per second of a square bfloat16 product, what all shares are of."""
    one, other = torch.randn(2, size.rows, size.rows, device=device(), dtype=torch.bfloat16)
    found = rate(lambda: one @ other, 2 * size.rows**3)
    print(f"bfloat16 product of {size.rows:,} rows and columns: {found / 1e12:.1f} TFLOP/s", flush=True)
    return found


def show_memory() -> None:
    """The most memory of the GPU since the last time."""
    if torch.cuda.is_available():
        print(f"  {torch.cuda.max_memory_allocated() / 1e9:.1f} GB of the GPU at most", flush=True)
        torch.cuda.reset_peak_memory_stats()


def layer_parameters(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for name, parameter in model.named_parameters() if "encoder.layer" in name)


def encoding(size: Size, folder: Path, highest: float) -> None:
    """`Encoder.encode` from texts to vectors, its parts, and sentence-transformers' `encode` of a part of the texts."""
    from sentence_transformers import SentenceTransformer

    encoder = Encoder(folder, "bfloat16")
    texts = draw(encoder.tokenizer, size.passages, WORDS, 1)
    few = texts[: max(16, size.passages // 8)]
    seconds, tokens = timed(lambda: encoder.tokenise(few, LENGTH))
    of_few = sum(map(len, tokens))
    print(f"tokenise: {of_few / seconds:,.0f} tokens/s, {of_few / len(few):.1f} tokens a passage", flush=True)
    encoder.encode(few, LENGTH)
    seconds, vectors = timed(lambda: encoder.encode(texts, LENGTH))
    speed = of_few / len(few) * len(texts) / seconds
    share = 2 * layer_parameters(encoder.model) * speed / highest
    print(f"encode: {speed:,.0f} tokens/s, {len(texts) / seconds:,.0f} passages/s", flush=True)
    report("gpu", "FLOPs per second of encoding / of a matrix product", share)
    show_memory()

    theirs = SentenceTransformer(str(folder), device=str(device()), model_kwargs={"dtype": "bfloat16"})
    theirs.max_seq_length = LENGTH
    best = 0.0
    for batch_size in (64, 512):
        encode = partial(theirs.encode, batch_size=batch_size, show_progress_bar=False, convert_to_numpy=True)
        encode(few[:batch_size])
        seconds, expected = timed(lambda: encode(few))  # noqa: B023  called at once
        best = max(best, of_few / seconds)
        print(f"sentence-transformers, batches of {batch_size}: {of_few / seconds:,.0f} tokens/s", flush=True)
    difference = np.abs(vectors[: len(few)] - expected).max()
    assert difference < 0.1, f"the two must encode alike but for rounding; they differ by {difference}"
    report("gpu", "tokens per second of encoding / of sentence-transformers", speed / best)


def seconds_a_step(settings: LoopSettings, initial: Path, folder: Path, steps: int, *trains: str) -> float:
    """Of our training on data for so many steps: what more steps take longer, so that its start does not count.

    The first training does not count either: the GPU's libraries start in it.
    """
    few, took = max(1, steps // 4), []
    for wanted in (few, few, steps):
        seconds, losses = train_ours(replace(settings, epochs=wanted / steps), initial, folder, *trains)
        assert len(losses) == wanted
        took.append(seconds)
    return (took[2] - took[1]) / (steps - few)


def their_seconds_a_step(settings: DenseTraining, initial: Path, batches: list[dict[str, list[str]]]) -> float:
    """Of sentence-transformers' model and loss, in a loop that does what its trainer does in every step.

    The trainer itself needs the package datasets, and logs, which this loop does not.
    """
    from sentence_transformers import SentenceTransformer, util
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    model = SentenceTransformer(str(initial), device=str(device())).train()
    model.max_seq_length = settings.passage_length
    loss = MultipleNegativesRankingLoss(model, scale=1.0, similarity_fct=util.dot_score)
    optimiser = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, fused=True)

    def step(batch: dict[str, list[str]]) -> None:
        read = [model.preprocess(texts) for texts in batch.values()]  # a column after the other, as the trainer does
        features = [{name: of.to(device()) for name, of in each.items() if torch.is_tensor(of)} for each in read]
        with torch.autocast(device().type, dtype=torch.bfloat16):
            found = loss(features, None)
        found.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.max_gradient_norm)
        optimiser.step()
        optimiser.zero_grad()

    def steps(some: list[dict[str, list[str]]]) -> None:
        for batch in some:
            step(batch)
        if torch.cuda.is_available():
            torch.cuda.synchronize()

    steps(batches)
    return timed(lambda: steps(batches))[0] / len(batches)


def training(size: Size, folder: Path, highest: float) -> None:
    """Trainings of the budget `passage`, in batches of its size, 16 queries, and of others."""
    encoder = Encoder(folder, "bfloat16", training=True)
    for batch_size in size.batches:
        settings = training_settings("full", **COMPUTING, batch_size=batch_size)
        passages = 1 + settings.negatives
        with tempfile.TemporaryDirectory() as name:
            queries, of = write_examples(Path(name), encoder.tokenizer, batch_size * size.steps, passages)
            lengths = encoder.tokenise(queries, settings.query_length)
            lengths += encoder.tokenise([text for texts in of for text in texts], settings.passage_length)
            tokens = sum(map(len, lengths)) / size.steps
            seconds = seconds_a_step(settings, folder, Path(name), size.steps)
        columns = ["anchor", "positive", *(f"negative_{number}" for number in range(settings.negatives))]
        rows = list(zip(queries, *zip(*of, strict=True), strict=True))
        batches = [
            dict(zip(columns, map(list, zip(*rows[first : first + batch_size], strict=True)), strict=True))
            for first in range(0, len(rows), batch_size)
        ][: max(2, size.steps // 4)]
        print(f"train, batches of {batch_size} queries and {batch_size * passages} passages, {tokens:,.0f} tokens:"
              f" {1000 * seconds:.1f} ms a step, {tokens / seconds:,.0f} tokens/s", flush=True)  # fmt: skip
        share = 6 * layer_parameters(encoder.model) * tokens / seconds / highest
        report("gpu", f"FLOPs per second of training, batches of {batch_size} / of a matrix product", share)
        show_memory()
        theirs = their_seconds_a_step(settings, folder, batches)
        print(f"sentence-transformers: {1000 * theirs:.1f} ms a step, {tokens / theirs:,.0f} tokens/s", flush=True)
        report("gpu", f"speed of training, batches of {batch_size} / of sentence-transformers", theirs / seconds)


def pretraining(size: Size, folder: Path, highest: float) -> None:
    """Steps of ToRoDer's pre-training on one GPU, with its decoder."""
    budget = {**configured("scales/full.yaml")["pretraining"]["toroder"], **COMPUTING}
    settings = PretrainingSettings(**{**budget, "batch_size": size.pretrained})
    encoder = Encoder(folder, "bfloat16")
    parameters = layer_parameters(encoder.model) * (1 + settings.decoder_layers / size.layers)
    with tempfile.TemporaryDirectory() as name:
        _, of = write_examples(Path(name), encoder.tokenizer, size.steps, size.pretrained)
        texts = [text for passages in of for text in passages]
        tokens = sum(map(len, encoder.tokenise(texts, settings.length))) / size.steps
        write_tokens(Path(name) / "corpus.jsonl", folder, settings.length, Path(name) / "tokens")
        seconds = seconds_a_step(
            settings, folder, Path(name), size.steps, "robustdr.pretraining.student", "corpus.jsonl"
        )
    print(f"pre-train, batches of {size.pretrained} passages, {tokens:,.0f} tokens: {1000 * seconds:.1f} ms a step,"
          f" {tokens / seconds:,.0f} tokens/s", flush=True)  # fmt: skip
    share = 6 * parameters * tokens / seconds / highest
    report("gpu", "FLOPs per second of pre-training / of a matrix product", share)
    show_memory()


def ranking(size: Size, folder: Path, highest: float) -> None:
    """`Ranker.predict` of monoBERT, with a query and a passage in each pair."""
    ranker = load("mono_bert", folder, "bfloat16")
    tokenizer = Encoder(folder, "bfloat16").tokenizer
    pairs = list(zip(draw(tokenizer, size.pairs, 6, 5), draw(tokenizer, size.pairs, WORDS, 6), strict=True))
    tokens = sum(len(of) for pair in ranker.tokenise(pairs[:1000], 32, LENGTH) for of in pair) / min(1000, size.pairs)
    predict = partial(ranker.predict, query_length=32, passage_length=LENGTH, names=[("query", "passage")] * size.pairs)
    predict(pairs[: size.pairs // 8])
    seconds, _ = timed(lambda: predict(pairs))
    print(f"rank: {size.pairs / seconds:,.0f} pairs/s, {tokens:.1f} tokens a pair", flush=True)
    share = 2 * layer_parameters(ranker) * tokens * size.pairs / seconds / highest
    report("gpu", "FLOPs per second of ranking / of a matrix product", share)
    show_memory()


def with_faiss(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The scores of the `k` best, [q, k], by FAISS, on the GPU where it was built for one."""
    heap, on_gpu = faiss.ResultHeap(len(queries), k, keep_max=True), faiss.get_num_gpus() > 0
    knn = partial(faiss.knn_gpu, faiss.StandardGpuResources()) if on_gpu else faiss.knn
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK].astype(np.float32)
        scores, rows = knn(queries, block, min(k, len(block)), metric=faiss.METRIC_INNER_PRODUCT)
        heap.add_result(scores, rows + start)
    heap.finalize()
    return heap.D


def searching(size: Size, folder: Path, highest: float) -> None:
    """Exact search of vectors in half precision, beside that of FAISS if it computes on the same device."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((size.vectors, WIDTH), dtype=np.float32).astype(np.float16)
    queries = rng.standard_normal((size.queries, WIDTH), dtype=np.float32)
    exact(vectors, queries, size.depth)
    seconds, (scores, _) = timed(lambda: exact(vectors, queries, size.depth))
    speed = len(queries) * len(vectors) / seconds
    print(f"exact search, {len(queries):,} queries, depth {size.depth}: {speed / 1e9:.2f} G scores/s"
          f" ({2 * WIDTH * speed / 1e12:.1f} TFLOP/s)", flush=True)  # fmt: skip
    assert np.allclose(scores[:CHECKED], with_faiss(vectors, queries[:CHECKED], size.depth), atol=1e-3), "other scores"
    if torch.cuda.is_available() and not faiss.get_num_gpus():
        print("the scores are FAISS's; its speed is not compared, as it does not compute on the GPU", flush=True)
        return
    with_faiss(vectors, queries, size.depth)
    theirs, _ = timed(lambda: with_faiss(vectors, queries, size.depth))
    report("gpu", "speed of exact search / of FAISS", theirs / seconds)


def main(name: str, base: Path | None) -> int:
    """The number of parts that failed: one does not stop the others."""
    if name not in SIZES:
        raise SystemExit(f"gpu: {name!r}; allowed: {', '.join(SIZES)}")
    if name != "tiny" and not torch.cuda.is_available():
        print("no GPU here: nothing is measured")
        return 0
    size, failed = SIZES[name], 0
    print(f"{kind(device())}; torch {torch.__version__}, transformers {transformers.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as mini, tempfile.TemporaryDirectory() as folder:
        if base is None:
            write_base(Path(mini) / "base")
        write_bert(base or Path(mini) / "base", Path(folder), size.layers)
        (Path(folder) / "README.md").touch()  # a model's directory has one
        highest = peak(size)
        for part in (training, pretraining, encoding, ranking, searching):
            try:
                part(size, Path(folder), highest)
            except Exception:  # every other figure counts all the same
                traceback.print_exc()
                failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "full", Path(sys.argv[2]) if len(sys.argv) > 2 else None))
