"""Pre-training: `train` beside transformers' Trainer: same model, passages, masks, batch size and precision.

    python tests/benchmarks pretraining [rounds] [steps]

Masked language modelling alone, which both can do. In both the word embeddings are frozen, the head starts as the
identity, and the batches are ours in our order, so the losses are the same step by step, but for rounding and for the
special pieces, which our head leaves out. Only the steps are timed; the two take turns after a run each that does not
count. Last, how fast one core prepares what the whole of ToRoDer's pre-training shows.
"""

import contextlib
import io
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch
from transformers import BertForMaskedLM, Trainer, TrainingArguments

from benchmarks.common import report, timed, train_ours, wordnet_source, write_base
from robustdr.collections import write_corpus
from robustdr.core.processor import native
from robustdr.encoding.batching import pad
from robustdr.encoding.hardware import device
from robustdr.pretraining.feed import Feed, Passages
from robustdr.pretraining.masks import MaskedPassage
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.tokens import write_tokens
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training.schedule import learning_rate

SETTINGS = PretrainingSettings(
    system="benchmark",
    learning_rate=1e-4,
    warmup=0.1,
    epochs=1.0,
    batch_size=32,
    devices=1,
    weight_decay=0.0,
    max_gradient_norm=1.0,
    dropout=0.0,
    freeze_word_embeddings=True,
    checkpoint_every=1 << 30,
    precision=native(),
    threads=torch.get_num_threads(),
    typo=0.0,
    bottleneck=False,
    length=128,
)


def collate(shown: list[MaskedPassage]) -> dict[str, torch.Tensor]:
    batch = pad([each.encoder.tokens for each in shown], 0)
    batch["labels"] = torch.full_like(batch["input_ids"], -100)
    for row, each in enumerate(shown):
        for at, piece in each.encoder.targets.items():
            batch["labels"][row, at] = piece
    return batch


def train_theirs(feed: Feed, initial: Path, steps: int) -> tuple[float, list[float]]:
    """Seconds, and the loss of each step."""
    settings = feed.settings
    model = BertForMaskedLM.from_pretrained(initial, use_safetensors=True)
    model.get_input_embeddings().requires_grad_(False)
    transform = model.cls.predictions.transform
    torch.nn.init.eye_(transform.dense.weight)
    for zero in (transform.dense.bias, transform.LayerNorm.bias, model.cls.predictions.bias):
        torch.nn.init.zeros_(zero)
    torch.nn.init.ones_(transform.LayerNorm.weight)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    arguments = TrainingArguments(
        output_dir=str(initial.parent / "theirs"),
        per_device_train_batch_size=settings.batch_size,
        max_steps=steps,
        max_grad_norm=settings.max_gradient_norm,
        bf16=settings.precision == "bfloat16",
        use_cpu=device().type == "cpu",
        dataloader_pin_memory=False,
        remove_unused_columns=False,
        train_sampling_strategy="sequential",
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=1.0, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: learning_rate(step, steps, settings.learning_rate, settings.warmup)
    )
    shown = [each for step in feed.run(0, steps) for each in step.masked]
    trainer = Trainer(model, arguments, collate, shown, optimizers=(optimiser, schedule))
    with contextlib.redirect_stdout(io.StringIO()):
        seconds = trainer.train().metrics["train_runtime"]
    return seconds, [float(line["loss"]) for line in trainer.state.log_history if "loss" in line]


def main(rounds: int, steps: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        initial, corpus = folder / "initial", folder / "corpus.jsonl"
        write_base(initial)
        write_corpus(wordnet_source(), corpus)
        write_tokens(corpus, initial, SETTINGS.length, folder / "tokens")
        passages = Passages.open(folder / "tokens", Vocabulary(initial), SETTINGS)
        settings = replace(SETTINGS, epochs=steps / (len(passages) // SETTINGS.batch_size))
        whole = Feed(passages, replace(settings, typo=0.3, bottleneck=True), 1)
        pieces, prepared = 0, 0.0
        for step in range(2 * steps):  # the first half fills the tables of pieces
            seconds, seen = timed(lambda step=step: whole[step])
            if step >= steps:
                pieces, prepared = pieces + sum(each.pieces for each in seen.masked), prepared + seconds
        ratios: dict[str, list[float]] = {"all": [], "corpus": []}
        for number in range(rounds + 1):
            theirs, their_losses = train_theirs(Feed(passages, settings, 1), initial, steps)
            for vocabulary, found in ratios.items():
                told = replace(settings, vocabulary=vocabulary)
                ours, losses = train_ours(told, initial, folder, "robustdr.pretraining.student", "corpus.jsonl")
                if vocabulary == "all":
                    apart = max(abs(one - other) for one, other in zip(losses, their_losses, strict=True))
                if number:
                    found.append(theirs / ours)
                    print(f"vocabulary {vocabulary}: ours {ours:.1f} s, Trainer {theirs:.1f} s", flush=True)
    print(f"losses of {steps} steps differ by {apart:.4f} at most; threads: {torch.get_num_threads()}, {native()}")
    print(f"prepared by one core: {pieces / prepared:.0f} word pieces/s")
    for vocabulary, found in ratios.items():
        compared = f"seconds of transformers' Trainer / ours, head over {vocabulary}"
        report("pretraining", compared, statistics.median(found))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]), *(3, 40)[len(sys.argv) - 1 :])
