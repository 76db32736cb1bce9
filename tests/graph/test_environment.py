"""Variables of the user's environment that reach a job: those that it needs, and those that keys cover."""

import os
import subprocess

import pytest
from tests.workflow.conftest import Project

from robustdr.core.processor import VARIABLES
from robustdr.graph.environment import keys_of_servers, reset

# They change digits, or what a process takes for its part of a work, and no key covers them.
STRAY = {
    **{"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"},
    **{"NCCL_ALGO": "Tree", "NCCL_PROTO": "LL", "DISABLE_ADDMM_CUDA_LT": "1", "CUBLAS_EMULATION_STRATEGY": "eager"},
    **{
        "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1",
        "USE_HUB_KERNELS": "YES",
        "TORCHDYNAMO_DISABLE": "1",
        "PYTORCH_JIT": "0",
    },
    **{"PYTHONOPTIMIZE": "2", "PYTHONHASHSEED": "3", "PYTHONPYCACHEPREFIX": "/tmp/stray", "MPLBACKEND": "stray"},
    **{"LD_PRELOAD": "", "MATPLOTLIBRC": "/tmp/stray", "dnnl_max_cpu_isa": "SSE41", "SOMETHING_ELSE": "1"},
}
NEEDED = {
    "HOME": "/",
    "ROBUSTDR_TERMINAL": "/dev/pts/0",
    "SLURM_CPUS_PER_TASK": "2",
    "HF_HUB_OFFLINE": "1",
    "https_proxy": "x",
    "OPENAI_API_KEY": "x",
}


def seen_by(prefix: str, **variables: str) -> dict[str, str]:
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail; {prefix}env -0"], env={"PATH": os.environ["PATH"], **variables},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(line.split("=", 1) for line in done.stdout.split("\0") if line)


def test_what_no_key_covers_does_not_reach_a_job():
    kept = NEEDED | dict.fromkeys(VARIABLES, "1")
    seen = seen_by(reset(), **STRAY, **kept)
    assert not seen.keys() & STRAY.keys() and kept.items() <= seen.items()


def test_values_of_any_form_and_variables_that_cannot_be_unset_do_no_harm():
    text = "a\nRANK=1\n$(touch stray) `x` 'y'"
    assert seen_by(f"readonly STAYS; {reset()}", HOME=text, STAYS="1", GOES=text)["HOME"] == text


LINES = ["key: MY_PASS", "{kind: served, key: MY_PASS}", '{"key": "MY_PASS"}', "key: 'MY_PASS'"]


@pytest.mark.parametrize("line", LINES)
def test_the_key_of_a_server_has_the_name_that_the_configuration_gives_it(tmp_path, line):
    (tmp_path / "scales").mkdir()
    (tmp_path / "scales/full.yaml").write_text(line)
    seen = seen_by(reset(keys_of_servers([tmp_path])), MY_PASS="x", OTHER_PASS="x")
    assert "MY_PASS" in seen and "OTHER_PASS" not in seen


def test_jobs_start_so(tmp_path, monkeypatch):
    """A job of Snakemake writes what it sees."""
    project = Project(tmp_path)
    stage = tmp_path / "workflow/robustdr/stages/audit.py"
    notes = "import os\nfrom pathlib import Path\nPath('seen').write_text(' '.join(os.environ))\n"
    stage.write_text(notes + stage.read_text())
    stray = {name: value for name, value in STRAY.items() if not name.startswith(("PYTHON", "LD_"))}
    for name, value in (stray | {"MKL_CBWR": "SSE4_2"}).items():
        monkeypatch.setenv(name, value)
    status, output = project.snakemake("--", "results/audit/rodr.md")
    assert status == 0, output
    seen = set((tmp_path / "seen").read_text().split())
    assert not seen & STRAY.keys() and {"MKL_CBWR", "HF_HUB_OFFLINE", "PYTHONSAFEPATH"} <= seen
