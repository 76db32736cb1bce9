"""A bar on a terminal: how far the encoding of a collection is.

The output of a job of `robustdr evaluate` is its log. So the command names its terminal to all its jobs.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from tqdm import tqdm

TERMINAL = "ROBUSTDR_TERMINAL"  # environment variable with the path of the command's terminal


def name_terminal() -> None:
    """Name the terminal of this process to its jobs; none if its standard error is a file."""
    os.environ.pop(TERMINAL, None)
    if sys.stderr.isatty():
        os.environ[TERMINAL] = os.ttyname(sys.stderr.fileno())


@contextmanager
def progress_bar(label: str | None, total: int) -> Iterator[tqdm]:
    """Yield a bar of texts, on the terminal that is named or is standard error.

    It draws nothing without a terminal or a label.
    """
    path = os.environ.get(TERMINAL)
    try:
        stream: Any = open(path, "w", encoding="utf-8") if label and path else nullcontext(sys.stderr)  # noqa: SIM115
    except OSError:  # it was closed since
        stream, label = nullcontext(sys.stderr), None
    with stream as terminal:
        # A bar on a named terminal goes away at the end: the line of the command's progress stands there.
        options = {"file": terminal, "disable": None if label else True, "leave": not path, "dynamic_ncols": True}
        with tqdm(total=total, desc=label, unit="text", **options) as bar:
            yield bar
