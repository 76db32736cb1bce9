"""The GPUs that a job asked for: a job that cannot use them stops before it computes for hours on a processor."""

from robustdr.core.errors import UserError

# The oldest NVIDIA driver for each major version of CUDA (CUDA Toolkit release notes).
DRIVERS = {"12": 525, "13": 580}


def check_gpus(stage: str, requested: int) -> None:
    """Check that torch, and FAISS where it builds an index, can use as many GPUs as the job asked for.

    Raises:
        UserError: one of them can use fewer; the message says why, and what is needed.
    """
    import torch

    usable, build, reason = 0, f"torch {torch.__version__}", ""
    try:
        torch.cuda.init()
        usable = torch.cuda.device_count()
    except (RuntimeError, AssertionError) as error:  # torch says what is missing
        reason = f" ({str(error).partition('. ')[0].strip()})"
    cuda = torch.version.cuda or ""
    driver = DRIVERS.get(cuda.partition(".")[0])
    needed = f"it needs an NVIDIA driver {driver} or newer (`nvidia-smi` shows yours)" if driver else "it has no CUDA"
    if usable >= requested and stage == "compress":
        import faiss

        usable, build, needed = faiss.get_num_gpus(), f"FAISS {faiss.__version__}", "faiss-gpu has it"
    if usable < requested:
        raise UserError(
            f"the job asked for {requested} GPU{'s' * (requested > 1)}, and {build} can use {usable}{reason}; "
            f"{needed}; docs/how-to/full-scale.md says how to install another build; `device: any` in the scale allows "
            "a processor"
        )
