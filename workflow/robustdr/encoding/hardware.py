"""The device and precision that a process computes with; both decide the last digits of a vector."""

from contextlib import AbstractContextManager

import torch

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.settings import Precision


def device() -> torch.device:
    """The first CUDA device of this process where there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def kind(on: torch.device) -> str:
    """The kind of hardware, for people: a GPU's name, or what torch computes with on the processor, and its kind."""
    if on.type == "cuda":
        return torch.cuda.get_device_name(on)
    return f"CPU, {torch.backends.cpu.get_cpu_capability()}, {processor.kind()}"


def here() -> str:
    """The kind of hardware that this process computes on."""
    return kind(device())


def start(threads: int) -> None:
    """Set the number of CPU threads; it decides the order in which numbers are added."""
    torch.set_num_threads(threads)


def dtype(precision: Precision, on: torch.device) -> torch.dtype:
    """The type behind a precision.

    Raises:
        UserError: the hardware does not compute in it.
    """
    if precision == "float16" and on.type == "cpu":
        raise UserError("precision: 'float16' is for GPUs; allowed on a processor: float32, bfloat16")
    if precision == "bfloat16" and on.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UserError(f"precision: 'bfloat16': {kind(on)} does not have it; allowed there: float32, float16")
    return getattr(torch, precision)


def autocast(precision: Precision, on: torch.device) -> AbstractContextManager:
    """Compute in a precision where that loses nothing, with weights in single precision."""
    wanted = dtype(precision, on)
    half = wanted is not torch.float32
    return torch.autocast(on.type, dtype=wanted if half else torch.bfloat16, enabled=half)


def sent(tensor: torch.Tensor, to: torch.device) -> torch.Tensor:
    """A CPU tensor on a device, copied without waiting for the GPU."""
    return tensor.pin_memory().to(to, non_blocking=True) if to.type == "cuda" else tensor
