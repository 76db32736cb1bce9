"""requirements.lock, its hashes and the environments are what `make lock` writes."""

import re
import shutil
import subprocess
import tomllib
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
    for name in ("Makefile", "requirements.lock", "requirements.hashes", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)

    def run(*arguments):
        command = ["make", "--silent", "--no-print-directory", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    run.folder = tmp_path
    return run


ENTRY = re.compile(r"^(\S+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE)


def test_every_locked_package_but_torch_has_hashes():
    text = (ROOT / "requirements.hashes").read_text(encoding="utf-8")
    entries = {provenance.normalised(name): version for name, version, _ in ENTRY.findall(text)}
    assert entries == {name: version for name, version in provenance.pins().items() if name != "torch"}
    assert ENTRY.sub("", text) == ""


def test_the_documentation_s_packages_have_hashes_and_none_is_locked_twice():
    text = (ROOT / "envs" / "docs.hashes").read_text(encoding="utf-8")
    names = {made.normalised(name) for name in re.findall(r"^([\w.-]+)==", text, flags=re.MULTILINE)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {made.normalised(Requirement(line).name) for line in project["optional-dependencies"]["docs"]}
    assert asked <= names and not names & set(provenance.pins())
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry)


def test_hashes_are_asked_for_all_but_torch_and_for_both_builds_of_faiss(monkeypatch):
    def answer(command, input, **how):
        assert command[:3] == ["uv", "pip", "compile"] and "--generate-hashes" in command
        found = [f"{pin} \\\n    --hash=sha256:{number}\n" for number, pin in enumerate(input.split("\n"))]
        return subprocess.CompletedProcess(command, 0, "".join(found[:1] + sorted(found[1:])))

    monkeypatch.setattr(subprocess, "run", answer)
    text = made.hashed("a.b==1  # via x\nfaiss-cpu==2.0\ntorch==3  # via faiss-cpu\nx==4\n")
    assert text == (
        "a.b==1 \\\n    --hash=sha256:0\n"
        "faiss-cpu==2.0 \\\n    --hash=sha256:1 \\\n    --hash=sha256:3\n"
        "x==4 \\\n    --hash=sha256:2\n"
    )


def test_set_up_takes_no_file_of_other_bytes(make):
    """Hashes of FAISS move with its name; torch is the only package without one, and comes last."""
    for gpu in ("", "GPU=1"):
        lines = [line for line in make("--dry-run", "setup", *filter(None, [gpu])).splitlines() if " install " in line]
        assert [line.partition(" install ")[2].split()[0] for line in lines[:1]] == ["--no-deps"]
        assert "--require-hashes -r .venv/requirements.txt" in lines[0] and "torch==" in lines[1] and len(lines) == 3
    (builds,) = re.findall(r"sed '(.*?)' requirements.hashes", make("--dry-run", "setup", "GPU=1"))
    swapped = subprocess.run(["sed", builds, ROOT / "requirements.hashes"], capture_output=True, text=True).stdout
    kept = {name: hashes for name, _, hashes in ENTRY.findall(swapped)}
    text = (ROOT / "requirements.hashes").read_text(encoding="utf-8")
    hashes = {name: hashes for name, _, hashes in ENTRY.findall(text)}
    assert kept == {name.replace("faiss-cpu", "faiss-gpu"): of for name, of in hashes.items()}


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


def test_torch_for_another_cuda_is_that_build_of_the_locked_version(make):
    lines = make("requirements", "GPU=1", "TORCH_CUDA=cu126").splitlines()
    (line,) = (line for line in lines if line.startswith("torch="))
    asked, version = Requirement(line.partition(" #")[0]).specifier, provenance.pins()["torch"]
    assert asked.contains(f"{version}+cu126") and not asked.contains(version)


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
