"""How a stage is declared: its function, its help and its options."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Option = dict[str, Any]
# Artifacts to record besides the OUTPUT options: each a path, and the files that belong to it.
Made = list[tuple[Path, ...]] | None
PATH: Option = {"type": Path}
PATHS: Option = {**PATH, "nargs": "*", "default": []}
# Artifacts: those that a stage reads are checked first, those that it made are recorded last (robustdr.keys.integrity).
READ: Option = {"type": Path, "metavar": "INPUT"}
READS: Option = {**READ, "nargs": "*", "default": []}
MADE: Option = {"type": Path, "metavar": "OUTPUT"}
MADES: Option = {**MADE, "nargs": "*", "default": []}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}
# Of the stages that load code by name: what their key covers (robustdr.keys.provenance.Code).
CODE: Option = {"nargs": "+", "help": "the stage and the modules that it loads by name"}
PACKAGES: Option = {"nargs": "*", "help": "packages that are loaded by name alone"}


class Stage(NamedTuple):
    """A stage: its function, its help, and its options by name, where `_` stands for `-`.

    A final `_` marks an option that may be left out.
    """

    function: Callable[[argparse.Namespace], Made]
    text: str
    options: dict[str, Option]


STAGES: dict[str, Stage] = {}


def stage(text: str, **options: Option) -> Callable[[Callable[[argparse.Namespace], Made]], Any]:
    """Register a function as the stage of its name."""

    def register(function: Callable[[argparse.Namespace], Made]) -> Callable[[argparse.Namespace], Made]:
        name = function.__name__.replace("_", "-")
        if name in STAGES:
            raise ValueError(f"two stages are called {name}")
        STAGES[name] = Stage(function, text, options)
        return function

    return register
