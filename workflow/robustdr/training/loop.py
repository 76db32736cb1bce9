"""The training loop: every recipe of every paper goes through it, and it reads top to bottom."""

import csv
import math
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from robustdr import losses
from robustdr.encoding.encoder import Encoder, autocast, half_precision
from robustdr.errors import UserError
from robustdr.files import atomic
from robustdr.losses.batch import Batch
from robustdr.retrieval.embeddings import PassageVectors
from robustdr.seeds import digest
from robustdr.training import distributed
from robustdr.training.card import model_card
from robustdr.training.data import Example, read_training_data
from robustdr.training.schedule import batches, pick, window
from robustdr.training.state import load_state, save, save_state


@dataclass
class Teacher:
    """A frozen model's view of the training data: its vectors, looked up, never computed twice."""

    queries: torch.Tensor  # [examples, d], on the CPU
    passages: PassageVectors

    @classmethod
    def load(cls, model: Path, shards: list[Path], examples: list[Example], query_length: int) -> "Teacher":
        queries = Encoder(model, half=True).encode(
            [example.query for example in examples], query_length, progress="teacher"
        )
        wanted = {docid for e in examples for docid, _, _ in (*e.positives, *e.negatives)}
        return cls(torch.from_numpy(queries), PassageVectors(shards, wanted))


