"""What a compute node has: torch, and as many GPUs as a job asks for, each of use to torch, NCCL and FAISS."""

import multiprocessing
import socket
from collections.abc import Callable, Iterator
from typing import Any

from robustdr.core.errors import UserError
from robustdr.keys.provenance import pins

PATIENCE = 120  # seconds for a sum over all GPUs


def inspect(gpus: int, precision: str) -> dict[str, Any]:
    """Return what this machine has, after a check of what a job with so many GPUs does there.

    Raises:
        UserError: all that does not work, in one line.
    """
    import torch

    features: dict[str, Any] = {"host": socket.gethostname(), "torch": torch.__version__, "cuda": torch.version.cuda}
    installed, pin = torch.__version__.partition("+")[0], pins()["torch"]
    faults = [] if installed == pin else [f"torch {installed} is installed, requirements.lock pins {pin}"]
    if gpus:
        faults += _gpus(gpus, precision, features)
    if faults:
        raise UserError(f"{socket.gethostname()}: {'; '.join(faults)}")
    return features


def _gpus(gpus: int, precision: str, features: dict[str, Any]) -> Iterator[str]:
    """Yield what does not work on the GPUs of this job, and note their names."""
    import torch

    try:
        torch.cuda.init()
        visible = torch.cuda.device_count()
    except (RuntimeError, AssertionError) as error:  # no driver, one that is too old, a build without CUDA
        yield f"torch {torch.__version__} cannot use a GPU ({' '.join(str(error).split())[:200]})"
        return
    if visible < gpus:
        yield f"torch sees {visible} of {gpus} GPUs"
        return
    features["gpus"] = [torch.cuda.get_device_name(number) for number in range(gpus)]
    for number, name in enumerate(features["gpus"]):
        with torch.cuda.device(number):
            if precision == "bfloat16" and not torch.cuda.is_bf16_supported(including_emulation=False):
                yield f"GPU {number} ({name}) does not compute in bfloat16"
            ones = torch.ones(64, 64, device="cuda", dtype=getattr(torch, precision))
            if (total := float((ones @ ones).sum())) != 64**3:
                yield f"GPU {number} ({name}) computes {total} where {64**3} is right"
    if gpus > 1 and (wrong := together(gpus, "nccl")):
        yield wrong
    yield from _faiss(gpus)


def _faiss(gpus: int) -> Iterator[str]:
    import faiss
    import numpy as np

    visible = faiss.get_num_gpus() if hasattr(faiss, "get_num_gpus") else 0
    if visible < gpus:
        yield f"FAISS {faiss.__version__} sees {visible} of {gpus} GPUs: the build faiss-gpu does (`make setup GPU=1`)"
        return
    vectors = np.eye(8, dtype=np.float32)
    index = faiss.index_cpu_to_all_gpus(faiss.IndexFlatIP(8), ngpu=gpus)
    index.add(vectors)
    if index.search(vectors, 1)[1].ravel().tolist() != list(range(8)):
        yield "FAISS finds other vectors on the GPU than those that it was given"


def together(processes: int, backend: str) -> str:
    """Let processes, each with a GPU of its own under NCCL, add their numbers up; return what went wrong, or ''."""
    with socket.socket() as free_port:
        free_port.bind(("127.0.0.1", 0))
        port = free_port.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    answers = context.SimpleQueue()
    workers = [
        context.Process(target=_add, args=(rank, processes, backend, port, answers.put), daemon=True)
        for rank in range(processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE)
    late = [worker for worker in workers if worker.is_alive()]
    for worker in late:
        worker.kill()
    replies = []
    while not answers.empty():
        replies.append(answers.get())
    wrong = next((reply for reply in replies if isinstance(reply, str)), "")
    if wrong or late or replies != [processes * (processes + 1) / 2] * processes:
        return f"{backend} does not add up between {processes} processes: {wrong or f'{len(late)} of them wait'}"
    return ""


def _add(rank: int, processes: int, backend: str, port: int, answer: Callable[[float | str], None]) -> None:
    import torch

    try:
        device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
        address = f"tcp://127.0.0.1:{port}"
        torch.distributed.init_process_group(backend, init_method=address, rank=rank, world_size=processes)
        number = torch.tensor([rank + 1.0], device=device)
        torch.distributed.all_reduce(number)
        answer(float(number))
        torch.distributed.destroy_process_group()
    except Exception as error:  # whatever NCCL, the driver or torch raise
        answer(" ".join(str(error).split())[:200])
