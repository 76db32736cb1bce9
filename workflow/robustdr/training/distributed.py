"""Training with several processes, started by torchrun; without torchrun, functions act as for one process.

A recipe says on how many devices a batch is computed, each with an equal share. Fewer processes compute several shares
each, one after the other: memory is that of one share, and the result is the same.
"""

import os
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_gather

from robustdr.core import torchrun
from robustdr.core.errors import UserError


def start() -> tuple[int, int]:
    """Join the processes that torchrun started.

    Returns:
        (rank, number of processes); (0, 1) without torchrun.
    """
    if not torchrun.is_started():
        return 0, 1
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    return dist.get_rank(), dist.get_world_size()


def rank() -> int:
    """The number of this process, from 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def processes() -> int:
    """How many processes there are."""
    return dist.get_world_size() if dist.is_initialized() else 1


def shares(devices: int) -> range:
    """The shares of a batch that this process computes, of `devices` equal ones.

    Raises:
        UserError: the processes cannot have equally many.
    """
    per_process, rest = divmod(devices, processes())
    if rest:
        raise UserError(
            f"{processes()} processes cannot share the batch of {devices} devices: {devices} is no multiple"
        )
    return range(rank() * per_process, (rank() + 1) * per_process)


def gather(vectors: torch.Tensor) -> torch.Tensor:
    """The vectors of all processes, [processes · n, d], in rank order; gradients flow back to every process."""
    if not dist.is_initialized():
        return vectors
    gathered = torch.cat(all_gather(vectors.contiguous()))
    if gathered.requires_grad:
        # gloo sends a gradient's bytes as if it were contiguous
        gathered.register_hook(torch.Tensor.contiguous)
    return gathered


def average(values: torch.Tensor) -> torch.Tensor:
    """The mean of each value over the processes, without gradients."""
    values = values.detach().clone()
    if dist.is_initialized():
        dist.all_reduce(values)
        values /= dist.get_world_size()
    return values


def average_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Average gradients over the processes.

    If every process computes the same loss on the gathered batch, `gather` sums the gradients of all processes. If each
    process computes the mean over its own queries, the mean over all queries is the mean of these. In both cases the
    average is the gradient that one process would compute on the whole batch.
    """
    if dist.is_initialized():
        for parameter in parameters:
            if parameter.grad is not None:
                dist.all_reduce(parameter.grad)
                parameter.grad /= dist.get_world_size()


def stop() -> None:
    """Leave the processes that torchrun started."""
    if dist.is_initialized():
        dist.destroy_process_group()
