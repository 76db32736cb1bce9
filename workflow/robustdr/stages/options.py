"""The declaration of a stage: its function, its help and its options."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Option = dict[str, Any]
# Artifacts to record in addition to the OUTPUT options: each is a path and the files that belong to it.
Made = list[tuple[Path, ...]] | None
PATH: Option = {"type": Path}
PATHS: Option = {**PATH, "nargs": "*", "default": []}
# Artifacts: inputs are checked before the stage runs, outputs are recorded after it (robustdr.keys.integrity).
READ: Option = {"type": Path, "metavar": "INPUT"}
READS: Option = {**READ, "nargs": "*", "default": []}
MADE: Option = {"type": Path, "metavar": "OUTPUT"}
MADES: Option = {**MADE, "nargs": "*", "default": []}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}
# For stages that load code by name: the code that their key covers (robustdr.keys.provenance.Code).
CODE: Option = {"nargs": "+", "help": "the stage and the modules that it loads by name"}
PACKAGES: Option = {"nargs": "*", "help": "packages that are loaded by name only"}


class Stage(NamedTuple):
    """A stage: its function, its help, and its options by name, with `_` for `-`.

    An option whose name ends in `_` is optional.
    """

    function: Callable[[argparse.Namespace], Made]
    text: str
    options: dict[str, Option]


STAGES: dict[str, Stage] = {}


def stage(text: str, **options: Option) -> Callable[[Callable[[argparse.Namespace], Made]], Any]:
    """Decorator that registers a function as the stage with its name; `text` is its help."""

    def register(function: Callable[[argparse.Namespace], Made]) -> Callable[[argparse.Namespace], Made]:
        name = function.__name__.replace("_", "-")
        if name in STAGES:
            raise ValueError(f"two stages are called {name}")
        STAGES[name] = Stage(function, text, options)
        return function

    return register
