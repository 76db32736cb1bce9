"""Kinds of systems: one file each says what a recipe of its kind takes, what it is made from, and what ranks."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from robustdr.systems.kind import KINDS, Kind

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

DEFAULT = "dense"


def kind_of(recipe: Mapping[str, Any]) -> Kind:
    """The kind of a recipe of the checked configuration."""
    return KINDS[recipe.get("kind", DEFAULT)]
