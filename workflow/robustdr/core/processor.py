"""The processor of this machine, known without loading torch."""

import os
import platform
import re
from functools import cache
from pathlib import Path


@cache
def _about() -> str:
    """What Linux knows of it; nothing elsewhere."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def kind() -> str:
    """What decides which kernels a library takes: the maker, and instructions for bfloat16 and for matrices of them.

    oneDNN can be told to leave some of these alone.
    """
    maker = re.search(r"^vendor_id\s*:\s*(\S+)", _about(), re.MULTILINE)
    has = [name for name, flag in (("BF16", "avx512_bf16"), ("AMX", "amx_bf16")) if flag in _about()]
    told = [f"ONEDNN_MAX_CPU_ISA={limit}" for limit in [os.environ.get("ONEDNN_MAX_CPU_ISA")] if limit]
    return ", ".join([maker[1] if maker else platform.machine(), *has, *told])


def native() -> str:
    """The precision that the processor is fastest in.

    `bfloat16` where it multiplies matrices of them (Intel's AMX), or vectors at twice the rate of single precision
    (AMD's AVX-512); else `float32`, which Intel's AVX-512 without AMX is faster in.
    """
    amd = "AuthenticAMD" in _about() and "avx512_bf16" in _about()
    return "bfloat16" if amd or "amx_bf16" in _about() else "float32"
