"""Keys: what made an artifact — code, packages, settings and inputs — in sixteen hexadecimal digits.

Code is named by a stage (its function below `robustdr.stages`) or by a module: a plug-in that the configuration names.
Its modules are those of this package that its import statements name, directly or indirectly, with the `__init__`
files of packages. For a stage these begin at the top of its file and in its function; the code that starts and records
a stage counts too. Packages are those that these modules import, and what they need, as pinned in requirements.lock.
"""

import ast
import functools
import hashlib
import importlib.util
import itertools
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.keys.integrity import contents, digest
from robustdr.keys.notes import note, recall

PACKAGE = Path(__file__).resolve().parents[1]
OF_WHEEL = PACKAGE / "requirements.lock"
LOCK = OF_WHEEL if OF_WHEEL.is_file() else PACKAGE.parent.parent / "requirements.lock"
STAGES = "robustdr.stages"
RUNNER = f"{STAGES}.__main__"  # starts a stage, checks what it reads and records what it makes
version = functools.cache(version)  # jobs of one process ask again and again
Import = tuple[str, int, list[str]]  # from what, how many levels up, which names; for a plain import "", 0, the modules
# Distributions whose module has another name; a module may come from several.
DISTRIBUTIONS = {
    "faiss": ("faiss-cpu", "faiss-gpu", "faiss"),
    "Stemmer": ("pystemmer",),
    "google": ("protobuf",),
    "ir_measures": ("ir-measures", "pytrec-eval-terrier"),
    "markdown_it": ("markdown-it-py",),
    "yaml": ("pyyaml",),
}


class Code(NamedTuple):
    """What makes an artifact: stages, plug-ins that these load, and packages that are loaded by name alone."""

    names: Sequence[str]
    packages: Sequence[str] = ()


