"""Training: `train` beside sentence-transformers' own trainer: same model, data, loss, batch size and precision.

    python tests/benchmarks training [rounds]

In both, batches are uniform random subsets, word embeddings are frozen, gradients are clipped, AdamW follows the same
learning rates, the loss of every step is logged, and the hardware's half precision is used. Only the steps are timed,
not loading and saving; the two take turns after a run each that does not count. In the end the other trainer sees our
batches in our order: then both losses must be the same step by step, but for rounding.
"""

import contextlib
import io
import json
import statistics
import sys
import tempfile
from pathlib import Path

import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    util,
)
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

from benchmarks.common import report, timed, train_ours, training_settings, wordnet_source, write_base
from robustdr.collections import wordnet
from robustdr.collections.rows import rows_of, write_rows
from robustdr.core.processor import native
from robustdr.core.seeds import generator
from robustdr.encoding.hardware import device
from robustdr.training.data import read_training_data
from robustdr.training.feed import Feed
from robustdr.training.schedule import learning_rate
from robustdr.training.settings import DenseTraining

QUERIES = 1024


def examples() -> list[dict[str, str]]:
    """Questions with their most relevant passage and a random one."""
    source = wordnet_source()
    texts = {passage.docid: passage.text for passage in wordnet.corpus(source)}
    asked, judgements, *_ = wordnet.split(source, "train")
    best = {j.qid: j.docid for j in sorted(judgements, key=lambda j: j.grade)}
    rng, passages = generator("benchmark"), list(texts.values())
    return [
        {"anchor": query.text, "positive": texts[best[query.qid]], "negative": rng.choice(passages)}
        for query in list(asked)[:QUERIES]
    ]


def write_examples(triples: list[dict[str, str]], folder: Path) -> None:
    """Write data.jsonl, and corpus.jsonl with its index."""
    corpus = folder / "corpus.jsonl"
    with open(folder / "data.jsonl", "w") as data, open(corpus, "w") as passages:
        for number, triple in enumerate(triples):
            line: dict[str, object] = {"query_id": str(number), "query": triple["anchor"]}
            for row, side in enumerate(("positive", "negative"), 2 * number):
                passages.write(json.dumps({"docid": str(row), "title": "", "text": triple[side]}) + "\n")
                line[f"{side}_passages"] = {str(row): row}
            data.write(json.dumps(line) + "\n")
    write_rows(corpus, rows_of(corpus))


def feeding(feed: Feed) -> float:
    """Seconds to make all steps of an epoch and to read their passages."""
    return timed(
        lambda: [[passage.read_passage() for passage in step.passages] for step in feed.run(0, feed.per_epoch)]
    )[0]


def train_theirs(
    settings: DenseTraining, initial: Path, triples: list[dict[str, str]], batches: list[list[int]] | None = None
) -> tuple[float, list[float]]:
    """Seconds, and the loss of each step; `batches` are positions of triples, default: shuffled by the trainer."""
    model = SentenceTransformer(str(initial), device=str(device()))
    model.max_seq_length = settings.passage_length
    model[0].auto_model.get_input_embeddings().requires_grad_(False)
    steps = len(triples) // settings.batch_size
    chosen = {"batch_sampler": lambda dataset, **_: batches} if batches else {}
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(initial.parent / "theirs"),
        per_device_train_batch_size=settings.batch_size,
        max_steps=steps,
        max_grad_norm=settings.max_gradient_norm,
        bf16=settings.precision == "bfloat16",
        fp16=settings.precision == "float16",
        use_cpu=device().type == "cpu",
        dataloader_pin_memory=False,
        dataloader_drop_last=True,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=1,
        **chosen,
    )
    loss = MultipleNegativesRankingLoss(model, scale=1.0, similarity_fct=util.dot_score)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=1.0, weight_decay=settings.weight_decay, fused=True)  # their default
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: learning_rate(step, steps, settings.learning_rate, settings.warmup)
    )
    trainer = SentenceTransformerTrainer(
        model, arguments, train_dataset=Dataset.from_list(triples), loss=loss, optimizers=(optimiser, schedule)
    )
    with contextlib.redirect_stdout(io.StringIO()):
        seconds = trainer.train().metrics["train_runtime"]
    return seconds, [float(line["loss"]) for line in trainer.state.log_history if "loss" in line]


def main(rounds: int) -> None:
    settings = training_settings(checkpoint_every=QUERIES)
    triples = examples()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        initial = folder / "initial"
        write_base(initial)
        # Without dropout, as at mini scale: theirs takes it from the model.
        config = json.loads((initial / "config.json").read_text())
        config |= {"hidden_dropout_prob": settings.dropout, "attention_probs_dropout_prob": settings.dropout}
        (initial / "config.json").write_text(json.dumps(config))
        write_examples(triples, folder)
        ours, theirs = [], []
        for number in range(rounds + 1):
            seconds, our_losses = train_ours(settings, initial, folder)
            their_seconds, their_losses = train_theirs(settings, initial, triples)
            if number:
                ours.append(QUERIES / seconds)
                theirs.append(QUERIES / their_seconds)
                print(f"ours {ours[-1]:5.0f} queries/s   sentence-transformers {theirs[-1]:5.0f} queries/s"
                      f"   ratio {ours[-1] / theirs[-1]:.2f}", flush=True)  # fmt: skip
        data = read_training_data(folder / "data.jsonl", folder / "corpus.jsonl")
        feed = Feed(data, settings.batch_size, settings.negatives, 0.0, seed=1)
        share = feeding(feed) * statistics.median(ours) / QUERIES
        batches = [step.examples for step in feed.run(0, feed.per_epoch)]
        _, on_our_batches = train_theirs(settings, initial, triples, batches)
    quarter = len(our_losses) // 4
    for who, losses in (
        ("ours", our_losses),
        ("sentence-transformers", their_losses),
        ("sentence-transformers on our batches", on_our_batches),
    ):
        first, last = statistics.mean(losses[:quarter]), statistics.mean(losses[-quarter:])
        print(f"mean loss of the first and last quarter of the steps: {first:.3f} {last:.3f} ({who})")
    differences = [abs(one - other) for one, other in zip(our_losses, on_our_batches, strict=True)]
    print(f"on the same batches losses differ by {differences[0]:.4f} in step 1, by {max(differences):.4f} at most")
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"ratio of medians; threads: {torch.get_num_threads()}, {native()}")
    report("training", "queries per second of ours / of sentence-transformers", ratio)
    print(f"feeding takes {share:.2%} of a step")
    report("training", "seconds of feeding / of the steps", share)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
