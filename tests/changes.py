"""A configuration with another value somewhere, as if its file said so."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from robustdr.experiments.models import Config


def put(entry: Any, *keys: Any) -> Any:
    """A copy of mappings, lists and settings with `keys[-1]` at the place that the other keys name.

    Settings check the value; what lies beside the place is shared.
    """
    key, *rest = keys
    if not rest:
        return key
    if is_dataclass(entry):
        return replace(entry, **{key: put(getattr(entry, key), *rest)})
    if isinstance(entry, list | tuple):
        return type(entry)([*entry[:key], put(entry[key], *rest), *entry[key + 1 :]])
    return {**entry, key: put(entry.get(key), *rest)}


def changed(config: Config, *keys: Any) -> Config:
    """A configuration with `keys[-1]` at the place that the other keys name."""
    made: Config = put(config, *keys)
    return made


def leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every single value of mappings, lists and settings, with the keys that lead to it."""
    if is_dataclass(tree):
        tree = {field.name: getattr(tree, field.name) for field in fields(tree)}
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield from leaves(value, (*path, name))
    elif isinstance(tree, list | tuple):
        for number, value in enumerate(tree):
            yield from leaves(value, (*path, number))
    else:
        yield path, tree


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    """The value that keys lead to."""
    for key in path:
        tree = getattr(tree, key) if is_dataclass(tree) else tree[key]
    return tree
