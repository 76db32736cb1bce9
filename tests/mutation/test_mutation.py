"""The mutants of a function, by hand, and a room whose tests find all of its mutants."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mutation.mutants import mutants

ROOT = Path(__file__).parents[2]
SOURCE = '''
def f(x: list[int], rate: float = 0.5) -> float:
    """Docstrings and messages are no code: 1 + 2."""
    assert x is not None and len(x) > 0
    if not x or x[0] < 3:
        raise ValueError(f"less than {1 + 2}")
    zip(x, x, strict=True)
    return -sum(x).log() * rate if True else rate / 2
'''


def test_mutants_by_hand():
    found = [(mutant.line, mutant.before, mutant.after) for mutant in mutants(SOURCE)]
    assert sorted(found) == [
        (2, "0.5", "5.0"),
        (5, "0", "1"),
        (5, "3", "4"),
        (5, "not x", "x"),
        (5, "not x or x[0] < 3", "not x and x[0] < 3"),
        (5, "x[0] < 3", "x[0] <= 3"),
        (8, "-sum(x).log()", "sum(x).log()"),
        (8, "-sum(x).log() * rate", "-sum(x).log() / rate"),
        (8, "-sum(x).log() * rate if True else rate / 2", "rate / 2 if True else -sum(x).log() * rate"),
        (8, "2", "3"),
        (8, "True", "False"),
        (8, "rate / 2", "rate * 2"),
        (8, "sum(x).log()", "sum(x)"),
    ]
    original = ast.unparse(ast.parse(SOURCE))
    sources = [mutant.source for mutant in mutants(SOURCE)]
    assert len({original, *sources}) == len(sources) + 1
    for source in sources:
        compile(source, "mutant", "exec")


@pytest.mark.slow
def test_a_room_s_tests_find_its_mutants():
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'workflow'}:{ROOT / 'tests'}"}
    command = [sys.executable, "-m", "mutation", "losses", "bce", "lce"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (
        0,
        "losses: 100.0% of mutants found (5 found, 0 survived, 1 equivalent)\n",
    )