class Batches:
    """Batches of example positions and their passages, step by step, from any step on."""

    def __init__(self, examples: list[Example], settings: dict[str, Any], seed: int, size: int):
        self.examples, self.settings, self.seed, self.size = examples, settings, seed, size
        self.per_epoch = len(batches([0] * len(examples), size, 0, seed))
        if not self.per_epoch:
            raise UserError(f"training: batches of {size} need at least {size} examples; the data has {len(examples)}")

    def passages(self, position: int, epoch: int) -> list[tuple[str, str, str]]:
        example, count = self.examples[position], self.settings["negatives"]
        return [
            pick(example.positives, epoch, self.seed, example.qid),
            *window(example.negatives, count, epoch, self.seed, example.qid),
        ]

    def run(self, start: int, stop: int) -> Iterator[tuple[list[int], list[tuple[str, str, str]]]]:
        """Yield (positions of B examples, their B · (1 + negatives) passages) for the steps from `start` to `stop`."""
        for epoch in range(start // self.per_epoch, math.ceil(stop / self.per_epoch)):
            chosen = [self.passages(position, epoch) for position in range(len(self.examples))]
            lengths = [sum(len(text) for _, _, text in passages) for passages in chosen]
            first = epoch * self.per_epoch
            for step, batch in enumerate(batches(lengths, self.size, epoch, self.seed), first):
                if start <= step < stop:
                    yield batch, [passage for position in batch for passage in chosen[position]]


def learning_rate(step: int, steps: int, settings: dict[str, Any]) -> float:
    """Linear warm-up over the share `warmup` of the steps, then linear decay to zero."""
    warmup = settings["warmup"] * steps
    share = (step + 1) / warmup if step < warmup else (steps - step) / max(1.0, steps - warmup)
    return settings["learning_rate"] * share


def train(
    settings: dict[str, Any],
    seed: int,
    key: str,
    data: Path,
    initial: Path,
    output: Path,
    resume: Path,
    teacher_model: Path | None = None,
    teacher_embeddings: list[Path] | None = None,
    snapshots: dict[float, Path] | None = None,
) -> None:
    """Train one model; under torchrun, all processes together.

    Args:
        settings: `system`, `loss` (name and its settings), `learning_rate`, `epochs` (may be a fraction), `batch_size`
            (queries on each device), `negatives` (per query and step), `query_length`, `passage_length` (tokens),
            `warmup` (share of the steps), `weight_decay`, `dropout`, `freeze_word_embeddings`, `checkpoint_every`
            (steps).
        seed: of batches, negatives and dropout.
        key: provenance of the result; a checkpoint with another key is not resumed.
        data: training file. initial: the model to start from. output: the model directory to write.
        resume: folder of the checkpoint in progress; removed at the end.
        teacher_model, teacher_embeddings: the frozen teacher and its passage vectors, for losses that need one.
        snapshots: further model directories to write, by the share of the steps after which they are taken.

    Raises:
        UserError: the loss is not finite (names step, queries and terms), or the data is malformed or too small.
    """
    rank, processes = distributed.start()
    loss_function = losses.create(**settings["loss"])
    examples = read_training_data(data)
    encoder = Encoder(initial)
    teacher = None
    if "teacher_query" in loss_function.needs:
        if teacher_model is None or teacher_embeddings is None:
            raise UserError(f"systems.{settings['system']}: the loss {settings['loss']['name']} needs a teacher")
        teacher = Teacher.load(teacher_model, teacher_embeddings, examples, settings["query_length"])

    model = encoder.model.train()
    if settings["freeze_word_embeddings"]:
        model.get_input_embeddings().requires_grad_(False)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = settings["dropout"]
    parameters = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    optimiser = torch.optim.AdamW(parameters.values(), lr=0.0, weight_decay=settings["weight_decay"])
    scaler = torch.amp.GradScaler(enabled=half_precision(encoder.device) == torch.float16)

    size = settings["batch_size"] * processes
    feed = Batches(examples, settings, seed, size)
    steps = max(1, round(settings["epochs"] * feed.per_epoch))
    taken = {max(1, round(share * steps)): path for share, path in (snapshots or {}).items()}
    position = load_state(resume, key, parameters, optimiser)
    start, log = position.get("step", 0), position.get("log", [])
    if position.get("scaler"):
        scaler.load_state_dict(position["scaler"])

    separator = f" {encoder.tokenizer.sep_token} "
    per_query = settings["negatives"] + 1
    positive = torch.arange(size, device=encoder.device) * per_query
    mine = slice(rank * settings["batch_size"], (rank + 1) * settings["batch_size"])
    mine_passages = slice(mine.start * per_query, mine.stop * per_query)
    bar = tqdm(total=steps, initial=start, desc=settings["system"], unit="step", disable=None if rank == 0 else True)
    began = time.monotonic()
    for step, (batch, passages) in enumerate(feed.run(start, steps), start):
        torch.manual_seed(digest(seed, "dropout", step, rank))
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(step, steps, settings)

        def embed(texts: list[str], length: int) -> torch.Tensor:
            with autocast(encoder.device):
                vectors = encoder.embed(encoder.tokenise(texts, length))
            return distributed.gather(vectors)

        texts = [f"{title}{separator}{text}" if title else text for _, title, text in passages[mine_passages]]
        vectors = Batch(embed(texts, settings["passage_length"]), positive)
        for field in ("query", "variation"):
            if field in loss_function.needs:
                queries = [getattr(examples[i], field) for i in batch[mine]]
                setattr(vectors, field, embed(queries, settings["query_length"]))
        if teacher is not None:
            vectors.teacher_query = teacher.queries[batch].to(encoder.device)
            docids = [docid for docid, _, _ in passages]
            vectors.teacher_passages = torch.from_numpy(teacher.passages[docids]).to(encoder.device)

        terms = loss_function(vectors)
        loss = torch.stack(list(terms.values())).sum()
        values = {name: term.item() for name, term in terms.items()}
        if not math.isfinite(loss.item()):
            qids = ", ".join(examples[i].qid for i in batch[:5])
            rate = settings["learning_rate"]
            raise UserError(
                f"{data}: the loss is not finite at step {step} of {steps} ({values}; queries {qids}, …); "
                f"try a learning_rate below {rate} for {settings['system']}"
            )
        scaler.scale(loss).backward()
        distributed.average_gradients(parameters.values())
        scaler.step(optimiser)
        scaler.update()
        optimiser.zero_grad()

        rate = optimiser.param_groups[0]["lr"]
        log.append(
            {"step": step + 1, "epoch": step // feed.per_epoch, "learning_rate": rate, "loss": loss.item(), **values}
        )
        bar.update()
        bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
        if rank == 0:
            if step + 1 in taken:
                save(model, initial, taken[step + 1], model_card(settings, seed, key, steps, step + 1))
            if (step + 1) % settings["checkpoint_every"] == 0 and step + 1 < steps:
                where = {"key": key, "step": step + 1, "log": log}
                save_state(resume, parameters, optimiser, scaler.state_dict(), where)
    bar.close()
    if rank == 0:
        seconds = time.monotonic() - began
        print(
            f"{settings['system']}: {steps - start} steps, {(steps - start) * size / max(seconds, 1e-9):.0f} queries/s"
        )
        save(model, initial, output, model_card(settings, seed, key, steps, steps))
        with atomic(output / "training.csv") as temporary, open(temporary, "w", newline="") as file:
            writer = csv.DictWriter(file, log[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(log)
        shutil.rmtree(resume, ignore_errors=True)
    distributed.stop()
