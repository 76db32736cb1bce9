"""Settings of stages: one frozen dataclass a stage, checked where the plan writes it and where the stage reads it.

Each room keeps those of its stages in a light module `settings.py`. What a collection or checkpoint is made from is a
mapping there, as in YAML. A field marked `UNSEEN` reaches the stage but decides none of its bytes, so it is no part of
a key.
"""

import json
from dataclasses import asdict, fields
from typing import Any, Literal, TypeVar, overload

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypeAliasType

from robustdr.core.errors import UserError

STRICT = ConfigDict(strict=True, extra="forbid")
UNSEEN = {"effect": False}
Precision = Literal["float32", "bfloat16", "float16"]

Settings = TypeVar("Settings")


@overload
def read(kind: type[Settings], text: str) -> Settings: ...
@overload
def read(kind: TypeAliasType, text: str) -> Any: ...
def read(kind: Any, text: str) -> Any:
    """The settings in a JSON text.

    Raises:
        UserError: no JSON, a key that is unknown or missing, or a value of another type (names the key).
    """
    try:
        return TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise UserError(f"settings of {kind.__name__}: {where}: {first['msg']} (got {first['input']!r})") from None


def as_json(settings: Any) -> str:
    """Settings as the JSON text that `read` takes."""
    return json.dumps(asdict(settings))


def deciding(settings: Any) -> dict[str, Any]:
    """The settings that decide a stage's bytes, as JSON values."""
    unseen = {field.name for field in fields(settings) if not field.metadata.get("effect", True)}
    return {name: value for name, value in asdict(settings).items() if name not in unseen}
