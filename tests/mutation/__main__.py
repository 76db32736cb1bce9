"""`PYTHONPATH=workflow:tests python -m mutation ROOM [MODULE …]`: how many mistakes in a room its tests find.

Every mutant of the room's modules is put into a copy of the project. There the tests that run its line go, the quickest
first, until one fails. What survives is listed: a test is missing, or the mutant does the same as the original, as
`equivalent.txt` says of some. Processes are forked from one that has imported the libraries: a mutant takes seconds.
"""

import argparse
import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mutation.covering import Choosing, Noting
from mutation.mutants import Mutant, mutants

ROOT = Path(__file__).parents[2]
TESTS = {
    "losses": ["tests/golden", "tests/losses"],
    "rankers": ["tests/golden", "tests/rankers"],
    "training": ["tests/training"],
    "pretraining": ["tests/pretraining"],
}
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
# Without what takes longer than most tests: plug-ins, rewritten assertions, a last search for garbage.
PYTEST = ["-q", "-m", "not slow", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:unraisableexception"]
WORK = 20  # seconds of the processor for the tests of a mutant
LONGEST = 1000  # and for all tests of a room
PATIENCE = 20  # seconds on the clock for one of the processor: other work may share the machine
PRINTED = "printed.txt"
FOUND, SURVIVED, EQUAL = "found", "survived", "equivalent"


def copied(folder: Path) -> Path:
    """Copy the files of the project, tracked or new, into a folder."""
    told = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in told.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def passes(folder: Path, given: list[str], plugin: object, seconds: int) -> bool:
    """Whether pytest passes what it is given in a copy of the project, in a process that may work for some seconds."""
    child = os.fork()
    if not child:
        os.setsid()
        printed = os.open(folder / PRINTED, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.chdir(folder)
        os.environ |= {"PYTHONPATH": f"{folder / 'workflow'}", "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        os._exit(int(pytest.main([*PYTEST, *given], plugins=[plugin])))
    for _ in range(PATIENCE * seconds * 20):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.05)
    os.killpg(child, 9)
    os.waitpid(child, 0)
    return False


def chosen(told: dict[str, dict], room: str, module: str, line: int) -> list[str]:
    """Return the quickest tests that run a line, or any of its module where it runs on import, or else any of the room.

    The tests of the module's own file are among them: they may run it in a process of their own. All together take no
    longer than `WORK`, so that a mutant that only long tests would find counts as one that survives.
    """
    own = {test for test in told if test.startswith(f"tests/{room}/test_{module}.py::")}
    ran = {test for test in told if f"{module}:{line}" in told[test]["ran"]}
    anywhere = {test for test in told if any(at.startswith(f"{module}:") for at in told[test]["ran"])}
    quickest = sorted(own | (ran or anywhere or set(told)), key=lambda test: told[test]["seconds"])
    until = accumulate(told[test]["seconds"] for test in quickest)
    return [test for test, seconds in zip(quickest, until, strict=True) if seconds <= WORK]


def named(module: str, mutant: Mutant, source: str) -> str:
    """Name a mutant by its module, its line and the change, not by the line's number, which other edits move."""
    return f"{module}: {source.splitlines()[mutant.line - 1].strip()} | {mutant.before} -> {mutant.after}"


def run(room: str, only: list[str]) -> list[tuple[str, str]]:
    """Return what became of every mutant of a room, with its name."""
    import hypothesis  # noqa: F401, forked processes need not import them again
    import sentence_transformers  # noqa: F401
    import torch

    torch.set_num_threads(1)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    gc.collect()
    gc.freeze()
    equal = set(EQUIVALENT.read_text(encoding="utf-8").splitlines())
    became = []
    with TemporaryDirectory() as temporary:
        folder, notes = copied(Path(temporary, "project")), Path(temporary, "notes.json")
        modules = folder / "workflow/robustdr" / room
        if not passes(folder, TESTS[room], Noting(modules, notes), LONGEST):
            print(f"left out, as they fail:\n{(folder / PRINTED).read_text()[-2000:]}", flush=True)
        told = json.loads(notes.read_text(encoding="utf-8"))
        for path in sorted(modules.glob("*.py")):
            source = path.read_text(encoding="utf-8")
            for mutant in mutants(source) if not only or path.stem in only else ():
                name = named(f"{room}/{path.stem}", mutant, source)
                if name in equal:
                    became.append((EQUAL, name))
                    continue
                path.write_text(mutant.source, encoding="utf-8")
                tests = chosen(told, room, path.stem, mutant.line)
                files = sorted({test.partition("::")[0] for test in tests})
                survived = not tests or passes(folder, ["-x", *files], Choosing(tests), 3 * WORK)
                became.append((SURVIVED if survived else FOUND, name))
                if survived:
                    print(f"survived {len(tests)} tests, line {mutant.line}: {name}", flush=True)
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
