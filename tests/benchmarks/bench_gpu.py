"""One GPU: encoding, training and exact search of BERT-base, as shares of what its matrix products reach.

    python tests/benchmarks gpu [full|tiny] [BASE]

BASE is a directory whose tokenizer is taken, by default the miniature's pretrained model, which is made. Weights,
texts and vectors are drawn. FLOPs are two per parameter of the layers and token to encode and six to train; padding,
attention and embeddings count as none. Where there is no GPU, only `tiny` runs, on the processor.
"""

import json
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from benchmarks.common import configured, report, timed, train_ours, write_base, write_bert
from robustdr.collections.rows import rows_of, write_rows
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.hardware import device, kind
from robustdr.training.settings import DenseTraining

LENGTH = 128  # tokens of a passage, as in the papers' budgets
WORDS, SPREAD = 56, 6  # of a passage on average, and the shape of the lengths' gamma distribution: as MS MARCO's
WIDTH = 768  # of the vectors that are searched
BLOCK = 65536  # of them at a time, with FAISS
COMPOUND = 0.2  # share of the words that the vocabulary does not hold: two words in one


@dataclass(frozen=True)
class Size:
    """What is measured.

    Attributes:
        layers: of the model. passages: that are encoded. steps: of a training with the first size of `batches`.
        rows: of a square matrix product. vectors, queries, depth: of a search.
    """

    layers: int
    passages: int
    steps: int
    batches: tuple[int, ...]
    rows: int
    vectors: int
    queries: int
    depth: int


SIZES = {
    "full": Size(12, 2**18, 60, (16, 64), 8192, 2**20, 4096, 1000),
    "tiny": Size(1, 32, 2, (2,), 256, 2000, 20, 10),
}


def draw(tokenizer: Any, count: int, words: float, seed: int) -> list[str]:
    """Texts of words of the vocabulary: a word's frequency is in inverse proportion to its rank."""
    rng = np.random.default_rng(seed)
    ranked = sorted(tokenizer.get_vocab().items(), key=lambda piece: piece[1])
    known = np.array([word for word, _ in ranked if word.isascii() and word.isalpha()], object)

    def drawn(number: int) -> np.ndarray:
        return known[(len(known) ** rng.random(number)).astype(int) - 1]

    lengths = rng.gamma(SPREAD, words / SPREAD, count).astype(int) + 1
    first, second = drawn(lengths.sum()), drawn(lengths.sum())
    chosen = np.where(rng.random(len(first)) < COMPOUND, first + second, first)
    return [" ".join(of) for of in np.split(chosen, lengths.cumsum()[:-1])]


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
    for batch_size in (32, 128, 512):
        encode = partial(theirs.encode, batch_size=batch_size, show_progress_bar=False, convert_to_numpy=True)
        encode(few[:batch_size])
        seconds, expected = timed(lambda: encode(few))  # noqa: B023  called at once
        best = max(best, of_few / seconds)
        print(f"sentence-transformers, batches of {batch_size}: {of_few / seconds:,.0f} tokens/s", flush=True)
    difference = np.abs(vectors[: len(few)] - expected).max()
    assert difference < 0.1, f"the two must encode alike but for rounding; they differ by {difference}"
    report("gpu", "tokens per second of encoding / of sentence-transformers", speed / best)


def write_examples(folder: Path, tokenizer: Any, queries: int, passages: int) -> tuple[list[str], list[list[str]]]:
    """Write data.jsonl and corpus.jsonl with its index: queries, and so many passages for each."""
    asked, texts = draw(tokenizer, queries, 6, 2), draw(tokenizer, queries * passages, WORDS, 3)
    of = [texts[first : first + passages] for first in range(0, len(texts), passages)]
    with open(folder / "data.jsonl", "w") as data, open(folder / "corpus.jsonl", "w") as corpus:
        for number, (query, mine) in enumerate(zip(asked, of, strict=True)):
            names = {str(number * passages + row): number * passages + row for row in range(passages)}
            for docid, text in zip(names, mine, strict=True):
                corpus.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
            positive, *negatives = names.items()
            line = {"query_id": str(number), "query": query, "positive_passages": dict([positive])}
            data.write(json.dumps({**line, "negative_passages": dict(negatives)}) + "\n")
    write_rows(folder / "corpus.jsonl", rows_of(folder / "corpus.jsonl"))
    return asked, of


