"""Write requirements.lock, its hashes and the environments beside this file from what is installed: `make lock`.

The lock has one line a package: its version, and after `# via` the packages that need it. requirements.hashes has, as
pip reads it, the SHA-256 of every file that the package index has of these versions, whatever the system. Torch is not
in it: there are builds of it that the index does not have. What conda itself installs (Python, pip) has no hash either:
a lock with hashes is made by solving on conda-forge, for each system. docs.hashes is what `make docs` adds.

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
HASHES = ROOT / "requirements.hashes"
DOCS = ROOT / "envs" / "docs.hashes"
NEEDED = "      # what these need"


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
    return found


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


def hashed(lock: str) -> str:
    """The text of requirements.hashes.

    The two builds of FAISS share an entry, so that set-up can take either name.
    """
    pins = [pin for pin in re.findall(r"^[\w.-]+==\S+", lock, flags=re.MULTILINE) if not pin.startswith("torch==")]
    pins += [pin.replace("faiss-cpu", "faiss-gpu") for pin in pins if pin.startswith("faiss-cpu==")]
    return re.sub(r"\nfaiss-gpu==\S+", "", asked(pins, "--no-deps"))


def documentation(lock: str) -> str:
    """The text of docs.hashes: the packages of the extra `docs` and what they need, without those of the lock."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    known = set(map(normalised, re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE)))
    entries = re.findall(
        r"^([\w.-]+)(==.*\n(?:    .*\n)+)", asked(extras["docs"], f"--constraint={LOCK}"), flags=re.MULTILINE
    )
    return "".join(name + rest for name, rest in entries if normalised(name) not in known)


def asked(requirements: list[str], *options: str) -> str:
    """Versions and hashes of these packages by what the package index says; the program `uv` asks it."""
    how = ["--generate-hashes", "--universal", "--no-header", "--no-annotate", "--quiet", "--python-version", "3.11"]
    command = ["uv", "pip", "compile", *how, *options, "-"]
    return subprocess.run(command, input="\n".join(requirements), stdout=subprocess.PIPE, check=True, text=True).stdout


def environment(text: str, lock: dict[str, tuple[str, frozenset[str]]]) -> str:
    """The text of an environment with everything that its packages need, at the locked versions.

    Args:
        lock: version and `via` of every package, as `robustdr.keys.provenance.lock` reads them.
    """
    head, _, _ = text.partition(f"\n{NEEDED}")
    named = {normalised(name) for name in re.findall(r"- ([\w.-]+)=+", head)} - {"python"}
    found, todo = set(), set(named)
    while todo:
        found.add(name := todo.pop())
        todo |= {other for other, (_, via) in lock.items() if name in via} - found
    pins = [f"      - {name}=={lock[name][0]}" for name in sorted(found - named)]
    return "\n".join([head.rstrip("\n"), NEEDED, *pins, ""])


if __name__ == "__main__":
    from robustdr.keys import provenance

    LOCK.write_text(locked(), encoding="utf-8")
    HASHES.write_text(hashed(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
    DOCS.write_text(documentation(LOCK.read_text(encoding="utf-8")), encoding="utf-8")
    for path in sorted(ROOT.glob("envs/*.yaml")):
        path.write_text(environment(path.read_text(encoding="utf-8"), provenance.lock()), encoding="utf-8")
