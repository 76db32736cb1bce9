"""requirements.lock and the environments are what `make lock` writes."""

import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from robustdr.keys import provenance

ROOT = Path(__file__).parents[1]
spec = spec_from_file_location("lock", ROOT / "envs" / "lock.py")
made = module_from_spec(spec)
spec.loader.exec_module(made)


def test_every_line_says_which_packages_need_it():
    assert made.locked() == (ROOT / "requirements.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(ROOT.glob("envs/*.yaml")), ids=lambda path: path.name)
def test_an_environment_has_everything_that_its_packages_need(path):
    text = path.read_text(encoding="utf-8")
    assert made.environment(text, provenance.lock()) == text


def test_faiss_for_gpus_is_the_locked_library():
    assert made.normalised("faiss_gpu") == made.normalised("faiss-cpu") == "faiss-cpu"


@pytest.fixture()
def make(tmp_path):
    """`make("setup", "GPU=1")`: what make prints in a folder of its own, where nothing is installed."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)

    def run(*arguments):
        command = ["make", "--silent", "--no-print-directory", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run.folder = tmp_path
    return run


def test_a_gpu_takes_other_builds_of_the_locked_versions(make):
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert make("requirements") == locked
    lines = zip(locked.splitlines(), make("requirements", "GPU=1").splitlines(), strict=True)
    other = dict(pair for pair in lines if len({*pair}) == 2)
    pins = provenance.pins()
    assert other == {
        f"faiss-cpu=={pins['faiss-cpu']}": f"faiss-gpu=={pins['faiss-cpu']}",
        f"torch=={pins['torch']}  # via accelerate, sentence-transformers": (
            f"torch==={pins['torch']}  # via accelerate, sentence-transformers"
        ),
    }


def test_torch_for_a_gpu_is_no_build_for_processors(make):
    for arguments, builds in (((), [True, True]), (("GPU=1",), [True, False])):
        (line,) = (line for line in make("requirements", *arguments).splitlines() if line.startswith("torch="))
        asked = Requirement(line.partition(" #")[0]).specifier
        version = provenance.pins()["torch"]
        assert [asked.contains(build) for build in (version, f"{version}+cpu")] == builds


def test_an_environment_is_set_up_once_for_a_gpu_or_without(make):
    """One build of FAISS at a time, and what was set up for a GPU stays so."""
    plain, gpu = make("--dry-run", "setup"), make("--dry-run", "setup", "GPU=1")
    assert "--yes faiss-gpu\n" in plain and "--yes faiss-cpu\n" in gpu
    ready = gpu.splitlines()[-1].removeprefix("touch ")
    assert ready.startswith(".venv/ready-gpu-") and f"touch {ready.replace('gpu-', '')}" == plain.splitlines()[-1]
    (make.folder / ready).parent.mkdir()
    (make.folder / ready).touch()
    assert not make("--dry-run", "setup") and not make("--dry-run", "setup", "GPU=1")
    assert "--yes faiss-gpu\n" in make("--dry-run", "setup", "GPU=")
