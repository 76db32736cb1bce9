"""Templates of pages, and files that pages share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from robustdr.audit import page
from robustdr.core.files import write_text
from robustdr.reporting.settings import PAGES


def templates(**values: Any) -> Environment:
    """The templates, with values for every page; texts are escaped, and an undefined name is an error.

    `up` is the way from a page to the report's folder.
    """
    environment = page.environment(PAGES)
    environment.undefined = StrictUndefined
    environment.globals |= {"up": "", "stamp": "", **values}
    return environment


def write_shared(names: Iterable[str], folder: Path) -> None:
    """Copy the files that pages share into their folder."""
    for name in names:
        write_text(folder / name, (PAGES / name).read_text(encoding="utf-8"))
