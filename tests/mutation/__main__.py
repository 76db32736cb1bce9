"""`PYTHONPATH=workflow:tests python -m mutation ROOM [MODULE …]`: how many mistakes in a room its tests find.

Every mutant of the room's modules is put into a copy of the project; the room's tests run there until one fails. What
survives is listed: a test is missing, or the mutant does the same as the original, as `equivalent.txt` says of some.
Processes are forked from one that has imported the libraries, so that a mutant takes a second or two.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from mutation.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
QUICK = "golden/test_golden.py::test_"  # first, as they find most
TESTS = {
    "losses": [f"{QUICK}losses", "losses"],
    "rankers": [f"{QUICK}rankers_over_word_vectors", f"{QUICK}rankers_over_transformers", "rankers"],
    "training": ["training", "losses"],
}
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
PATIENCE = 300  # seconds for the tests of one mutant: one that never ends is found
FOUND, SURVIVED, EQUAL = "found", "survived", "equivalent"


def copied(folder: Path) -> Path:
    """Copy the files of the project, tracked or new, into a folder."""
    told = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in told.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def passes(folder: Path, tests: list[str]) -> bool:
    """Whether all tests pass in a copy of the project, in a forked process."""
    child = os.fork()
    if not child:
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.chdir(folder)
        import pytest

        sys.dont_write_bytecode = True
        given = [f"tests/{test}" for test in tests]
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *given])
        os._exit(int(status))
    for _ in range(PATIENCE * 20):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.killpg(child, 9)
    os.waitpid(child, 0)
    return False


def named(module: str, mutant: Mutant) -> str:
    return f"{module}: {mutant.before} -> {mutant.after}".replace("\n", " ")


def run(room: str, only: list[str]) -> list[tuple[str, str]]:
    """Return what became of every mutant of a room, with its name."""
    import numpy  # noqa: F401, forked processes need not import them again
    import torch
    import transformers  # noqa: F401

    torch.set_num_threads(1)
    equal = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    became = []
    with TemporaryDirectory() as temporary:
        folder = copied(Path(temporary))
        if not passes(folder, TESTS[room]):
            sys.exit(f"the tests of {room} fail without a mutant")
        for path in sorted((folder / "workflow/robustdr" / room).glob("*.py")):
            source = path.read_text(encoding="utf-8")
            for mutant in mutants(source) if not only or path.stem in only else ():
                name = named(f"{room}/{path.stem}", mutant)
                if name in equal:
                    became.append((EQUAL, name))
                    continue
                path.write_text(mutant.source, encoding="utf-8")
                became.append((SURVIVED if passes(folder, TESTS[room]) else FOUND, name))
                if became[-1][0] == SURVIVED:
                    print(f"survived, line {mutant.line}: {name}", flush=True)
            path.write_text(source, encoding="utf-8")
    return became


def score(became: list[tuple[str, str]]) -> float:
    """Return the share of mutants found, of those that are no equivalents."""
    states = [state for state, _ in became]
    return states.count(FOUND) / max(1, len(states) - states.count(EQUAL))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="mutation", description=__doc__)
    parser.add_argument("room", choices=TESTS)
    parser.add_argument("modules", nargs="*", help="modules of the room; default: all")
    arguments = parser.parse_args()
    became = run(arguments.room, arguments.modules)
    counts = ", ".join(f"{[state for state, _ in became].count(which)} {which}" for which in (FOUND, SURVIVED, EQUAL))
    print(f"{arguments.room}: {score(became):.1%} of mutants found ({counts})")
    sys.exit(score(became) < 0.95)
