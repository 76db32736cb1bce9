"""Plug-ins: the losses, rankers, variations, layouts of tables and figures of a room, found by name.

A file is one plug-in, named like the file, if it has a class `Settings`: a frozen pydantic dataclass. Its fields are
the settings that the configuration may give; its class variables are what the configuration must know of the plug-in.
The class or function with the file's name, apart from capitals and underscores, does the work. Reading settings imports
the file. So that no torch comes with it, a file imports such libraries in its functions. A file that cannot, such as
one with a class below `torch.nn.Module`, has its `Settings` beside it in `<name>_settings.py`.

A file with several plug-ins has one class for each, with a literal `name`; a literal `listed` is its place in lists.

Here alone are modules imported by their names. The code that a stage's key covers names them too (`keys.provenance`).
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, get_origin

from robustdr.core.errors import UserError, unknown

Base = TypeVar("Base")
SETTINGS = "Settings"
BESIDE = "_settings"
PLUGIN = re.compile(rf"^class {SETTINGS}\b|^    name = ", re.MULTILINE)  # other files need no parsing


def _statements(path: Path) -> list[ast.stmt]:
    """The top-level statements of a file.

    Raises:
        UserError: not Python.
    """
    try:
        return ast.parse(path.read_text(encoding="utf-8")).body
    except SyntaxError as error:
        raise UserError(f"{path}:{error.lineno}: not Python: {error.msg}") from None


def _declared(path: Path) -> Iterator[tuple[float, str, str]]:
    """Yield place in lists, name and class of each plug-in in a file."""
    if not PLUGIN.search(path.read_text(encoding="utf-8")):
        return
    for node in _statements(path):
        if isinstance(node, ast.ClassDef):
            literals: dict[str, Any] = {"name": path.stem.removesuffix(BESIDE)} if node.name == SETTINGS else {}
            for statement in node.body:
                match statement:
                    case ast.Assign([ast.Name(id=target_name)], ast.Constant(value)):
                        literals[target_name] = value
            if "name" in literals:
                yield literals.get("listed", inf), literals["name"], node.name


def module_named(name: str) -> Any:
    """Import a module that is known by its name: a plug-in, or what a plug-in names, such as the module that ranks."""
    return import_module(name)


def _settings(module: str, path: Path, base: type) -> type:
    """Return the class `Settings` of a file.

    Raises:
        UserError: it cannot be made, is not a dataclass below `base`, or has a field without a type.
    """
    try:
        settings_class: type = vars(import_module(module))[SETTINGS]
    except Exception as error:
        raise UserError(f"{path}: {type(error).__name__}: {error}") from error
    if not issubclass(settings_class, base):
        raise UserError(f"{path}: Settings is not below {base.__module__}.{base.__name__}")
    attributes = vars(settings_class)
    if "__dataclass_fields__" not in attributes:
        raise UserError(f"{path}: Settings is no dataclass; write @settings, of robustdr.core.settings, above it")
    typed = {name for cls in settings_class.__mro__ for name in vars(cls).get("__annotations__", ())}
    for name in attributes.keys() - typed:
        # Functions and properties have `__get__`.
        if not name.startswith("_") and not hasattr(attributes[name], "__get__"):
            raise UserError(f"{path}: Settings.{name} has no type; write it, as in `{name}: float = …`")
    return settings_class


def _is_name_of(defined_name: str, name: str) -> bool:
    """Whether a class or function has the name of a file, apart from capitals and underscores."""
    return defined_name.replace("_", "").lower() == name.replace("_", "")


class Plugins(Generic[Base]):
    """The plug-ins of a package.

    Args:
        noun: one plug-in in words, for error messages. package: the module whose files they lie in.
        base: the class of all their settings; each plug-in must give the class variables that it annotates without a
            value.
    """

    def __init__(self, noun: str, package: str, base: type[Base]):
        self.noun, self.package, self.base = noun, package, base

    @cache
    def _files(self) -> dict[str, Path]:
        """Return {module name: file} of the package."""
        (folder,) = import_module(self.package).__path__
        return {f"{self.package}.{path.stem}": path for path in sorted(Path(folder).glob("*.py"))}

    @cache
    def _places(self) -> dict[str, tuple[str, str]]:
        """Return {plug-in name: (module, class)}, in the order of lists."""
        files = self._files()
        declarations = [(*declared, module) for module, path in files.items() for declared in _declared(path)]
        places: dict[str, tuple[str, str]] = {}
        for _, name, cls, module in sorted(declarations):
            if name in places:
                raise UserError(
                    f"{files[module]}: {cls}: another {self.noun} is called {name!r}: {files[places[name][0]]}"
                )
            places[name] = module, cls
        return places

    def names(self) -> list[str]:
        return list(self._places())

    def module(self, name: str) -> str:
        """Return the module of what does the work of a plug-in, for the key of a stage that loads it.

        Raises:
            UserError: unknown name.
        """
        module, cls = self.place(name)
        return f"{self.package}.{name}" if cls == SETTINGS else module

    def place(self, name: str) -> tuple[str, str]:
        """Return the module and the class of a plug-in's settings.

        Raises:
            UserError: unknown name.
        """
        places = self._places()
        if name not in places:
            raise unknown(self.noun, name, places)
        return places[name]

    @cache
    def facts(self, name: str) -> type[Base]:
        """Return the class of a plug-in's settings; its class variables are what the configuration must know.

        Raises:
            UserError: unknown name, or a file without one of these variables or what does the work.
        """
        module, cls = self.place(name)
        if cls != SETTINGS:
            return getattr(import_module(module), cls)
        path, work = self._files()[module], self._files().get(self.module(name))
        settings_class = _settings(module, path, self.base)
        statements = _statements(work) if work else []
        defined = [node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        if not any(_is_name_of(defined_name, name) for defined_name in defined):
            raise UserError(
                f"{work or path}: no function or class is called {name!r}; capitals and underscores do not count"
            )
        for fact, annotation in self.base.__annotations__.items():
            if get_origin(annotation) is ClassVar and not hasattr(settings_class, fact):
                raise UserError(f"{path}: Settings lacks `{fact}`; every {self.noun} has it")
        return settings_class

    def settings(self, name: str, values: Mapping[str, Any], place: str = "", outer_keys: Sequence[str] = ()) -> Base:
        """Return the settings of a plug-in: `values`, and defaults for the others.

        Args:
            place: start of a message; by default `<noun> <name>`. outer_keys: keys that `values` stands under.

        Raises:
            UserError: unknown name, setting or value of a setting.
        """
        from robustdr.core.settings import make  # imports pydantic, which lists of names do not need

        return make(self.facts(name), values, place or f"{self.noun} {name}", outer_keys)

    def load(self, name: str) -> Any:
        """Import the module of a plug-in and return its class or function.

        Raises:
            UserError: unknown name, or a class without a method that every plug-in must have.
        """
        module, (_, cls) = self.module(name), self.place(name)
        attributes = vars(import_module(module))
        implementation = (
            attributes[cls]
            if cls != SETTINGS
            else [attributes[attribute] for attribute in attributes if _is_name_of(attribute, name)][-1]
        )
        if lacking := sorted(getattr(implementation, "__abstractmethods__", ())):
            raise UserError(
                f"{self._files()[module]}: {implementation.__name__} lacks `{lacking[0]}`; every {self.noun} has it"
            )
        return implementation
