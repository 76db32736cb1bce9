"""Kinds of systems: one file each says what a recipe of its kind takes, what it is made from, and what ranks."""

from importlib import import_module
from pkgutil import iter_modules

from robustdr.systems.kind import DEFAULT, KINDS, Kind, kind_of

__all__ = ["DEFAULT", "KINDS", "Kind", "kind_of"]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
