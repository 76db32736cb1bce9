"""JSON schemas of the configuration, for editors, made from the models."""

import ast
import json
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Union

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from robustdr.audit.released import Released
from robustdr.audit.transcript import Transcript
from robustdr.claims.claim import Claims
from robustdr.collections.settings import Collections
from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.experiments.kinds import KINDS, Recipe
from robustdr.experiments.models import Experiment, Scale, Settings
from robustdr.experiments.sources import Sources

Schema = dict[str, Any]
FILES = {
    "config": Settings,
    "collections": Collections,
    "scale": Scale,
    "experiment": Experiment,
    "claims": Claims,
    "sources": Sources,
    "reported": Transcript,
    "released": Released,
}


@cache
def _bodies(module: str) -> dict[str, list[ast.stmt]]:
    """Return the bodies of a module's classes, by name."""
    place = find_spec(module)
    text = Path(place.origin).read_text(encoding="utf-8") if place and place.origin else ""
    return {node.name: node.body for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}


@cache
def _descriptions(kind: type) -> dict[str, str]:
    """Return the strings below the fields of a class and of its base classes."""
    descriptions: dict[str, str] = {}
    for base in reversed(getattr(kind, "__orig_bases__", kind.__bases__)):
        if getattr(base, "__module__", "").startswith("robustdr."):
            descriptions |= _descriptions(base)
    for field, after in pairwise(_bodies(kind.__module__).get(kind.__name__, [])):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                descriptions[name] = " ".join(text.split())
    return descriptions


class _Described(GenerateJsonSchema):
    """Schemas whose properties have the descriptions of their fields."""

    def dataclass_schema(self, schema: Any) -> Schema:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: Any) -> Schema:
        return _described(super().typed_dict_schema(schema), schema["cls"])


def _described(schema: Schema, kind: type) -> Schema:
    for name, text in _descriptions(kind).items():
        if name in schema["properties"]:
            schema["properties"][name].setdefault("description", text)
    return schema


def schema_of(kind: Any) -> Schema:
    """Return the JSON schema of a model or type."""
    return TypeAdapter(kind).json_schema(schema_generator=_Described)


def _with_extends(scale: Schema) -> Schema:
    """Return the schema of a scale that may extend another one; then it requires no key."""
    scale["properties"]["extends"] = {"type": "string", "description": "Another scale; this one says what differs."}
    definitions = scale.pop("$defs")
    text = json.dumps(_optional({"whole": scale, **definitions})).replace("#/$defs/", "#/$defs/partial-")
    partial = {f"partial-{name}": schema for name, schema in json.loads(text).items()}
    choice = {"if": {"required": ["extends"]}, "then": {"$ref": "#/$defs/partial-whole"}, "else": scale}
    return {**choice, "$defs": {**definitions, **partial}}


def _add_recipes(experiment: Schema) -> None:
    """Add the keys of recipes of each kind of system."""
    recipes = schema_of(Union[tuple(KINDS.facts(name) for name in KINDS.names())])  # noqa: UP007
    for reference, name in zip(recipes["anyOf"], KINDS.names(), strict=True):
        recipe = recipes["$defs"][reference["$ref"].rpartition("/")[2]]
        recipe["properties"]["kind"] = {"const": name, "description": "Kind of system."}
        recipe["required"] += ["kind"] if name != Recipe.kind else []
    systems = experiment["properties"]["systems"]["patternProperties"]
    systems.update({pattern: {"anyOf": recipes["anyOf"]} for pattern in systems})
    experiment["$defs"] |= recipes["$defs"]


def _optional(schema: Any) -> Any:
    """Return a schema without its lists of required keys."""
    if isinstance(schema, list):
        return [_optional(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _optional(value) for key, value in schema.items() if key != "required" or isinstance(value, dict)}


def write(folder: Path) -> list[Path]:
    """Write `schemas/*.schema.json` into a folder of the configuration; return the written files.

    Raises:
        UserError: the folder does not exist.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; name the folder of the configuration")
    schemas = {name: schema_of(kind) for name, kind in FILES.items()}
    schemas["scale"] = _with_extends(schemas["scale"])
    _add_recipes(schemas["experiment"])
    paths = []
    for name, schema in schemas.items():
        paths.append(folder / "schemas" / f"{name}.schema.json")
        write_text(paths[-1], json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    return paths
