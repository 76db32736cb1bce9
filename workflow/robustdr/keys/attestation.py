"""Checks that a job does what was planned: its code, packages, environment, and the keys of its inputs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.keys.integrity import key_of
from robustdr.keys.loaded import LOADED
from robustdr.keys.provenance import PACKAGE, STAGES, Code, made_of, modules, parsed


def check_code(code: Code, planned: str) -> None:
    """Check that the code, packages and environment of a job are those in its key.

    Args:
        planned: the result of `provenance.made_of` at planning.

    Raises:
        UserError: they differ.
    """
    if made_of(code) != planned:
        raise UserError(
            f"{PACKAGE}: code of the stage {code.names[0]}, requirements.lock or the environment changed after this "
            "run was planned; undo the change, or run snakemake again"
        )


def check_inputs(inputs: Mapping[str, Sequence[Path]], planned: Mapping[str, Sequence[str]]) -> None:
    """Check by their records that artifacts have the planned keys.

    Args:
        inputs: artifacts by option of the stage. planned: their keys, in the same order.

    Raises:
        UserError: an artifact has another key.
    """
    for option, keys in planned.items():
        for path, key in zip(inputs[option], keys, strict=False):  # files of the user come last and have no key
            if (recorded_key := key_of(path)) != key:
                raise UserError(
                    f"{path}: its record has the key {recorded_key or 'none'}, {key} was planned; run again"
                )


def check_loaded(code: Code) -> None:
    """Check that the process loaded the planned code, and no module of the package that no key covers.

    Raises:
        UserError: names the module.
    """
    planned = modules(*code.names)
    loaded = {name: text for name, text in LOADED.items() if name in planned or not name.startswith(f"{STAGES}.")}
    if uncovered := loaded.keys() - planned.keys():
        raise UserError(f"{min(uncovered)}: the stage {code.names[0]} loaded it, and its key does not cover it")
    for name, text in loaded.items():
        if parsed(name, text)[0] != planned[name]:
            raise UserError(f"{name}: it changed while the stage {code.names[0]} ran; run snakemake again")
