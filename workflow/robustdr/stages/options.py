"""How a stage is declared: its function, its help and its options."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Option = dict[str, Any]
# Artifacts: each a path, and the files that belong to it.
Made = list[tuple[Path, ...]]
PATH: Option = {"type": Path}
PATHS: Option = {**PATH, "nargs": "*", "default": []}
# Artifacts: those that a stage reads are checked first, those that it made are recorded last (robustdr.keys.integrity).
READ: Option = {"type": Path, "metavar": "INPUT"}
READS: Option = {**READ, "nargs": "*", "default": []}
MADE: Option = {"type": Path, "metavar": "OUTPUT"}
MADES: Option = {**MADE, "nargs": "*", "default": []}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
# What a job took. Its bytes differ from run to run: no other record has their digest, and its rule declares its own.
COST: Option = {"type": Path, "metavar": "COST"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}


class Stage(NamedTuple):
    """A stage: its function, its help, its options, and the artifacts that it makes besides its OUTPUT options.

    Options are by name, where `_` stands for `-`. A final `_` marks one that may be left out.
    """

    function: Callable[[argparse.Namespace], None]
    text: str
    options: dict[str, Option]
    makes: Callable[[argparse.Namespace], Made]


STAGES: dict[str, Stage] = {}


def stage(
    text: str, makes: Callable[[argparse.Namespace], Made] = lambda _: [], **options: Option
) -> Callable[[Callable[[argparse.Namespace], None]], Any]:
    """Register a function as the stage of its name."""

    def register(function: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], None]:
        name = function.__name__.replace("_", "-")
        if name in STAGES:
            raise ValueError(f"two stages are called {name}")
        STAGES[name] = Stage(function, text, options, makes)
        return function

    return register


def add_arguments(parser: argparse.ArgumentParser, stage: Stage) -> None:
    """Add the options of a stage, and those that every stage has: what its job attests."""
    parser.add_argument("--made-of", help="digest of the code that was planned; without it, any code will do")
    parser.add_argument("--key", nargs="+", default=[], help="keys of the artifacts, or the one of all")
    parser.add_argument(
        "--work", default="", help="digest of code and settings; without it, nothing made before is kept"
    )
    parser.add_argument("--reads", type=json.loads, default={}, help="JSON: by option, the planned keys of artifacts")
    parser.add_argument("--files", type=json.loads, default={}, help="JSON: by path, planned digests of files")
    parser.add_argument("--code", nargs="+", help="the stage and the modules that it loads by name")
    parser.add_argument("--gpus", type=int, default=0, help="GPUs without which the job stops")
    parser.add_argument("--network", action="store_true", help="allows connections beyond this machine")
    parser.add_argument("--packages", nargs="*", default=[], help="packages that are loaded by name alone")
    for option, kind in stage.options.items():
        flag = f"--{option.rstrip('_').replace('_', '-')}"
        parser.add_argument(flag, required=not option.endswith("_"), **kind)
