"""`python -m robustdr.stages <stage> …`: what the rules call."""

import argparse
import gc
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from robustdr.core import network, processor, torchrun
from robustdr.core.errors import exit_status, unknown
from robustdr.core.plugins import module_named
from robustdr.keys.attestation import (
    check_code,
    check_files,
    check_inputs,
    check_loaded,
    check_origins,
    check_unchanged,
    state_of,
    watch,
)
from robustdr.keys.integrity import check_chain, hardware, record, verify
from robustdr.keys.kept import drop, same_work, take_back, work_of
from robustdr.keys.provenance import PACKAGE, Code, installed, module_of_stage
from robustdr.stages.options import STAGES, Stage, add_arguments


def all_stages() -> Mapping[str, Stage]:
    """All stages by name."""
    for path in sorted((PACKAGE / "stages").glob("[a-z]*.py")):
        module_named(f"robustdr.stages.{path.stem}")
    return STAGES


class Parser(argparse.ArgumentParser):
    """A line of a file of options has the words that a shell would read there."""

    def convert_arg_line_to_args(self, arg_line: str) -> list[str]:
        return shlex.split(arg_line)


def parser(name: str) -> argparse.ArgumentParser:
    """The options of a stage; `@FILE` has some of them. Its module is imported, and no other one.

    Raises:
        UserError: there is no such stage.
    """
    try:
        module_named(module_of_stage(name.replace("-", "_")))
    except ValueError:
        raise unknown("stage", name, all_stages()) from None
    stage_parser = Parser(f"robustdr.stages {name}", description=STAGES[name].text, fromfile_prefix_chars="@")
    add_arguments(stage_parser, STAGES[name])
    return stage_parser


def run(name: str, a: argparse.Namespace, check: Callable[[], None] = lambda: None) -> None:
    """Run a stage between the check of what it reads and the record of what it made.

    Args:
        check: is called after the stage has run, before anything is recorded.

    Raises:
        UserError: an input is damaged or not the planned one, a file of the user was changed, a package is not the one
            that requirements.lock pins, or the code is not the one that the key was made of.
    """
    function, _, options, makes = STAGES[name]
    code = Code(a.code or [function.__name__], a.packages)
    if a.made_of:
        check_code(code, a.made_of)
    paths_of = {option: _paths(getattr(a, option.rstrip("_"))) for option in options}
    inputs, output_paths, costs = (
        [path for option, paths in paths_of.items() if options[option].get("metavar") == kind for path in paths]
        for kind in ("INPUT", "OUTPUT", "COST")
    )
    versions = installed(code)
    verify(inputs)
    check_inputs({option.rstrip("_"): paths for option, paths in paths_of.items()}, a.reads)
    check_chain(inputs)
    before = state_of(a.files)
    check_files(a.files)
    outputs = [*makes(a), *((path,) for path in (*output_paths, *costs))]
    keys = a.key if len(a.key) > 1 else (a.key or [""]) * len(outputs)
    option_values = {option: getattr(a, option.rstrip("_")) for option in options if option != "settings"}
    artifacts = [
        path for option, planned_keys in a.reads.items() for path in _paths(getattr(a, option))[: len(planned_keys)]
    ]
    work = work_of(a.work, option_values, artifacts) if a.work else ""
    first = torchrun.rank() == 0  # it alone writes
    if work and same_work(outputs, work):
        if first:
            take_back(outputs, keys, inputs)
            print("The same work made this before; it is kept.")
        return
    if a.gpus:
        module_named("robustdr.stages.gpus").check_gpus(name, a.gpus)  # by its name: no stage is made of it
    function(a)
    check_unchanged(before, a.files)
    check_loaded(code)
    check()
    if not first:
        return
    computed_on = hardware(inputs)
    if "torch" in sys.modules and "torch" in versions:  # another job of the process may have loaded it
        # By its name: a stage without torch is not made of it.
        computed_on.add(module_named("robustdr.encoding.hardware").this_hardware())
    # The first record stands for all: it comes last.
    for number, ((path, *further_files), key) in reversed(list(enumerate(zip(outputs, keys, strict=True)))):
        record(
            path,
            *further_files,
            key=key,
            inputs=inputs,
            hardware=computed_on,
            installed=versions,
            work=work,
            other_artifacts=[] if number else [output for output, *_ in outputs[1:] if output not in costs],
        )
    drop(outputs)


def _paths(value: object) -> list[Path]:
    return [path for path in (value if isinstance(value, list) else [value]) if isinstance(path, Path)]


def share_cores_with_tokenizers() -> None:
    """Let tokenizers use the cores of this process: those of the job, shared with what else torchrun started."""
    cores = processor.cores() // int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true" if cores > 1 else "false")
    os.environ.setdefault("RAYON_NUM_THREADS", str(max(1, cores)))


def main(
    argv: Sequence[str], refuse: Callable[[], None] = lambda: None, check: Callable[[], None] = lambda: None
) -> int:
    """Run one stage; bad input is one line on standard error and exit status 2.

    Args:
        refuse: is called before a stage that was not given `--network`. check: see `run`.
    """
    share_cores_with_tokenizers()
    name, *options = argv or [""]

    def start() -> None:
        arguments = parser(name).parse_args(options)
        if not arguments.network:
            refuse()
        run(name, arguments, check)

    return exit_status(start)


if __name__ == "__main__":
    gc.set_threshold(10_000)  # imports make many objects and no garbage: looking for it took a sixth of a job's start
    watch()
    raise SystemExit(main(sys.argv[1:], network.refuse, check_origins))
