"""Where a key stands in a YAML file."""

import re
from pathlib import Path

import yaml

from robustdr.errors import UserError

PLACE = re.compile(r"(?P<path>[^:\n]+\.yaml): (?P<keys>[^\s:]+)(?:: key: '(?P<extra>[^']+)')?")


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
    """The line, from 1, of the last of nested keys that stands in a file; None if the first does not."""
    node, line = yaml.compose(path.read_text(encoding="utf-8")), None
    for key in keys:
        found = _find(node, key) if node else None
        if found is None:
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
