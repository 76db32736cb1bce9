"""One-line messages for values that do not fit their type."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from robustdr.core.errors import UserError, unknown

Schema = dict[str, Any]
LONG = 80  # characters of a value in a message
EXTRA = ("extra_forbidden", "unexpected_keyword_argument")
MAPPING = ("dataclass_type", "dataclass_exact_type", "dict_type", "model_type", "model_attributes_type")
WORD = ("literal_error", "string_type")
TAGS = ("union_tag_invalid", "union_tag_not_found")
RENAMED = {  # keys and tests that files of earlier versions may have, and what they are called now
    "about": ("subjects", "subject"),
    "at": ("place",),
    "by": ("printed_size",),
    "called": ("display_names",),
    "here": ("deviation",),
    "judged": ("judged_by", "from_judgements"),
    "open": ("unspecified",),
    "released": ("released_code",),
    "says": ("quotation",),
    "studied": ("alternative",),
    "what": ("requirement",),
    "wins_back": ("recovers",),
}


def _distinct(items: list[Any]) -> list[Any]:
    for number, item in enumerate(items):
        if item in items[:number]:
            raise ValueError(f"{item!r} is given twice")
    return items


Distinct = AfterValidator(_distinct)  # marks a list without repeated items


def wrong(key: str, why: str) -> PydanticCustomError:
    """Return the error of a model's rule about one of its keys; the message names the key before `why`."""
    return PydanticCustomError("rule", "{why}", {"key": key, "why": why})


def explained(error: ValidationError, adapter: TypeAdapter, outer_keys: Sequence[str] = ()) -> str:
    """Return the first error as `a.b.c: what is wrong with the value there`; an unknown key before all others.

    "Not a word" for a mapping comes last: where a word would be allowed too, the error inside the mapping says more.

    Args:
        adapter: of the expected type. outer_keys: keys that the value stands under.
    """
    errors = error.errors(include_url=False)
    first = min(
        errors, key=lambda e: (e["type"] not in EXTRA, e["type"] in WORD and isinstance(e["input"], dict | list))
    )
    last = first["type"] in (*EXTRA, "missing")
    path, schemas = _followed(adapter, first["loc"][:-1] if last else first["loc"])
    context, value = first.get("ctx", {}), first["input"]
    of_key = path[-1:] == ["[key]"]
    keys = [*outer_keys, *(path[:-2] if of_key else path), *([context["key"]] if "key" in context else [])]
    place = ".".join(map(str, keys)) or "top level"
    value_text = repr(value) if len(repr(value)) < LONG else f"{repr(value)[:LONG]} …"
    if first["type"] in EXTRA:
        fields = [schema.get("fields", {}) for schema in schemas]
        keys_allowed = [name for group in fields for name in (group if isinstance(group, dict) else map(_name, group))]
        return str(_unknown(f"{place}: key", str(first["loc"][-1]), keys_allowed))
    if first["type"] == "missing":
        return f"{place}: {str(first['loc'][-1])!r} is missing"
    if first["type"] in TAGS:
        tag_name = re.fullmatch("'(.+)'", context["discriminator"])
        kinds = [str(tag) for schema in schemas for tag in schema.get("choices", ())]
        if "tag" not in context:
            return f"{place}: {tag_name[1] if tag_name else 'kind'!r} is missing; allowed: {', '.join(sorted(kinds))}"
        return str(_unknown(f"{place}.{tag_name[1] if tag_name else 'kind'}", context["tag"], kinds))
    allowed = [str(option) for schema in schemas for option in schema.get("expected", ())]
    if first["type"] == "literal_error" and allowed:
        return str(unknown(place, str(value), allowed))
    if isinstance(context.get("error"), UserError):  # it begins with a key
        return ".".join([*map(str, keys), str(context["error"])])
    if "error" in context or "why" in context:
        return f"{place}: {f'key {value!r} ' if of_key else ''}{context.get('error') or context['why']}"
    if first["type"] in MAPPING:
        return f"{place}: {value_text} should be a mapping of keys to values"
    hint = ""
    if first["type"] == "float_type" and isinstance(value, str) and re.fullmatch(r"[+-]?\d+e[+-]?\d+", value):
        hint = ": YAML reads it as text; write a point, as in 1.0e-5"
    subject = f"key {value!r}" if of_key else value_text
    return f"{place}: {subject} {re.sub(r'^[A-Z][a-z]+ ', '', first['msg'])}{hint}"


def _unknown(subject: str, value: str, allowed: list[str]) -> UserError:
    """Return the error of a name that is not allowed; of a renamed one, it gives the new name."""
    new_names = [name for name in RENAMED.get(value, ()) if name in allowed]
    if new_names:
        return UserError(f"{subject}: {value!r} is now called {new_names[0]!r}; rename it")
    return unknown(subject, value, allowed)


def _followed(adapter: TypeAdapter, loc: Sequence[str | int]) -> tuple[list[str | int], list[Schema]]:
    """Return the keys on the way to `loc`, without pydantic's names of union members, and the schemas found there."""
    core: Any = adapter.core_schema
    definitions = (
        {definition["ref"]: definition for definition in core["definitions"]} if core["type"] == "definitions" else {}
    )
    schemas, path = [_bare(core, definitions)], []
    for step in loc:
        if step == "[key]":
            schemas = []
        elif schemas and all(schema["type"] in ("union", "tagged-union") for schema in schemas):
            unions = [schema["choices"] for schema in schemas]  # by tag, or without tags all members
            members = [member for union in unions for member in ([union[step]] if isinstance(union, dict) else union)]
            schemas = [_bare(member[0] if isinstance(member, tuple) else member, definitions) for member in members]
            continue
        path.append(step)
        schemas = [bare for schema in schemas for bare in _inner_schemas(schema, step, definitions)]
    return path, schemas


def _bare(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """Return a schema without its wrappers: defaults, functions, references."""
    while "schema" in schema or schema["type"] == "definition-ref":
        schema = schema["schema"] if "schema" in schema else definitions[schema["schema_ref"]]
    return schema


def _inner_schemas(schema: Schema, key: str | int, definitions: dict[str, Schema]) -> Iterator[Schema]:
    """The schema of a key or item."""
    fields = schema.get("fields", {})
    field_schema = fields.get(key) if isinstance(fields, dict) else next((f for f in fields if _name(f) == key), None)
    for inner in (field_schema, schema.get("values_schema"), schema.get("items_schema")):
        if isinstance(inner, dict):
            yield _bare(inner, definitions)


def _name(field: Schema) -> str:
    return str(field.get("validation_alias", field["name"]))
