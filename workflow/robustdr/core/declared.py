"""Folders of classes, one a file, that are known by name from their source: reading it imports nothing."""

import ast
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, PositiveFloat, TypeAdapter, ValidationError

from robustdr.core.errors import UserError, unknown

NUMBERS = {"float": float, "PositiveFloat": PositiveFloat, "int": int, "bool": bool}  # by annotation
FINITE = ConfigDict(strict=True, allow_inf_nan=False)


def _check(where: str, value: Any, annotation: ast.expr | None) -> None:
    """Raise a `UserError` that begins with `where` unless the value is one that the annotation allows."""
    match annotation:
        case ast.Subscript(value=ast.Name(id="Literal"), slice=literals):
            allowed = ast.literal_eval(literals)
            allowed = allowed if isinstance(allowed, tuple) else (allowed,)
            if value not in allowed:
                raise unknown(where, str(value), allowed)
        case ast.Name(id=kind) if kind in NUMBERS:
            try:
                TypeAdapter(NUMBERS[kind], config=FINITE).validate_python(value)
            except ValidationError as error:
                raise UserError(f"{where}: {error.errors()[0]['msg']} (got {value!r})") from None


@cache
def _last_class(source: str) -> ast.ClassDef:
    return [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)][-1]


@dataclass(frozen=True)
class Declared:
    """The classes of a folder: one at the end of each file, named by the file.

    Attributes:
        what: they are, for messages. folder: of this package. others: files that hold none.
    """

    what: str
    folder: Path
    others: tuple[str, ...]

    def names(self) -> list[str]:
        """All of them."""
        return sorted(p.stem for p in self.folder.glob("*.py") if p.stem not in ("__init__", *self.others))

    def _class(self, name: str) -> ast.ClassDef:
        if name not in self.names():
            raise unknown(self.what, name, self.names())
        return _last_class((self.folder / f"{name}.py").read_text(encoding="utf-8"))

    def literal(self, name: str, attribute: str) -> Any:
        """A class attribute that is a literal; None without it."""
        for node in self._class(name).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == attribute:
                    return ast.literal_eval(value)
                case ast.AnnAssign(target=ast.Name(id=own), value=ast.expr() as value) if own == attribute:
                    return ast.literal_eval(value)
        return None

    def settings(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """All settings of a class: those given, and the defaults of the others.

        The settings are the arguments of its constructor that have a default; one that is annotated as a `Literal`
        takes the values named there, one of `NUMBERS` a finite value of this type.

        Raises:
            UserError: unknown name, setting or value of a setting.
        """
        arguments: list[ast.arg] = []
        defaults: Sequence[ast.expr | None] = []
        for node in self._class(name).body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                own = node.args
                arguments = [*own.args[len(own.args) - len(own.defaults) :], *own.kwonlyargs]
                defaults = [*own.defaults, *own.kw_defaults]
        annotations = {argument.arg: argument.annotation for argument in arguments}
        values = {key: ast.literal_eval(value) for key, value in zip(annotations, defaults, strict=True) if value}
        for setting, value in given.items():
            if setting not in annotations:
                raise unknown(f"{self.what} {name}: setting", setting, annotations)
            _check(f"{self.what} {name}: {setting}", value, annotations[setting])
        return {**values, **given}

    def create(self, name: str, *arguments: Any, **settings: Any) -> Any:
        """An object of the class.

        Raises:
            UserError: see `settings`.
        """
        self.settings(name, settings)
        package = ".".join(("robustdr", *self.folder.relative_to(Path(__file__).parents[1]).parts))
        return getattr(importlib.import_module(f"{package}.{name}"), self._class(name).name)(*arguments, **settings)
