"""The training loop, the same for every recipe of every paper."""

import csv
import math
import resource
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from tqdm import tqdm

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_json
from robustdr.core.plugins import module_named
from robustdr.encoding import hardware
from robustdr.training import distributed
from robustdr.training.card import model_card
from robustdr.training.feed import Files
from robustdr.training.schedule import learning_rate
from robustdr.training.settings import Cost, LoopSettings
from robustdr.training.state import load_state, save_state

AHEAD = 4  # steps
Seen = TypeVar("Seen")
Ready = TypeVar("Ready")


class Feed(Protocol):
    """The steps of a training.

    Attributes:
        unit: plural noun for the items of a batch. examples: the data. per_epoch: steps per epoch.
    """

    unit: str
    examples: Any
    per_epoch: int

    def run(self, start: int, stop: int) -> Iterator[Any]: ...

    def names(self, step: Any) -> list[str]: ...


class Student(Protocol):
    """The models in training, with their data, loss and output.

    `ready` makes all of a step that needs no model, such as tokens; another thread calls it ahead of `terms`. It
    gives one item for each pass forward and backward, so that memory holds one pass; the loss of a step is their mean.

    Attributes:
        use: how to use the model, for its card.
        models: those in training, if the backward pass of the terms gives the gradients of all their parameters; none
            if `backward` makes further passes.
    """

    @property
    def use(self) -> str: ...

    @classmethod
    def feed(cls, settings: Any, seed: int, data: Path, initial: Path, files: Files) -> Feed: ...

    @classmethod
    def load(cls, settings: Any, seed: int, examples: Any, initial: Path, files: Files) -> "Student": ...

    @property
    def device(self) -> torch.device: ...

    @property
    def models(self) -> list[torch.nn.Module]: ...

    @property
    def parameters(self) -> dict[str, torch.nn.Parameter]: ...

    @property
    def rates(self) -> dict[str, float]: ...

    def ready(self, step: Any) -> list[Any]: ...

    def terms(self, ready: Any, step: int) -> dict[str, torch.Tensor]: ...

    def backward(self, loss: torch.Tensor) -> None: ...

    def save(self, initial: Path, output: Path, card: str) -> None: ...


class Trains(Protocol):
    """A module with a `Student`; `TITLE` is for the model's card."""

    Settings: type[Any]
    Student: type[Student]
    TITLE: str


