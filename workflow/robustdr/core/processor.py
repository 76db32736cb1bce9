"""The processor of this machine, known without loading torch."""

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

# What decides the last digits beside settings: instructions, number types, sizes of blocks and the order of additions.
# From the references of oneDNN (CPU dispatcher control, CPU ISA hints), oneMKL (conditional numerical
# reproducibility, vector mathematics), OpenMP (GNU, LLVM), NumPy (CPU build options), FAISS, glibc, CUDA
# and torch (CUDA environment variables), and from the names that stand in the installed libraries of
# torch and OpenBLAS. Threads are settings: Snakemake sets OPENBLAS_NUM_THREADS and the like for each job.
VARIABLES = (
    "ATEN_CPU_CAPABILITY",
    "BLIS_ARCH_TYPE",
    "CUBLASLT_WORKSPACE_SIZE",
    "CUBLAS_WORKSPACE_CONFIG",
    *(
        f"{library}_{name}"
        for library in ("DNNL", "ONEDNN")
        for name in ("CPU_ISA_HINTS", "DEFAULT_FPMATH_MODE", "MAX_CPU_ISA")
    ),
    "FAISS_OPT_LEVEL",
    *(
        f"FBGEMM_{name}"
        for name in ("ENABLE_AVX512_256", "ENABLE_INSTRUCTIONS", "FORCE_AUTOVEC", "NO_ASMJIT", "NO_AUTOVEC")
    ),
    "GLIBC_TUNABLES",
    "KMP_DETERMINISTIC_REDUCTION",
    "KMP_FORCE_REDUCTION",
    "MKL_CBWR",
    "MKL_DEBUG_CPU_TYPE",
    "MKL_DOMAIN_NUM_THREADS",
    "MKL_DYNAMIC",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_STRIPES",
    "MKL_VML_MODE",
    "NPY_DISABLE_CPU_FEATURES",
    "NPY_ENABLE_CPU_FEATURES",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_DYNAMIC",
    "OMP_SCHEDULE",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_BLOCK_FACTOR",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_DEFAULT_NUM_THREADS",
    "OPENBLAS_L2_SIZE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TORCH_CUDNN_USE_HEURISTIC_MODE_B",
    "TORCH_CUDNN_V8_API_DISABLED",
    "TORCH_LINALG_PREFER_CUSOLVER",
    "TORCH_LINEAR_FLATTEN_3D",
    "TORCH_MKLDNN_MATMUL_MIN_DIM",
    "TORCH_MKLDNN_MATMUL_MIN_SIZE",
)


def cores() -> int:
    """Return the cores of this job: Snakemake and commands set OMP_NUM_THREADS; 1 if it is unset."""
    return int(os.environ.get("OMP_NUM_THREADS", 1))


@contextmanager
def job_cores(number: int) -> Iterator[None]:
    """Let jobs of this process have so many cores."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = str(number)
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before


def variables() -> dict[str, str]:
    """Return those of `VARIABLES` that are set."""
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}


@cache
def _cpu_description() -> str:
    """Linux's description of it; '' elsewhere."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def kind() -> str:
    """What decides a library's choice of kernels: the maker, and instructions for bfloat16 and for its matrices.

    Variables that tell libraries to compute in another way count too.
    """
    maker = re.search(r"^vendor_id\s*:\s*(\S+)", _cpu_description(), re.MULTILINE)
    has = [name for name, flag in (("BF16", "avx512_bf16"), ("AMX", "amx_bf16")) if flag in _cpu_description()]
    limits = [f"{name}={value}" for name, value in variables().items()]
    return ", ".join([maker[1] if maker else platform.machine(), *has, *limits])


def native() -> str:
    """The precision that is fastest on this processor.

    `bfloat16` if it multiplies bfloat16 matrices (Intel's AMX), or bfloat16 vectors at twice the rate of single
    precision (AMD's AVX-512); else `float32`, which is faster on Intel's AVX-512 without AMX.
    """
    amd = "AuthenticAMD" in _cpu_description() and "avx512_bf16" in _cpu_description()
    return "bfloat16" if amd or "amx_bf16" in _cpu_description() else "float32"
