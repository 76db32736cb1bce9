"""Broken files: a command ends with 0, 1, or 2 and one line, in time, and within its memory.

`FUZZ_SEED=7 pytest -m slow tests/faults/test_fuzz.py` breaks other files than the default, 0.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.fuzzing import TARGETS
from tests.faults.test_writes import ENVIRONMENT
from tests.faults.valid import WRITE

FEW = {
    "audit": 30, "recomputed": 20, "config": 5, "vary": 50, "check": 50, "run": 50, "evaluated": 20, "verify": 15,
    "inputs": 10, "export": 40, "transcribe": 10,
}  # fmt: skip
MANY = {
    "audit": 1000, "recomputed": 800, "config": 700, "vary": 800, "check": 1200, "run": 1200, "evaluated": 600,
    "rerank": 500, "encoder": 700, "compare": 400, "verify": 300, "inputs": 300, "export": 700, "transcribe": 600,
    "bm25": 200,
}  # fmt: skip
MODELS = ("rerank", "encoder")


def fuzz(folder: Path, counts: dict[str, int], *model: Path) -> None:
    for name in counts:
        WRITE[name](folder / name, *model)
    asked = [f"{name}={count}" for name, count in counts.items()]
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.fuzzing", folder, os.environ.get("FUZZ_SEED", "0"), *asked],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    last = folder / "last"
    at = last.read_text() if last.exists() else "a valid file"
    assert done.returncode == 0, f"{done.stdout[-3000:]}\nlast: {at}\n{done.stderr[-3000:]}"


def test_every_target_is_fuzzed():
    assert MANY.keys() == TARGETS.keys() == WRITE.keys()
    assert sum(MANY.values()) == 10_000 and sum(FEW.values()) == 300


def test_a_few_broken_files(tmp_path):
    fuzz(tmp_path, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MANY if name not in MODELS])
def test_many_broken_files(name, tmp_path):
    fuzz(tmp_path, {name: MANY[name]})


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_many_broken_models(name, tmp_path, tiny_model):
    fuzz(tmp_path, {name: MANY[name]}, tiny_model)
