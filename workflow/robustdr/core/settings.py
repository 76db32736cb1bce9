"""Settings of stages: one frozen dataclass for each stage, checked where it is written and where the stage reads it.

Each subpackage keeps the settings of its stages in a module `settings.py` that imports little. Keys of the
configuration that reach a stage unchanged have their type, limits and description there, and nowhere else. A field
marked `UNSEEN` reaches the stage but decides none of its bytes, so it is in no key. A field marked `LATER` is younger
than runs in the ledger: with its default, a stage does what it did before there was the field.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, fields
from typing import Any, Literal, TypeVar, dataclass_transform, overload

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic.dataclasses import dataclass
from typing_extensions import TypeAliasType, TypedDict

from robustdr.core.errors import UserError
from robustdr.core.validation import explained

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
UNSEEN = {"effect": False}
LATER = {"later": True}
Precision = Literal["float32", "bfloat16", "float16"]

Settings = TypeVar("Settings")


@with_config(ConfigDict(extra="allow"))
class Named(TypedDict):
    """The name of a plug-in, with its settings beside it."""

    name: str


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
def settings(settings_class: type[Settings]) -> type[Settings]:
    """Return a class as a frozen dataclass that checks its values and takes keyword arguments only."""
    decorate: Any = dataclass(frozen=True, kw_only=True, config=STRICT)
    return decorate(settings_class)


@overload
def read_settings(kind: type[Settings], text: str) -> Settings: ...
@overload
def read_settings(kind: TypeAliasType, text: str) -> Any: ...
def read_settings(kind: Any, text: str) -> Any:
    """Read settings from a JSON text.

    Raises:
        UserError: not JSON, an unknown or missing key, or a value of another type (names the key).
    """
    adapter = TypeAdapter(kind)
    try:
        return adapter.validate_json(text, strict=True)
    except ValidationError as error:
        raise UserError(f"settings of {kind.__name__}: {explained(error, adapter)}") from None


def make(kind: type[Settings], values: Mapping[str, Any], place: str, outer_keys: Sequence[str] = ()) -> Settings:
    """Make settings from a mapping that a user wrote.

    Args:
        place: start of a message. outer_keys: keys that `values` stands under.

    Raises:
        UserError: an unknown or missing key, or a value that is not allowed.
    """
    adapter = TypeAdapter(kind)
    try:
        return adapter.validate_json(json.dumps(values, default=str), strict=True)
    except ValidationError as error:
        raise UserError(f"{place}: {explained(error, adapter, outer_keys).removeprefix('top level: ')}") from None


def as_json(settings: Any) -> str:
    """Return settings as the JSON text that `read_settings` takes."""
    return json.dumps(asdict(settings))


def deciding(settings: Any) -> dict[str, Any]:
    """Return the settings that decide a stage's bytes, as JSON values."""
    unseen = {field.name for field in fields(settings) if not field.metadata.get("effect", True)}
    return {name: value for name, value in asdict(settings).items() if name not in unseen}


def identifying(settings: Any) -> dict[str, Any]:
    """Return the settings that tell runs of the ledger apart: `deciding` ones, without defaults of `LATER` ones."""
    later = {field.name for field in fields(settings) if field.metadata.get("later")} - changed_fields(settings)
    return {name: value for name, value in deciding(settings).items() if name not in later}


def changed_fields(settings: Any) -> set[str]:
    """Names of the fields whose value is not the default."""
    defaults = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(settings)
    }
    return {name for name, default in defaults.items() if getattr(settings, name) != default}
