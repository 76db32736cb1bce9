"""Keys: what made an artifact — code, settings, inputs and environment — in sixteen hexadecimal digits."""

import ast
import functools
import hashlib
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
LOCK = PACKAGE.parent.parent / "requirements.lock"


def _file(module: str) -> Path | None:
    path = PACKAGE.parent.joinpath(*module.split("."))
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


@functools.cache
def _syntax(source: str) -> tuple[str, list[ast.AST]]:
    """The syntax tree of a module's text as a string, and its import statements."""
    tree = ast.parse(source)
    return ast.dump(tree), [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


def _imports(module: str, path: Path) -> set[str]:
    """The modules of this package that the file names in its import statements, wherever they stand."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in _syntax(path.read_text(encoding="utf-8"))[1]:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == PACKAGE.name}


@functools.cache
def codehash(module: str) -> str:
    """Hash the syntax trees of `module` and of everything in this package that it imports.

    Comments, blank lines and modification times do not count.

    Raises:
        ValueError: there is no such module.
    """
    seen: dict[str, Path] = {}
    todo = {module}
    while todo:
        name = todo.pop()
        path = _file(name)
        if path is None:
            if name == module:
                raise ValueError(f"no module {module!r} below {PACKAGE.parent}")
            continue
        seen[name] = path
        todo |= _imports(name, path) - seen.keys()
    digest = hashlib.sha256()
    for name, path in sorted(seen.items()):
        digest.update(f"{name}\n{_syntax(path.read_text(encoding='utf-8'))[0]}\n".encode())
    return digest.hexdigest()[:16]


def _normalised(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@functools.cache
def pins() -> dict[str, str]:
    """The versions in requirements.lock by normalised package name."""
    pairs = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;#]+)", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {_normalised(name): version for name, version in pairs}


def key(modules: list[str], packages: list[str], settings: Any, inputs: list[str]) -> str:
    """The key of an artifact.

    Args:
        modules: the modules that do the work; their code and what they import count.
        packages: third-party packages whose version decides the result; their pins in requirements.lock count.
        settings: every setting that reaches the work (JSON values).
        inputs: the keys of the artifacts it reads.

    Raises:
        ValueError: a module or package that is not there.
    """
    code = {module: codehash(module) for module in modules}
    names = {_normalised(package) for package in packages}
    if missing := names - pins().keys():
        raise ValueError(f"requirements.lock has no {min(missing)!r}")
    environment = {name: pins()[name] for name in names}
    made_of = [code, environment, settings, sorted(inputs)]
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:16]
