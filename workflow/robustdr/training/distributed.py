"""Training with several processes, started by torchrun; without torchrun, functions act as for one process.

A recipe says on how many devices a batch is computed, each with an equal share. Fewer processes compute several shares
each, one after the other: memory is that of one share, and the result is the same.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.nn.functional import all_gather
from torch.nn.parallel import DistributedDataParallel

from robustdr.core import torchrun
from robustdr.core.errors import UserError

BUCKET = 25 << 20  # bytes of gradients in one message, as in DistributedDataParallel


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


class Terms(torch.nn.Module):
    """A loss's terms as the output of a module, whose parameters are those of all models in training."""

    def __init__(self, terms: Callable[..., dict[str, torch.Tensor]], models: Sequence[torch.nn.Module]):
        super().__init__()
        self.terms, self.models = terms, torch.nn.ModuleList(models)

    def forward(self, *arguments: Any) -> dict[str, torch.Tensor]:
        return self.terms(*arguments)


def replica(
    terms: Callable[..., dict[str, torch.Tensor]], models: Sequence[torch.nn.Module]
) -> DistributedDataParallel | None:
    """The terms of a loss, whose gradients are averaged over the processes in buckets while the backward pass runs.

    None if there is one process without others, or if there are no `models`: their gradients need passes of their own,
    and are averaged after these.
    """
    if not dist.is_initialized() or not models:
        return None
    # A text's pooler and the like have no gradient. Buffers are alike in all processes.
    return DistributedDataParallel(
        Terms(terms, models), find_unused_parameters=True, broadcast_buffers=False, gradient_as_bucket_view=True
    )


def average_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Average gradients over the processes, many in one message.

    If every process computes the same loss on the gathered batch, `gather` sums the gradients of all processes. If each
    process computes the mean over its own queries, the mean over all queries is the mean of these. In both cases the
    average is the gradient that one process would compute on the whole batch. So it is in `replica`.
    """
    if not dist.is_initialized():
        return
    bucket: list[torch.Tensor] = []
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    for number, gradient in enumerate(gradients, 1):
        bucket.append(gradient)
        if number == len(gradients) or sum(part.nbytes for part in bucket) >= BUCKET:
            row = torch.cat([part.flatten() for part in bucket])
            dist.all_reduce(row)
            row /= dist.get_world_size()
            for part, averages in zip(bucket, row.split([part.numel() for part in bucket]), strict=True):
                part.copy_(averages.view_as(part))
            bucket.clear()


def stop() -> None:
    """Leave the processes that torchrun started."""
    if dist.is_initialized():
        dist.destroy_process_group()
