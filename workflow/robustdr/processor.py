"""The processor of this machine, known without loading torch."""

from functools import cache
from pathlib import Path


@cache
def native() -> str:
    """The precision that the processor is fastest in: `bfloat16` where it has instructions for it, else `float32`."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return "float32"
    return "bfloat16" if "avx512_bf16" in flags else "float32"
