"""Types of arguments for paths on the command line; `-` is standard input or output where that is possible."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from robustdr.core.errors import UserError

STDIN, STDOUT = Path("/dev/stdin"), Path("/dev/stdout")


def read_once(text: str) -> Path:
    """A file that is read once, from beginning to end; `-`: standard input."""
    return STDIN if text == "-" else Path(text)


def output_path(text: str) -> Path:
    """A file to write; `-`: standard output."""
    return STDOUT if text == "-" else Path(text)


def named_path(text: str) -> Path:
    """A folder, or a file that is read more than once.

    Raises:
        ArgumentTypeError: `-`, or an empty text, as of a variable of the shell that is not set.
    """
    if not text:
        raise ArgumentTypeError("an empty name; '.' is the folder where the command runs")
    if text == "-":
        raise ArgumentTypeError("'-' cannot stand for a folder, or for a file that is read more than once; name it")
    return Path(text)


def check_streams(arguments: Namespace) -> None:
    """Check that no two arguments use the same stream.

    Raises:
        UserError: two do.
    """
    values = vars(arguments).values()
    texts = [str(argument) for value in values for argument in (value if isinstance(value, list) else [value])]
    for stream, stream_name in ((STDIN, "standard input"), (STDOUT, "standard output")):
        if (times := texts.count(str(stream))) > 1:
            raise UserError(f"'-': {stream_name} stands for {times} arguments; it can stand for one")
