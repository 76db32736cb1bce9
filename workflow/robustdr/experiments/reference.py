"""JSON schemas for editors, and the tables of keys in config/README.md, both from the models."""

import ast
import json
import re
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Union

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from robustdr.audit.transcript import Transcript
from robustdr.claims.claim import Claims
from robustdr.collections import settings as sources
from robustdr.collections.settings import Collections
from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.experiments import models
from robustdr.experiments.kinds import KINDS, Recipe
from robustdr.experiments.models import Experiment, Scale, Settings
from robustdr.experiments.sources import Source, Sources

Schema = dict[str, Any]
FILES = {
    "config": Settings,
    "collections": Collections,
    "scale": Scale,
    "experiment": Experiment,
    "claims": Claims,
    "sources": Sources,
    "reported": Transcript,
}
SOURCES = (sources.WordNet, sources.Irds, sources.Beir, sources.Local, sources.Pairs)
SPLITS = (sources.WordNetSplit, sources.IrdsSplit, sources.LocalSplit, sources.QuestionsSplit, sources.PairsSplit)
TABLES: dict[str, type] = {kind.__name__: kind for kind in (*SOURCES, *SPLITS, sources.Columns, Source)}
TABLES |= {name: KINDS.facts(name) for name in KINDS.names()}
TABLES |= {name: kind for name, kind in vars(models).items() if name in models.__all__ and isinstance(kind, type)}
MARKED = re.compile(r"(<!-- keys of (\w+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


@cache
def _bodies(module: str) -> dict[str, list[ast.stmt]]:
    """Return the bodies of a module's classes, by name."""
    place = find_spec(module)
    text = Path(place.origin).read_text(encoding="utf-8") if place and place.origin else ""
    return {node.name: node.body for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}


@cache
def _descriptions(kind: type) -> dict[str, str]:
    """Return the strings below the fields of a class and of its base classes."""
    found: dict[str, str] = {}
    for base in reversed(getattr(kind, "__orig_bases__", kind.__bases__)):
        if getattr(base, "__module__", "").startswith("robustdr."):
            found |= _descriptions(base)
    for field, after in pairwise(_bodies(kind.__module__).get(kind.__name__, [])):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
    return found


class _Described(GenerateJsonSchema):
    """Schemas whose properties have the descriptions of their fields."""

    def dataclass_schema(self, schema: Any) -> Schema:
        return _described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: Any) -> Schema:
        return _described(super().typed_dict_schema(schema), schema["cls"])


def _described(made: Schema, kind: type) -> Schema:
    for name, text in _descriptions(kind).items():
        if name in made["properties"]:
            made["properties"][name].setdefault("description", text)
    return made


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
        return [_optional(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _optional(value) for key, value in schema.items() if key != "required" or isinstance(value, dict)}


def write(folder: Path) -> list[Path]:
    """Write `schemas/*.schema.json` and the tables of keys in README.md of a config folder; return the written files.

    Raises:
        UserError: the folder has no README.md, or a table of keys there belongs to no model.
    """
    schemas = {name: schema_of(kind) for name, kind in FILES.items()}
    schemas["scale"] = _with_extends(schemas["scale"])
    _add_recipes(schemas["experiment"])
    written = []
    for name, schema in schemas.items():
        written.append(folder / "schemas" / f"{name}.schema.json")
        write_text(written[-1], json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    readme = folder / "README.md"
    if not readme.is_file():
        raise UserError(f"{readme}: no such file; name the folder of the configuration")
    write_text(readme, tabulated(readme.read_text(encoding="utf-8"), str(readme)))
    return [*written, readme]


def tabulated(text: str, where: str) -> str:
    """Return a document with the tables of keys between its marks made again.

    Raises:
        UserError: a mark names no model.
    """

    def table(mark: re.Match[str]) -> str:
        if mark[2] not in TABLES:
            raise UserError(f"{where}: keys of {mark[2]}: unknown; allowed: {', '.join(sorted(TABLES))}")
        return f"{mark[1]}{table_of(TABLES[mark[2]])}{mark[3]}"

    return MARKED.sub(table, text)


def table_of(kind: Any) -> str:
    """Return the keys of a model as a Markdown table: allowed values, default and meaning of each."""
    schema = schema_of(kind)
    definitions = schema.get("$defs", {})
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    rows = ["| key | value | meaning |", "| --- | --- | --- |"]
    for name, of in schema["properties"].items():
        needed = name in schema.get("required", ())
        default = of.get("default")
        shown = "" if default in (None, "", {}, []) else f"; default `{json.dumps(default).strip(chr(34))}`"
        allowed = _value(of, definitions) if needed else _value(of, definitions).removesuffix(" or null")
        if not needed:
            allowed += shown or "; optional"
        rows.append(f"| `{name}` | {allowed} | {of.get('description', '')} |")
    return "\n".join(rows) + "\n"


def _value(schema: Schema, definitions: Schema) -> str:
    """Return the allowed values in words."""
    if "$ref" in schema:
        return _value(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{json.dumps(each).strip(chr(34))}`" for each in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema or "oneOf" in schema:
        options = [_value(each, definitions) for each in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(options))
    kind = schema.get("type")
    limits = {"minimum": "≥ ", "exclusiveMinimum": "> ", "maximum": "≤ ", "exclusiveMaximum": "< "}
    bounds = " ".join(f"{sign}{schema[limit]:g}" for limit, sign in limits.items() if limit in schema)
    if kind == "array":
        return f"list of {_value(schema.get('items', {}), definitions)}"
    names = {
        "integer": "whole number",
        "number": "number",
        "string": "text",
        "boolean": "true or false",
        "null": "null",
    }
    return f"{names.get(str(kind), 'mapping')}{f' {bounds}' if bounds else ''}"
