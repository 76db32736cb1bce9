"""Commands of the command line."""

import argparse
from collections.abc import Callable
from typing import Any

Function = Callable[[argparse.Namespace], int | None]


def add_command(commands: Any, name: str, function: Function | None, text: str) -> argparse.ArgumentParser:
    """Add a command; return the parser that its arguments are added to.

    Args:
        commands: what `add_subparsers` returned. function: what runs it; None for a group of commands.
        text: what it does, in small letters and without a full stop.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text[:1].upper()}{text[1:]}."
    )
    command.set_defaults(**({"function": function} if function else {}))
    return command
