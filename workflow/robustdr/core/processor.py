"""The processor of this machine, known without loading torch."""

import os
import platform
import re
from functools import cache
from pathlib import Path


@cache
def _cpu_description() -> str:
    """Linux's description of it; '' elsewhere."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def kind() -> str:
    """What decides a library's choice of kernels: the maker, and instructions for bfloat16 and for its matrices.

    `ONEDNN_MAX_CPU_ISA` counts too: it tells oneDNN not to use some of these.
    """
    maker = re.search(r"^vendor_id\s*:\s*(\S+)", _cpu_description(), re.MULTILINE)
    has = [name for name, flag in (("BF16", "avx512_bf16"), ("AMX", "amx_bf16")) if flag in _cpu_description()]
    limits = [f"ONEDNN_MAX_CPU_ISA={limit}" for limit in [os.environ.get("ONEDNN_MAX_CPU_ISA")] if limit]
    return ", ".join([maker[1] if maker else platform.machine(), *has, *limits])


def native() -> str:
    """The precision that is fastest on this processor.

    `bfloat16` if it multiplies bfloat16 matrices (Intel's AMX), or bfloat16 vectors at twice the rate of single
    precision (AMD's AVX-512); else `float32`, which is faster on Intel's AVX-512 without AMX.
    """
    amd = "AuthenticAMD" in _cpu_description() and "avx512_bf16" in _cpu_description()
    return "bfloat16" if amd or "amx_bf16" in _cpu_description() else "float32"
