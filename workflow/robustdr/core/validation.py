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


def _distinct(items: list[Any]) -> list[Any]:
    for number, item in enumerate(items):
        if item in items[:number]:
            raise ValueError(f"{item!r} is given twice")
    return items


Distinct = AfterValidator(_distinct)  # marks a list without repeated items


def wrong(key: str, why: str) -> PydanticCustomError:
    """Return the error of a model's rule about one of its keys; the message names the key before `why`."""
    return PydanticCustomError("rule", "{why}", {"key": key, "why": why})


def explained(error: ValidationError, adapter: TypeAdapter, above: Sequence[str] = ()) -> str:
    """Return the first error as `a.b.c: what is wrong with the value there`; an unknown key before all others.

    "Not a word" for a mapping comes last: where a word would be allowed too, the error inside the mapping says more.

    Args:
        adapter: of the expected type. above: keys that the value stands under.
    """
    errors = error.errors(include_url=False)
    first = min(
        errors, key=lambda e: (e["type"] not in EXTRA, e["type"] in WORD and isinstance(e["input"], dict | list))
    )
    last = first["type"] in (*EXTRA, "missing")
    path, there = _followed(adapter, first["loc"][:-1] if last else first["loc"])
    context, value = first.get("ctx", {}), first["input"]
    of_key = path[-1:] == ["[key]"]
    keys = [*above, *(path[:-2] if of_key else path), *([context["key"]] if "key" in context else [])]
    where = ".".join(map(str, keys)) or "top level"
    shown = repr(value) if len(repr(value)) < LONG else f"{repr(value)[:LONG]} …"
    if first["type"] in EXTRA:
        return str(unknown(f"{where}: key", str(first["loc"][-1]), _keys(there)))
    if first["type"] == "missing":
        return f"{where}: {str(first['loc'][-1])!r} is missing"
    if first["type"] in TAGS:
        named = re.fullmatch("'(.+)'", context["discriminator"])
        kinds = [str(tag) for schema in there for tag in schema.get("choices", ())]
        if "tag" not in context:
            return f"{where}: {named[1] if named else 'kind'!r} is missing; allowed: {', '.join(sorted(kinds))}"
        return str(unknown(f"{where}.{named[1] if named else 'kind'}", context["tag"], kinds))
    allowed = [str(each) for schema in there for each in schema.get("expected", ())]
    if first["type"] == "literal_error" and allowed:
        return str(unknown(where, str(value), allowed))
    if isinstance(context.get("error"), UserError):  # it begins with a key
        return ".".join([*map(str, keys), str(context["error"])])
    if "error" in context or "why" in context:
        return f"{where}: {f'key {value!r} ' if of_key else ''}{context.get('error') or context['why']}"
    if first["type"] in MAPPING:
        return f"{where}: {shown} should be a mapping of keys to values"
    hint = ""
    if first["type"] == "float_type" and isinstance(value, str) and re.fullmatch(r"[+-]?\d+e[+-]?\d+", value):
        hint = ": YAML reads it as text; write a point, as in 1.0e-5"
    what = f"key {value!r}" if of_key else shown
    return f"{where}: {what} {re.sub(r'^[A-Z][a-z]+ ', '', first['msg'])}{hint}"


def _followed(adapter: TypeAdapter, loc: Sequence[str | int]) -> tuple[list[str | int], list[Schema]]:
    """Return the keys on the way to `loc`, without pydantic's names of union members, and the schemas found there."""
    core: Any = adapter.core_schema
    definitions = {each["ref"]: each for each in core["definitions"]} if core["type"] == "definitions" else {}
    there, path = list(_bare(core, definitions)), []
    for step in loc:
        if step == "[key]":
            there = []
        elif there and all(schema["type"] in ("union", "tagged-union") for schema in there):
            there = [bare for schema in there for bare in _members(schema, step, definitions)]
            continue
        path.append(step)
        there = [bare for schema in there for bare in _below(schema, step, definitions)]
    return path, there


def _bare(schema: Schema, definitions: dict[str, Schema]) -> Iterator[Schema]:
    """Yield a schema without its wrappers: defaults, functions, references."""
    while "schema" in schema or schema["type"] == "definition-ref":
        schema = schema["schema"] if "schema" in schema else definitions[schema["schema_ref"]]
    yield schema


def _members(union: Schema, tag: str | int, definitions: dict[str, Schema]) -> Iterator[Schema]:
    """Yield the member of a union that has a tag; all members of a union without tags."""
    choices = union["choices"]
    chosen = [choices[tag]] if isinstance(choices, dict) else choices
    for choice in chosen:
        yield from _bare(choice[0] if isinstance(choice, tuple) else choice, definitions)


def _below(schema: Schema, key: str | int, definitions: dict[str, Schema]) -> Iterator[Schema]:
    """The schema of a key or item."""
    fields = schema.get("fields", {})
    own = fields.get(key) if isinstance(fields, dict) else next((f for f in fields if _name(f) == key), None)
    for inner in (own, schema.get("values_schema"), schema.get("items_schema")):
        if isinstance(inner, dict):
            yield from _bare(inner, definitions)


def _name(field: Schema) -> str:
    return str(field.get("validation_alias", field["name"]))


def _keys(there: list[Schema]) -> list[str]:
    """Return the keys that the schemas allow."""
    fields = [schema.get("fields", {}) for schema in there]
    return [name for of in fields for name in (of if isinstance(of, dict) else map(_name, of))]
