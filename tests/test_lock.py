"""requirements.lock, its hashes and the environments are what `make lock` writes."""

import re
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


ENTRY = re.compile(r"^(\S+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE)
PARTS = made.parts(provenance.lock())


def test_every_locked_package_is_in_a_part_and_what_all_need_is_in_no_other():
    assert set().union(*PARTS.values()) == set(provenance.pins())
    always = [PARTS["build"], PARTS["main"]]
    assert not any(first & other for first in always for other in PARTS.values() if first is not other)
    assert {"snakemake", "torch"} < PARTS["main"] and "pdfplumber" in PARTS["review"]
    assert "pytest" in PARTS["test"] and "dvc" in PARTS["dvc"]


@pytest.mark.parametrize("part", PARTS)
def test_every_package_of_a_part_but_torch_has_hashes(part):
    text = made.hashes(part).read_text(encoding="utf-8")
    entries = {provenance.normalised(name): version for name, version, _ in ENTRY.findall(text)}
    assert entries == {name: provenance.pins()[name] for name in PARTS[part] - {"torch"}}
    assert ENTRY.sub("", text) == ""


@pytest.mark.parametrize("part", ["docs", "sbom"])
def test_packages_beside_the_lock_have_hashes_and_none_is_installed_twice(part):
    text = made.hashes(part).read_text(encoding="utf-8")
    names = {made.normalised(name) for name in re.findall(r"^([\w.-]+)==", text, flags=re.MULTILINE)}
    asked = {made.normalised(Requirement(line).name) for line in made.extras()[part]}
    assert asked <= names and not names & (PARTS["build"] | PARTS["main"])
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry)


def test_whatever_a_locked_package_needs_is_locked_but_for_what_cannot_be_a_wheel():
    """Set-up installs no needs of packages: it takes the lock for whole."""
    needs = made.needs()
    lacking = {need for name in provenance.pins() for need in needs[name] - provenance.pins().keys()}
    assert lacking <= {"antlr4-python3-runtime", "connection-pool", "hydra-core", "omegaconf"}


@pytest.mark.parametrize("path", sorted(ROOT.glob("envs/*.yaml")), ids=lambda path: path.name)
def test_jobs_need_only_what_is_always_installed(path):
    named = re.findall(r"- ([\w.-]+)=+", path.read_text(encoding="utf-8"))
    assert set(map(made.normalised, named)) - {"python"} <= PARTS["main"]


def test_what_builds_the_project_is_pinned_as_in_the_lock():
    """Its hash is in envs/build.hashes, which set-up installs first."""
    for line in made.extras()["build"]:
        requirement = Requirement(line)
        assert str(requirement.specifier) == f"=={provenance.pins()[requirement.name]}"


@pytest.mark.parametrize("name, cuda", [("faiss-gpu", "cu12"), ("torch", "cuda-toolkit")])
def test_builds_for_gpus_have_hashes_and_their_cuda(name, cuda):
    text = made.hashes(f"{name.removesuffix('-gpu')}-gpu").read_text(encoding="utf-8")
    versions = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, flags=re.MULTILINE))
    assert versions[name] == provenance.pins()[made.normalised(name)]
    assert any(cuda in package for package in versions)
    assert not {*versions} & (PARTS["build"] | PARTS["main"]) - {"torch"}
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=\S)", text, flags=re.MULTILINE) if entry)


def test_hashes_are_asked_for_all_but_torch(monkeypatch):
    def answer(command, input, **how):
        assert command[:3] == ["uv", "pip", "compile"] and "--generate-hashes" in command
        return subprocess.CompletedProcess(command, 0, input)

    monkeypatch.setattr(subprocess, "run", answer)
    lock = {"faiss-cpu": ("2.0", frozenset()), "a-b": ("1", frozenset()), "torch": ("3", frozenset({"faiss-cpu"}))}
    assert made.hashed(lock | {"other": ("4", frozenset())}, set(lock)) == "a-b==1\nfaiss-cpu==2.0"
