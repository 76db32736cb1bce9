"""Training losses, one file per method, named like it; a loss sees one batch of vectors, no model and no data.

A loss file holds one class. Its constructor takes the loss's settings, which all have a default; its attribute `needs`,
a literal, has the `Batch` fields that it reads, and a setting `queries` names one more; its call takes a `Batch` and
returns its terms by name, already weighted: the training loop minimises their sum and logs each.
"""

import ast
import importlib
from pathlib import Path
from typing import Any

from robustdr.errors import unknown

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """All losses."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "batch"))


def _declaration(name: str) -> ast.ClassDef:
    """The class of a loss, from its source: reading a configuration need not import torch."""
    if name not in names():
        raise unknown("loss", name, names())
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef))


def check(name: str, **settings: Any) -> set[str]:
    """Check a loss and its settings; a setting annotated as a `Literal` takes the values named there.

    Returns:
        The fields of `Batch` that the loss reads.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    needs: set[str] = set()
    annotations: dict[str, ast.expr | None] = {}
    values: dict[str, Any] = {}
    for node in _declaration(name).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="needs")], value=fields):
                needs = set(ast.literal_eval(fields))
            case ast.FunctionDef(name="__init__", args=ast.arguments(args=[_, *taken], defaults=defaults)):
                annotations = {argument.arg: argument.annotation for argument in taken}
                values = dict(zip(annotations, map(ast.literal_eval, defaults), strict=True))
    for setting, value in settings.items():
        if setting not in annotations:
            raise unknown(f"loss {name}: setting", setting, annotations)
        match annotations[setting]:
            case ast.Subscript(value=ast.Name(id="Literal"), slice=literals):
                allowed = ast.literal_eval(literals)
                if value not in allowed:
                    raise unknown(f"loss {name}: {setting}", str(value), allowed)
    values |= settings
    return needs | ({values["queries"]} if "queries" in values else set())


def create(name: str, **settings: Any) -> Any:
    """The loss `name` with its settings.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    check(name, **settings)
    return getattr(importlib.import_module(f"{__name__}.{name}"), _declaration(name).name)(**settings)
