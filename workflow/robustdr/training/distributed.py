"""Several processes as one: started by torchrun, silent otherwise."""

import os
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_gather


def start() -> tuple[int, int]:
    """Join the processes that torchrun started.

    Returns:
        (rank, number of processes); (0, 1) without torchrun.
    """
    if "RANK" not in os.environ:
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


def gather(vectors: torch.Tensor) -> torch.Tensor:
    """The vectors of all processes, [processes · n, d], in rank order; gradients flow back to every process."""
    if not dist.is_initialized():
        return vectors
    gathered = torch.cat(all_gather(vectors.contiguous()))
    if gathered.requires_grad:
        # gloo sends the bytes of a strided gradient as if they lay in order
        gathered.register_hook(torch.Tensor.contiguous)
    return gathered


def average(values: torch.Tensor) -> torch.Tensor:
    """The mean over the processes of each value, without gradients."""
    values = values.detach().clone()
    if dist.is_initialized():
        dist.all_reduce(values)
        values /= dist.get_world_size()
    return values


def average_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Average gradients over the processes.

    Where every process computes the same loss on the gathered batch, `gather` sums the gradients of all of them; where
    each computes the mean over its own queries, the mean over all is the mean of these. Either way the average is the
    gradient of one process on the whole batch.
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
