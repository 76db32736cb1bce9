"""The environment of jobs: variables that they need, and those that keys cover; no others reach them."""

import re
from collections.abc import Iterable
from pathlib import Path

from robustdr.core.processor import VARIABLES
from robustdr.core.terminal import TERMINAL

# Patterns of a shell. No variable of theirs changes a number; what a job reads from these places has its digest.
PASSED = (
    *("HOME", "HOST*", "LANG", "LC_*", "LOGNAME", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP*", "TZ", "USER"),
    *("CONDA*", "MAMBA*", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LMOD_*", "MODULE*"),
    *("HF_*", "IR_DATASETS_*", "KRB5CCNAME", "NLTK_DATA", "XDG_*"),  # folders of files
    *("*_proxy", "*_PROXY", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_*"),
    *("CUDA_CACHE_*", "CUDA_MPS_*", "CUDA_DEVICE_ORDER", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_*"),
    *("PYTORCH_*ALLOC_CONF", "SLURM*", "SRUN_*", "VLLM_*"),
    *("FI_*", "GLOO_SOCKET_IFNAME", "NCCL_DEBUG*", "NCCL_IB_*", "NCCL_NET*", "NCCL_SOCKET_*", "UCX_*"),  # networks
    *("*KEY", "*SECRET", "*TOKEN"),  # of servers
    # Snakemake sets them to the cores of a job.
    *(f"{name}_NUM_THREADS" for name in ("GOTO", "MKL", "NUMEXPR", "OMP", "OPENBLAS")),
    "VECLIB_MAXIMUM_THREADS",
    TERMINAL,
    *VARIABLES,
)
KEY = re.compile(r"\bkey[\"']?: *[\"']?([A-Za-z_]\w*)")  # of a server, in the configuration


def keys_of_servers(folders: Iterable[Path]) -> set[str]:
    """Return the names of variables that YAML files below folders give to keys of servers."""
    files = [file for folder in folders for file in folder.rglob("*.yaml")]
    return {name for file in files for name in KEY.findall(file.read_text(encoding="utf-8"))}


def reset(names: Iterable[str] = ()) -> str:
    """Return lines of bash that unset each variable but `PASSED` and those in `names`."""
    patterns = "|".join([*PASSED, *sorted(names)])
    return f'for name in $(compgen -e); do case "$name" in {patterns}) ;; *) unset "$name" || true ;; esac; done; '