@functools.cache
def _file(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _WithoutDocstrings(ast.NodeTransformer):
    """Removes every statement that is a text alone: the docstrings of modules, classes, functions and fields."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Constant(str()):
                return None
        return node


@functools.cache
def parsed(name: str, source: str) -> tuple[str, dict[str, list[Import]]]:
    """Return the digest of a module's normalised source, and its import statements by function.

    Normalised is without comments, docstrings and blank lines. Imports outside of the module's functions are under ''.
    A source is parsed once per machine, Python version and version of this file.
    """
    subject, state = f"code of {name}", _digest(f"{sys.version} {_reader()} {source}")
    if (stored := recall(subject, state)) is None:
        tree = ast.parse(source)
        imports: dict[str, list[Import]] = {}
        for node in tree.body:
            function = node.name if isinstance(node, ast.FunctionDef) else ""
            imports.setdefault(function, []).extend(_imports(node))
        stored = json.dumps([_digest(ast.unparse(_WithoutDocstrings().visit(tree))), imports])
        note(subject, state, stored)
    digest, imports = json.loads(stored)
    return digest, imports


@functools.cache
def _reader() -> str:
    """The digest of the code that reads code."""
    return sha256(__file__)


def _imports(statement: ast.stmt) -> Iterator[Import]:
    """Yield the import statements at and below a statement."""
    for node in ast.walk(statement):
        match node:
            case ast.Import(names):
                yield "", 0, [alias.name for alias in names]
            case ast.ImportFrom(base, names, level):
                yield base or "", level, [alias.name for alias in names]


def _imported_modules(imports: Iterable[Import], package: str) -> set[str]:
    """Return the modules that import statements name; `package` is where they stand."""
    modules: set[str] = set()
    for base, level, names in imports:
        if base or level:
            base = importlib.util.resolve_name("." * level + base, package)
            modules |= {name if _file(name) else base for name in (f"{base}.{name}" for name in names)}
        else:
            modules |= set(names)
    return modules


def module_of_stage(name: str) -> str:
    """Return the module with a stage's function.

    Raises:
        ValueError: there is no such stage.
    """
    for path in sorted((PACKAGE / "stages").glob("*.py")):
        if re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            return f"{STAGES}.{path.stem}"
    raise ValueError(f"{STAGES} has no stage {name!r}")


@functools.cache
def _module(name: str, stage: str = "") -> tuple[str, set[str]] | None:
    """Return the digest of a module of this package and the modules that it needs; None: there is no such module.

    Args:
        stage: if given, imports in other functions of the module do not count.
    """
    if not (path := _file(name)):
        return None
    digest, imports = parsed(name, path.read_text(encoding="utf-8"))
    parent = name.rpartition(".")[0] or name  # importing a module executes the packages above it
    counting = itertools.chain(*(imports.get(function, ()) for function in (("", stage) if stage else imports)))
    return digest, {parent, *_imported_modules(counting, name if path.name == "__init__.py" else parent)}


@functools.cache
def _reached(code: str) -> tuple[dict[str, str], frozenset[str]]:
    """Return the digest of each module behind a stage or module by name, and the other packages that it imports."""
    parts: dict[str, str] = {}
    todo = {code}
    external: set[str] = set()
    if not code.startswith(PACKAGE.name):
        module = module_of_stage(code)
        parts[module], todo = _module(module, code) or ("", set())
        todo |= {RUNNER}
    while todo:
        name = todo.pop()
        if name.partition(".")[0] != PACKAGE.name:
            external.add(name.partition(".")[0])
        elif name not in parts and (module_part := _module(name)):
            parts[name], needed = module_part
            todo |= needed - parts.keys()
    if not parts:
        raise UserError(f"no module {code!r} below {PACKAGE.parent}")
    return dict(sorted(parts.items())), frozenset(external - sys.stdlib_module_names)


def modules(*code: str) -> dict[str, str]:
    """Return the digest of each module behind the code: stages by their names, modules by their full names.

    Raises:
        ValueError: there is no such stage or module.
    """
    return {name: digest for code_name in code for name, digest in _reached(code_name)[0].items()}


@functools.cache
def normalised(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@functools.cache
def lock() -> dict[str, tuple[str, frozenset[str]]]:
    """Return version and dependants (`# via …`) of each package in requirements.lock, by normalised name."""
    line = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;#]+)[^#\n]*(?:# via (.*))?$", re.MULTILINE)
    pinned = line.findall(LOCK.read_text(encoding="utf-8"))
    return {normalised(name): (pin, frozenset(filter(None, via.split(", ")))) for name, pin, via in pinned}


def pins() -> dict[str, str]:
    """Return the versions in requirements.lock by normalised package name."""
    return {name: pin for name, (pin, _) in lock().items()}


def packages(code: Code) -> dict[str, str]:
    """Return the pins of each package that the code imports or loads, and of what these need.

    Raises:
        UserError: requirements.lock does not pin a package.
    """
    imported = {name: module for module in code.names for name in _reached(module)[1]}
    importers = {
        DISTRIBUTIONS.get(name, (normalised(name),))[0]: f", which {module} imports"
        for name, module in imported.items()
    }
    todo = {*importers, *map(normalised, code.packages)}
    if missing := todo - lock().keys():
        raise UserError(
            f"requirements.lock has no {(name := min(missing))!r}{importers.get(name, '')}; pin it or remove it"
        )
    needed = todo
    while dependencies := {
        name for name, (_, via) in lock().items() if name not in needed and not via.isdisjoint(needed)
    }:
        needed |= dependencies
    return {name: lock()[name][0] for name in sorted(needed)}


def installed(code: Code) -> dict[str, str]:
    """Return the installed versions of the packages behind the code, checked against requirements.lock.

    Raises:
        UserError: a package is missing or has another version.
    """
    versions = {}
    for name, pin in packages(code).items():
        at_hand = next(filter(None, map(_version, DISTRIBUTIONS.get(name.partition("-")[0], (name,)))), None)
        if at_hand is None or at_hand.partition("+")[0] != pin:
            state = f"{sys.prefix} has {at_hand}" if at_hand else "it is not installed"
            raise UserError(
                f"requirements.lock pins {name}=={pin}, {state}; results are made only with the pinned versions: "
                f"`make setup`, or `pip install {name}=={pin}`"
            )
        versions[name] = at_hand
    return versions


def distributions(pins: Iterable[str]) -> list[str]:
    """Return the names in pins of the form name==version."""
    return [pin.partition("==")[0] for pin in pins]


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def digests(paths: Iterable[Path]) -> list[dict[str, str]]:
    """Return for each path {file name relative to the path: SHA-256}; the name is `.` if the path is a file.

    A missing file has no entry. The location of the path does not count.
    """
    return [{file.relative_to(path).as_posix(): digest(file) for file in contents(path)} for path in paths]


def key(code: Code, settings: Any, inputs: Mapping[str, Any]) -> str:
    """Return the key of an artifact.

    Args:
        settings: every setting that decides bytes (JSON values).
        inputs: the keys of the artifacts that it is made from, by role; several in one role are a list if their order
            decides bytes, else a mapping by name.

    Raises:
        ValueError: there is no such stage, module or package.
    """
    return _digest(f"{made_of(code)} {json.dumps([settings, inputs], sort_keys=True)}")


def made_of(code: Code) -> str:
    """Return the digest of code, the packages behind it, and the environment's variables that decide digits.

    Raises:
        ValueError: there is no such stage, module or package.
    """
    return _made_of(tuple(code.names), tuple(code.packages))


@functools.cache
def _made_of(names: tuple[str, ...], packages_: tuple[str, ...]) -> str:
    parts = [names, modules(*names), packages(Code(names, packages_)), processor.variables()]
    return _digest(json.dumps(parts, sort_keys=True))
