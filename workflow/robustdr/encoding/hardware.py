"""The device and precision of a process; both decide the last digits of a vector."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

import torch

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.settings import Precision

# cuDNN plans its attention for each shape of a batch, which takes longer than to compute it: texts have many lengths.
torch.backends.cuda.enable_cudnn_sdp(False)

Part = TypeVar("Part")
Result = TypeVar("Result")


def device() -> torch.device:
    """Return the first CUDA device of this process, or the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def kind(on: torch.device) -> str:
    """Return the kind of hardware for people: a GPU's name, or torch's instructions on the CPU and its kind."""
    if on.type == "cuda":
        return torch.cuda.get_device_name(on)
    return f"CPU, {torch.backends.cpu.get_cpu_capability()}, {processor.kind()}"


def this_hardware() -> str:
    """Return the kind of hardware that this process computes on."""
    return kind(device())


def start(threads: int) -> None:
    """Set the number of CPU threads; it decides the order of additions."""
    torch.set_num_threads(threads)


def at_once(function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Return `function` of each part, in order, on all cores of the job.

    Each part has the number of threads that `start` set, so the results do not depend on the number of cores.
    """
    threads = torch.get_num_threads()
    workers = min(processor.cores() // threads, len(parts))
    if workers < 2:
        return [function(part) for part in parts]
    with ThreadPoolExecutor(workers, initializer=start, initargs=(threads,)) as pool:
        return list(pool.map(function, parts))


def dtype(precision: Precision, on: torch.device) -> torch.dtype:
    """Return torch's type for a precision.

    Raises:
        UserError: the hardware does not compute in it.
    """
    if precision == "float16" and on.type == "cpu":
        raise UserError("precision: 'float16' is for GPUs; allowed on a processor: float32, bfloat16")
    if precision == "bfloat16" and on.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UserError(f"precision: 'bfloat16': {kind(on)} does not have it; allowed there: float32, float16")
    return getattr(torch, precision)


def autocast(precision: Precision, on: torch.device) -> AbstractContextManager:
    """Return a context that computes in a precision where this loses nothing, with weights in single precision."""
    number_type = dtype(precision, on)
    half = number_type is not torch.float32
    return torch.autocast(on.type, dtype=number_type if half else torch.bfloat16, enabled=half)


def sent(tensor: torch.Tensor, to: torch.device) -> torch.Tensor:
    """Return a CPU tensor copied to a device, without waiting for the GPU."""
    return tensor.pin_memory().to(to, non_blocking=True) if to.type == "cuda" else tensor
