"""YAML files: read with the line of every key, and checked against a type. Errors name file, line and key."""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from robustdr.core.bounds import NUMBER, YAML
from robustdr.core.errors import UserError
from robustdr.core.validation import explained

Tree = dict[str, Any]
Keys = tuple[str | int, ...]  # of nested mappings and lists, from the root of a file
T = TypeVar("T")
_adapter = cache(TypeAdapter)
MOST = 100_000  # entries in a file, counting those that anchors repeat
NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
DEEPEST = 50  # mappings and lists inside each other, counting those behind anchors

PLACE = re.compile(r"(?P<path>[^:\n]+\.ya?ml): (?:top level|(?P<keys>[^\s:]+))(?:: key:? '(?P<extra>[^']+)')?")


class Document(BaseModel):
    """A YAML file, or a part of one, by its keys; values are not converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True)


def read_yaml(path: Path) -> Tree:
    """Return the mapping in a YAML file.

    Raises:
        UserError: see `read_numbered`.
    """
    return read_numbered(path)[0]


def read_numbered(path: Path) -> tuple[Tree, Mapping[Keys, int]]:
    """Return the mapping in a YAML file, and the line, from 1, of each key and list item.

    Content that comes from an anchor has the line where it is written.

    Raises:
        UserError: no file, not UTF-8, not YAML, no mapping, a key given twice in one mapping, an anchor inside itself,
            more than `MOST` entries, or nesting deeper than `DEEPEST`.
    """
    try:
        tree, lines = _parsed(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}); save the file as UTF-8") from None
    except UserError as error:
        raise UserError(f"{path}{error}") from None
    return deepcopy(tree), lines


class _Loader(yaml.CSafeLoader):
    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            if node.tag in NUMBERS and len(node.value) > NUMBER:
                raise ValueError(f"a number of more than {NUMBER:,} characters")
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:  # a day that no calendar has, a number that no float can hold
            raise yaml.constructor.ConstructorError(None, None, str(error), node.start_mark) from None


@lru_cache(maxsize=128)  # parts of the project read the same file, and a configuration has some forty
def _parsed(text: str) -> tuple[Tree, Mapping[Keys, int]]:
    """Parse the text of a file; an error lacks the file's path, with which it begins."""
    try:
        depth = 0
        # Composing nodes is recursive and crashes at the stack's end.
        for number, event in enumerate(yaml.parse(text, yaml.CSafeLoader)):
            if number > YAML and event.start_mark:
                raise UserError(f":{event.start_mark.line + 1}: more than {YAML:,} keys and values; use a smaller file")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST and event.start_mark:
                raise _too_deep(event.start_mark.line + 1)
        loader = _Loader(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            raise UserError(": empty or no mapping; see docs/reference")
        lines: dict[Keys, int] = {}
        _number(root, (), lines, (id(root),))
        tree = loader.construct_document(root)  # this replaces the merge keys, `<<`, in the nodes
        return tree, MappingProxyType(lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place, column = (f":{mark.line + 1}", f" (column {mark.column + 1})") if mark else ("", "")
        raise UserError(
            f"{place}: not YAML: {error.problem}{column}; quote the value or correct the indentation"
        ) from None
    except yaml.YAMLError as error:
        raise UserError(f": not YAML: {' '.join(str(error).split())}") from None


def _too_deep(line: int) -> UserError:
    return UserError(f":{line}: more than {DEEPEST} mappings and lists inside each other; use fewer")


def _number(node: yaml.Node, keys: Keys, lines: dict[Keys, int], ancestor_ids: tuple[int, ...]) -> None:
    """Add the line of everything written below `node`; `ancestor_ids`: ids of the nodes that contain it."""
    items = [(key.value, key, value) for key, value in node.value] if isinstance(node, yaml.MappingNode) else []
    if isinstance(node, yaml.SequenceNode):
        items = [(index, item, item) for index, item in enumerate(node.value)]
    line_of: dict[str | int, int] = {}
    for key, place, value in items:
        line = place.start_mark.line + 1
        if not isinstance(key, str | int):
            raise UserError(f":{line}: a key is a mapping or a list; write a text")
        if key in line_of:
            place_of_key = ".".join(map(str, keys)) or "top level"
            raise UserError(
                f":{line}: {place_of_key}: {key!r} is given twice, first on line {line_of[key]}; "
                "the keys of a mapping are unique"
            )
        if id(value) in ancestor_ids:
            raise UserError(f":{line}: the anchor of {key!r} is used inside itself; repeat the values")
        if len(keys) >= DEEPEST:
            raise _too_deep(line)
        if len(lines) > MOST:
            raise UserError(f":{line}: more than {MOST:,} entries, anchors included; use fewer anchors")
        line_of[key] = lines[*keys, key] = line
        _number(value, (*keys, key), lines, (*ancestor_ids, id(value)))


def located(error: UserError) -> UserError:
    """Return an error that begins with `file.yaml: a.b.c`, with the line added after the file.

    The line is that of the last of these keys that is in the file.
    """
    place = PLACE.match(str(error))
    if place is None:
        return error
    try:
        lines = {tuple(map(str, keys)): line for keys, line in read_numbered(Path(place["path"]))[1].items()}
    except (OSError, UserError):
        return error
    keys = tuple(filter(None, (*(place["keys"] or "").split("."), place["extra"])))
    line = None
    for end in range(1, len(keys) + 1):
        if (next_line := lines.get(keys[:end])) is None or next_line < (line or 1):  # it goes back to an anchor's text
            break
        line = next_line
    return UserError(f"{place['path']}:{line}{str(error)[place.end('path') :]}") if line else error


def load(path: Path, kind: type[T]) -> T:
    """Read a YAML file as `kind`.

    Raises:
        UserError: see `read_yaml` and `checked`.
    """
    return checked(kind, read_yaml(path), path)


def checked(kind: type[T], tree: Any, path: Path, keys: Sequence[str] = (), folder: Path | None = None) -> T:
    """Return what was read from a YAML file as `kind`: a model, or a type such as `dict[str, Scale]`.

    Args:
        keys: where `tree` stands in the file; empty if it is the whole file. folder: where the user's paths start; None
            for the folder where the command runs.

    Raises:
        UserError: the first thing that is wrong: file, line, keys, value and what is allowed.
    """
    adapter: TypeAdapter[T] = _adapter(kind)  # type: ignore[arg-type]  # mypy takes no type for hashable
    try:
        return adapter.validate_json(json.dumps(tree, default=str), context=folder)  # strict models take no mappings
    except ValidationError as error:
        raise located(UserError(f"{path}: {explained(error, adapter, keys)}")) from None