def seconds_a_step(settings: DenseTraining, initial: Path, folder: Path, steps: int) -> float:
    """Of our training: what more steps take longer, so that its start does not count."""
    took = []
    for wanted in (max(1, steps // 4), steps):
        seconds, losses = train_ours(DenseTraining(**{**vars(settings), "epochs": wanted / steps}), initial, folder)
        assert len(losses) == wanted
        took.append(seconds)
    return (took[1] - took[0]) / (steps - max(1, steps // 4))


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

    steps(batches[:1])
    return timed(lambda: steps(batches[1:]))[0] / len(batches[1:])


def training(size: Size, folder: Path, highest: float) -> None:
    """Trainings of the budget `passage`, in batches of its size, 16 queries, and of others."""
    recipe = {"system": "benchmark", "loss": {"name": "contrastive"}, "encoders": "shared", "augmentation": 0.0}
    computing = {"precision": "bfloat16", "threads": torch.get_num_threads(), "checkpoint_every": 10**9}
    budget = {**configured("scales/full.yaml")["budgets"]["passage"], **recipe, **computing}
    encoder = Encoder(folder, "bfloat16", training=True)
    for batch_size in size.batches:
        settings = DenseTraining(**{**budget, "batch_size": batch_size})
        steps = max(2, size.steps * size.batches[0] // batch_size)
        passages = 1 + settings.negatives
        with tempfile.TemporaryDirectory() as name:
            queries, of = write_examples(Path(name), encoder.tokenizer, batch_size * steps, passages)
            lengths = encoder.tokenise(queries, settings.query_length)
            lengths += encoder.tokenise([text for texts in of for text in texts], settings.passage_length)
            tokens = sum(map(len, lengths)) / steps
            seconds = seconds_a_step(settings, folder, Path(name), steps)
        columns = ["anchor", "positive", *(f"negative_{number}" for number in range(settings.negatives))]
        rows = list(zip(queries, *zip(*of, strict=True), strict=True))
        batches = [
            dict(zip(columns, map(list, zip(*rows[first : first + batch_size], strict=True)), strict=True))
            for first in range(0, len(rows), batch_size)
        ][: max(2, steps // 4)]
        print(f"train, batches of {batch_size} queries and {batch_size * passages} passages, {tokens:,.0f} tokens:"
              f" {1000 * seconds:.1f} ms a step, {tokens / seconds:,.0f} tokens/s", flush=True)  # fmt: skip
        share = 6 * layer_parameters(encoder.model) * tokens / seconds / highest
        report("gpu", f"FLOPs per second of training, batches of {batch_size} / of a matrix product", share)
        show_memory()
        theirs = their_seconds_a_step(settings, folder, batches)
        print(f"sentence-transformers: {1000 * theirs:.1f} ms a step, {tokens / theirs:,.0f} tokens/s", flush=True)
        report("gpu", f"speed of training, batches of {batch_size} / of sentence-transformers", theirs / seconds)


def with_faiss(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The scores of the `k` best, [q, k], by FAISS, on the GPU where it was built for one."""
    import faiss

    heap, on_gpu = faiss.ResultHeap(len(queries), k, keep_max=True), faiss.get_num_gpus() > 0
    knn = partial(faiss.knn_gpu, faiss.StandardGpuResources()) if on_gpu else faiss.knn
    for start in range(0, len(vectors), BLOCK):
        block = vectors[start : start + BLOCK].astype(np.float32)
        scores, rows = knn(queries, block, min(k, len(block)), metric=faiss.METRIC_INNER_PRODUCT)
        heap.add_result(scores, rows + start)
    heap.finalize()
    return heap.D


def searching(size: Size, folder: Path, highest: float) -> None:
    """Exact search of vectors in half precision beside that of FAISS."""
    if not find_spec("faiss"):
        print("exact search: not measured without FAISS", flush=True)
        return
    from robustdr.retrieval.index import exact

    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((size.vectors, WIDTH), dtype=np.float32).astype(np.float16)
    queries = rng.standard_normal((size.queries, WIDTH), dtype=np.float32)
    for search in (exact, with_faiss):
        search(vectors, queries, size.depth)
    seconds, (scores, _) = timed(lambda: exact(vectors, queries, size.depth))
    theirs, expected = timed(lambda: with_faiss(vectors, queries, size.depth))
    assert np.allclose(scores, expected, atol=1e-3), "the two must find the same scores but for rounding"
    speed = len(queries) * len(vectors) / seconds
    print(f"exact search, {len(queries):,} queries, depth {size.depth}: {speed / 1e9:.2f} G scores/s"
          f" ({2 * WIDTH * speed / 1e12:.1f} TFLOP/s)", flush=True)  # fmt: skip
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
        for part in (encoding, training, searching):
            try:
                part(size, Path(folder), highest)
            except Exception:  # every other figure counts all the same
                traceback.print_exc()
                failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "full", Path(sys.argv[2]) if len(sys.argv) > 2 else None))
