"""The processor of this machine, known without loading torch."""

from functools import cache
from pathlib import Path


@cache
def native() -> str:
    """The precision that the processor is fastest in.

    `bfloat16` where it multiplies matrices of them (Intel's AMX), or vectors at twice the rate of single precision
    (AMD's AVX-512); else `float32`, which Intel's AVX-512 without AMX is faster in.
    """
    try:
        about = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:  # not Linux
        return "float32"
    return "bfloat16" if "amx_bf16" in about or ("AuthenticAMD" in about and "avx512_bf16" in about) else "float32"
