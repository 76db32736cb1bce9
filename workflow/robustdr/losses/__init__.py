"""Training losses, one file per method, named like it; a loss sees one batch of vectors, no model and no data.

A loss file holds one class. Its constructor takes the loss's settings; its attribute `needs` is the set of `Batch`
fields that it reads; its call takes a `Batch` and returns its terms by name, already weighted: the training loop
minimises their sum and logs each.
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


def check(name: str, **settings: Any) -> str:
    """Check a loss and its settings by reading its source, so that reading a configuration need not import torch.

    A setting annotated as a `Literal` takes the values named there.

    Returns:
        The name of the loss's class.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    if name not in names():
        raise unknown("loss", name, names())
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    loss = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    constructor = next(node for node in loss.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    annotations = {argument.arg: argument.annotation for argument in constructor.args.args[1:]}
    for setting, value in settings.items():
        if setting not in annotations:
            raise unknown(f"loss {name}: setting", setting, annotations)
        match annotations[setting]:
            case ast.Subscript(value=ast.Name(id="Literal"), slice=values):
                allowed = ast.literal_eval(values)
                if value not in allowed:
                    raise unknown(f"loss {name}: {setting}", str(value), allowed)
    return loss.name


def create(name: str, **settings: Any) -> Any:
    """The loss `name` with its settings.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    return getattr(importlib.import_module(f"{__name__}.{name}"), check(name, **settings))(**settings)
