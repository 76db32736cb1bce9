"""The YAML files of the configuration: read, checked against JSON schemas, and where a key stands in them."""

import json
import re
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from robustdr.core.errors import UserError, unknown

Tree = dict[str, Any]

PLACE = re.compile(r"(?P<path>[^:\n]+\.yaml): (?P<keys>[^\s:]+)(?:: key: '(?P<extra>[^']+)')?")


def read(path: Path) -> Tree:
    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(tree, dict):
        raise UserError(f"{path}: empty or no mapping; see config/README.md")
    return tree


def _explain(path: Path, error: ValidationError) -> UserError:
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        extra = next(key for key in error.instance if key not in allowed)
        return unknown(f"{path}: {where}: key", str(extra), allowed)
    if error.schema is False:
        return UserError(f"{path}: {where}: {error.instance!r} is not allowed beside the other keys there")
    return UserError(f"{path}: {where}: {error.message}")


def validate(tree: Any, schema: Path, source: Path) -> None:
    """Check `tree`, read from `source`, against a JSON schema.

    Raises:
        UserError: names file, key, value and what is allowed.
    """
    conform(tree, json.loads(schema.read_text(encoding="utf-8")), source, [])


def conform(tree: Any, schema: Tree, source: Path, at: list[str]) -> None:
    """Check what stands at some keys of `source` against a schema."""
    error = best_match(Draft202012Validator(schema).iter_errors(tree))
    if error is not None:
        if error.schema is False:  # jsonschema leaves out which key it is
            there = reduce(getitem, error.path, tree)
            error.path.append(next(key for key, value in there.items() if value is error.instance))
        error.path.extendleft(reversed(at))
        raise _explain(source, error)


def _find(node: yaml.Node, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    """A key of a mapping, its own or one that it takes over with `<<`, or an item of a list: (where, value)."""
    if isinstance(node, yaml.SequenceNode):
        inside = key.isdigit() and int(key) < len(node.value)
        return (node.value[int(key)],) * 2 if inside else None
    if not isinstance(node, yaml.MappingNode):
        return None
    for own, value in node.value:
        if own.value == key:
            return own, value
    for own, value in node.value:
        for other in value.value if own.value == "<<" and isinstance(value, yaml.SequenceNode) else [value]:
            if own.value == "<<" and (found := _find(other, key)):
                return found
    return None


def line_of(path: Path, keys: list[str]) -> int | None:
    """The line, from 1, of the last of nested keys that stands in a file; None if the first does not.

    Of what a key takes over from an anchor, it is the line where that is taken over.
    """
    node, line = yaml.compose(path.read_text(encoding="utf-8")), None
    for key in keys:
        found = _find(node, key) if node else None
        if found is None or found[0].start_mark.line + 1 < (line or 1):
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def located(error: UserError) -> UserError:
    """An error whose message begins with a file and a key, `file.yaml: a.b.c`, with the line between the two."""
    place = PLACE.match(str(error))
    if place is None:
        return error
    try:
        line = line_of(Path(place["path"]), [*place["keys"].split("."), place["extra"] or ""])
    except (OSError, ValueError, yaml.YAMLError):
        return error
    return UserError(f"{place['path']}:{line}{str(error)[place.end('path') :]}") if line else error