def peak_memory() -> float:
    """Peak memory of this process in megabytes: on the GPU if there is one, else main memory."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def write_course(
    output: Path, cost: Path, log: Sequence[Mapping[str, object]], seconds: float, device: torch.device, processes: int
) -> None:
    """Write what a training did, training.csv of its model directory, with a row for each step; and what it took."""
    with atomic(output / "training.csv") as temporary, open(temporary, "w", newline="") as file:
        writer = csv.DictWriter(file, log[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(log)
    name = torch.cuda.get_device_name() if device.type == "cuda" else "CPU"
    write_json(
        cost,
        Cost(seconds=seconds, peak_memory_mb=peak_memory(), device=name, processes=processes),
    )


def train(
    trains: str,
    settings: LoopSettings,
    seed: int,
    key: str,
    data: Path,
    initial: Path,
    output: Path,
    cost: Path,
    resume: Path,
    files: Files | None = None,
    snapshots: dict[float, Path] | None = None,
) -> None:
    """Train one model; under torchrun, all processes together.

    Args:
        trains: name of a module with a `Student`, see `Trains`.
        seed: of batches, draws and dropout.
        key: key of the result; a checkpoint with another key is not resumed.
        data: the training data. initial: the model to start from. output: the model directory to write.
        cost: the file of what it took.
        resume: folder of the checkpoint in progress; the snapshots wait beside it; both are removed at the end.
        files: further inputs, by name.
        snapshots: further model directories to write, by the share of the steps after which they are saved.

    Raises:
        UserError: the loss is not finite (names step, examples and terms), or the data is malformed or too small.
    """
    hardware.start(settings.threads)
    rank, processes = distributed.start()
    module: Trains = module_named(trains)
    files = files or {}
    feed = module.Student.feed(settings, seed, data, initial, files)
    student = module.Student.load(settings, seed, feed.examples, initial, files)
    on, parameters = student.device, student.parameters
    parameters_alike: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, rate in student.rates.items():
        # Biases and layer norms are vectors: they do not decay.
        decay = settings.weight_decay if parameters[name].ndim > 1 else 0.0
        parameters_alike.setdefault((rate, decay), []).append(parameters[name])
    groups = [
        {"params": group_parameters, "highest": rate, "weight_decay": decay}
        for (rate, decay), group_parameters in parameters_alike.items()
    ]
    optimiser = torch.optim.AdamW(groups, lr=0.0, fused=True if on.type == "cuda" else None)
    scaler = torch.amp.GradScaler(enabled=settings.precision == "float16")

    size = settings.batch_size * settings.devices
    steps = max(1, round(settings.epochs * feed.per_epoch))
    snapshot_steps = {path: max(1, round(share * steps)) for share, path in (snapshots or {}).items()}
    # Snapshots wait beside the checkpoint: outputs written before the end may be removed when a training is resumed.
    waiting = resume.with_name(f"{resume.name}.snapshots")
    position = load_state(resume, key, parameters, optimiser)
    start, log, spent = position.get("step", 0), position.get("log", []), position.get("seconds", 0.0)
    if position.get("scaler"):
        scaler.load_state_dict(position["scaler"])

    replica = distributed.replica(student.terms, student.models)

    def keep(path: Path, step: int) -> None:
        student.save(initial, path, model_card(module.TITLE, student.use, settings, seed, steps, step))

    bar = tqdm(total=steps, initial=start, desc=settings.system, unit="step", disable=None if rank == 0 else True)
    began = time.monotonic() - spent
    for step, (step_data, ready) in enumerate(ahead(feed.run(start, steps), student.ready), start):
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(step, steps, group["highest"], settings.warmup, settings.decay)

        passes = []
        for number, part in enumerate(ready, 1):
            with replica.no_sync() if replica and number < len(ready) else nullcontext():
                terms = (replica or student.terms)(part, step)
                term_values = torch.stack(list(terms.values())) / len(ready)
                student.backward(scaler.scale(term_values.sum()))
            passes.append(term_values.detach())
        if not replica:
            distributed.average_gradients(parameters.values())
        averages = distributed.average(torch.stack(passes).sum(0))
        values, total = dict(zip(terms, averages.tolist(), strict=True)), averages.sum().item()
        if not math.isfinite(total):
            raise UserError(
                f"{data}: the loss is not finite at step {step} of {steps} ({values}; {feed.unit} "
                f"{', '.join(feed.names(step_data)[:5])}, …); "
                f"try a learning_rate below {settings.learning_rate} for {settings.system}"
            )
        scaler.unscale_(optimiser)
        norm = torch.nn.utils.clip_grad_norm_(parameters.values(), settings.max_gradient_norm or math.inf)
        scaler.step(optimiser)
        scaler.update()
        optimiser.zero_grad()

        progress = {"step": step + 1, "epoch": step // feed.per_epoch, "learning_rate": optimiser.param_groups[0]["lr"]}
        log.append({**progress, "gradient_norm": norm.item(), "loss": total, **values})
        bar.update()
        bar.set_postfix(loss=f"{total:.3f}", refresh=False)
        if rank == 0:
            if step + 1 in snapshot_steps.values():
                keep(waiting / str(step + 1), step + 1)
            if (step + 1) % settings.checkpoint_every == 0 and step + 1 < steps:
                position = {"key": key, "step": step + 1, "log": log, "seconds": time.monotonic() - began}
                save_state(resume, parameters, optimiser, scaler.state_dict(), position)
    bar.close()
    if rank == 0:
        seconds = time.monotonic() - began
        print(f"{settings.system}: {steps - start} steps; all {steps}: {steps * size / seconds:.0f} {feed.unit}/s")
        for path, snapshot_step in snapshot_steps.items():
            with atomic(path) as temporary:
                shutil.copytree(waiting / str(snapshot_step), temporary)
        keep(output, steps)
        write_course(output, cost, log, seconds, on, processes)
        for folder in (resume, waiting):
            shutil.rmtree(folder, ignore_errors=True)
    distributed.stop()


def ahead(steps: Iterator[Seen], prepare: Callable[[Seen], Ready]) -> Iterator[tuple[Seen, Ready]]:
    """Yield each step with what `prepare` makes of it, in order; one other thread makes the next ones meanwhile.

    What a step raises there is raised here, at its turn.
    """
    prepared = ((step_data, prepare(step_data)) for step_data in steps)
    with ThreadPoolExecutor(1) as thread:
        waiting = deque(thread.submit(next, prepared, None) for _ in range(AHEAD))
        while step := waiting.popleft().result():
            waiting.append(thread.submit(next, prepared, None))
            yield step
