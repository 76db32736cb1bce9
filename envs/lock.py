"""Write requirements.lock, its hashes and the environments beside this file from what is installed: `make lock`.

The lock has one line a package: its version, and after `# via` the packages that need it. Set-up has parts, each with a
file of hashes: build.hashes is what builds this project, requirements.hashes what `make mini` needs; review.hashes,
test.hashes, dvc.hashes and docs.hashes are what these extras add. As uv and pip read it, a file has the SHA-256 of
every file that the package index has of these versions, whatever the system. These files have no torch: there are
builds of it that the index does not have. faiss-gpu.hashes and torch-gpu.hashes have the index's builds for GPUs, each
with its own CUDA. uv.hashes has the uv that wrote them, for machines without one. What conda itself installs (Python,
pip) has no hash: a lock with hashes is made by solving on conda-forge, for each system.

The lock leaves out what packages ask for, but never import here, if it is no wheel, so that set-up would have to build
it: connection_pool, which snakemake asks for; antlr4-python3-runtime with hydra-core and omegaconf, which DVC imports
only for `dvc exp run` with Hydra's configurations.

An environment names what its stages import; everything that this needs follows at the locked versions.
"""

import re
import subprocess
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
BUILDER = "setuptools"  # torch needs it too, but it decides no result. So no key has it: its line names no package.
NEEDED = "      # what these need"

Lock = dict[str, tuple[str, frozenset[str]]]  # version and `via` by name, as `robustdr.keys.provenance.lock` reads them


def normalised(package: str) -> str:
    """A package's name; FAISS for GPUs, conda's or the package index's, is the library of the same version."""
    name = re.sub(r"[-_.]+", "-", package).lower()
    return "faiss-cpu" if name == "faiss-gpu" else name


def needs() -> dict[str, set[str]]:
    """The packages that each installed package needs here, extras that others ask for included; names normalised."""
    lines = {normalised(found.metadata["Name"]): found.requires or [] for found in distributions()}
    asked = {(name, "") for name in lines}
    found: dict[str, set[str]] = {name: set() for name in lines}
    done: set[tuple[str, str]] = set()
    while asked - done:
        done.add(at := (asked - done).pop())
        for requirement in map(Requirement, lines.get(at[0], [])):
            if requirement.marker is None or requirement.marker.evaluate({"extra": at[1]}):
                found[at[0]].add(name := normalised(requirement.name))
                asked |= {(name, extra) for extra in requirement.extras}
    return {name: packages - {BUILDER} for name, packages in found.items()}


def locked() -> str:
    """The text of requirements.lock, with the packages that it names already and the versions that are installed."""
    names = re.findall(r"^([\w.-]+)==", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    versions = {normalised(found.metadata["Name"]): found.version.partition("+")[0] for found in distributions()}
    edges, known = needs(), set(map(normalised, names))
    lines = []
    for name in sorted(names, key=str.lower):
        via = sorted(other for other in known if normalised(name) in edges[other] and other != normalised(name))
        lines.append(f"{name}=={versions[normalised(name)]}" + (f"  # via {', '.join(via)}" if via else ""))
    return "\n".join([*lines, ""])


def with_needs(names: set[str], lock: Lock) -> set[str]:
    """These packages and everything that they need."""
    found, todo = set(), set(names)
    while todo:
        found.add(name := todo.pop())
        todo |= {other for other, (_, via) in lock.items() if name in via} - found
    return found


def hashes(part: str) -> Path:
    """Where the hashes of a part of the set-up are."""
    return ROOT / "requirements.hashes" if part == "main" else ROOT / "envs" / f"{part}.hashes"


def extras() -> dict[str, list[str]]:
    """What this project asks for, by extra; `main` is what it needs to run, and `build` what builds it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    asked = {"build": settings["build-system"]["requires"], **project["optional-dependencies"]}
    return asked | {"main": project["dependencies"] + asked.pop("workflow")}


def parts(lock: Lock) -> dict[str, set[str]]:
    """The locked packages of each part of the set-up, without those that it installs before."""
    found: dict[str, set[str]] = {}
    for part in ("build", "main", "review", "test", "dvc"):
        names = {normalised(Requirement(line).name) for line in extras()[part]}
        found[part] = with_needs(names, lock) - found.get("build", set()) - found.get("main", set())
    return found


def hashed(lock: Lock, names: set[str]) -> str:
    """The text of the file of hashes of these packages."""
    return asked([f"{name}=={lock[name][0]}" for name in sorted(names - {"torch"})], "--no-deps")


def beside(requirements: list[str], before: set[str]) -> str:
    """The text of a file of hashes: these packages and what they need, without those installed before."""
    entries = re.findall(
        r"^([\w.-]+)(==.*\n(?:    .*\n)+)", asked(requirements, f"--constraint={LOCK}"), flags=re.MULTILINE
    )
    return "".join(name + rest for name, rest in entries if normalised(name) not in before)


def asked(requirements: list[str], *options: str) -> str:
    """Versions and hashes of these packages by what the package index says; the program `uv` asks it."""
    how = ["--generate-hashes", "--universal", "--no-header", "--no-annotate", "--quiet", "--python-version", "3.11"]
    command = ["uv", "pip", "compile", *how, *options, "-"]
    return subprocess.run(command, input="\n".join(requirements), stdout=subprocess.PIPE, check=True, text=True).stdout


def environment(text: str, lock: Lock) -> str:
    """The text of an environment with everything that its packages need, at the locked versions."""
    head, _, _ = text.partition(f"\n{NEEDED}")
    named = {normalised(name) for name in re.findall(r"- ([\w.-]+)=+", head)} - {"python"}
    pins = [f"      - {name}=={lock[name][0]}" for name in sorted(with_needs(named, lock) - named)]
    return "\n".join([head.rstrip("\n"), NEEDED, *pins, ""])


if __name__ == "__main__":
    from robustdr.keys import provenance

    LOCK.write_text(locked(), encoding="utf-8")
    lock = provenance.lock()
    for part, names in parts(lock).items():
        hashes(part).write_text(hashed(lock, names), encoding="utf-8")
    always = parts(lock)["build"] | parts(lock)["main"]
    for part in ("docs", "sbom"):
        hashes(part).write_text(beside(extras()[part], always), encoding="utf-8")
    for part, name in {"faiss-gpu": "faiss-gpu", "torch-gpu": "torch"}.items():
        text = beside([f"{name}=={lock[normalised(name)][0]}"], always - {"faiss-cpu", "torch"})
        hashes(part).write_text(text, encoding="utf-8")
    _, version, *_ = subprocess.run(["uv", "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    hashes("uv").write_text(asked([f"uv=={version}"]), encoding="utf-8")
    for path in sorted(ROOT.glob("envs/*.yaml")):
        path.write_text(environment(path.read_text(encoding="utf-8"), lock), encoding="utf-8")
