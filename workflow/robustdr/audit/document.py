"""A YAML file with the line of every key, checked against a schema: errors say where."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from robustdr.core.errors import UserError, unknown
from robustdr.core.files import read_lines

CONFIG = Path(__file__).resolve().parents[3] / "config"
Keys = tuple[str | int, ...]
LONG = 300  # characters of a message, which may quote a whole table


def read(path: str | Path, schema: str) -> tuple[dict[str, Any], dict[Keys, int]]:
    """Read a YAML mapping that fits `config/schemas/<schema>.schema.json`.

    Returns:
        the data, and the line (from 1) of every mapping entry and list item, keyed by its keys from the root.

    Raises:
        UserError: no file, not UTF-8, not YAML, empty, a key given twice, or whatever the schema does not allow.
    """
    text = "\n".join(line for _, line in read_lines(path)).removeprefix("\ufeff")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
    try:
        node = loader.get_single_node()
        data = loader.construct_document(node) if node else None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or " ".join(str(error).split())
        line = mark.line + 1 if mark else 1
        raise UserError(f"{path}:{line}: not YAML: {problem}; quote the value or mend the indentation") from None
    if node is None or data is None:
        raise UserError(f"{path}:1: the file is empty; it needs the keys {', '.join(_schema(schema)['required'])}")
    lines: dict[Keys, int] = {(): 1}
    _number(node, (), lines, path, ())
    errors = Draft202012Validator(_schema(schema)).iter_errors(data)
    if (worst := best_match(errors)) is not None:
        raise _user_error(path, worst, lines)
    return data, lines


@cache
def _schema(name: str) -> dict[str, Any]:
    return json.loads((CONFIG / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


def _number(node: yaml.Node, keys: Keys, lines: dict[Keys, int], path: str | Path, above: tuple[int, ...]) -> None:
    """Note the line of every entry below `node`; a block of text (`|`) begins one line below its key."""
    if id(node) in above:
        raise UserError(
            f"{path}:{node.start_mark.line + 1}: a cycle: the anchor is used inside itself; repeat the values"
        )
    above = (*above, id(node))
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen:
                where = f"{path}:{key.start_mark.line + 1}"
                raise UserError(f"{where}: {key.value!r} is given twice; the keys of a mapping are unique")
            seen.add(key.value)
            lines[(*keys, key.value)] = key.start_mark.line + 1
            _number(value, (*keys, key.value), lines, path, above)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            lines[(*keys, index)] = item.start_mark.line + 1
            _number(item, (*keys, index), lines, path, above)


def _line(lines: dict[Keys, int], keys: Keys) -> int:
    """The line of the innermost key that stands in the file as it is written (YAML reads `yes` and `0` as no text)."""
    return lines[keys] if keys in lines else _line(lines, keys[:-1])


def _user_error(path: str | Path, error: ValidationError, lines: dict[Keys, int]) -> UserError:
    keys: Keys = tuple(error.absolute_path)
    name = ".".join(map(str, keys)) or "the file"
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        allowed = error.schema["properties"]
        wrong = next(key for key in error.instance if key not in allowed)
        return unknown(f"{path}:{_line(lines, (*keys, wrong))}: key of {name}", str(wrong), allowed)
    # The path of an error in a key's own name is that of its mapping.
    line = _line(lines, (*keys, error.instance)) if isinstance(error.instance, str) else _line(lines, keys)
    if error.validator == "enum":
        return unknown(f"{path}:{line}: {name}", str(error.instance), map(str, error.validator_value))
    if error.validator == "pattern":
        allowed = "small letters, digits and _, beginning with a letter"
        return UserError(f"{path}:{line}: {name}: {error.instance!r} is no name; allowed: {allowed}")
    message = error.message if len(error.message) < LONG else f"{error.message[:LONG]} …"
    return UserError(f"{path}:{line}: {name}: {message}")
