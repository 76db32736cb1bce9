"""Functions for layouts about query sets."""

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Maker


def by_place(paths: list[Path]) -> dict[tuple[str, ...], dict[str, float]]:
    """The content of JSON files, by collection, split and name of the file."""
    return {(*path.parts[-3:-1], path.stem): json.loads(path.read_text(encoding="utf-8")) for path in paths}


def kinds(make: Maker, role: str, query_set: str) -> list[str]:
    """The variations that a query set averages, or the query set itself."""
    return make.settings.evaluation[role]["means"].get(query_set, [query_set])


def mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return fmean(numbers) if numbers else None


def blank(make: Maker, role: str, query_set: str, quantity: str, system: str = "") -> Cell:
    """A cell with its printed number, without a reproduced one."""
    cell = make.blank("", role, query_set, "")
    coordinates = {"collection": role, "query_set": query_set, "quantity": quantity}
    cell.value, cell.system = quantity, system
    cell.quote(make.printed(**coordinates, **({"system": system} if system else {})))
    reasons = [make.settings.reasons[kind] for kind in kinds(make, role, query_set) if kind in make.settings.reasons]
    cell.not_run = cell.not_run or next(iter(reasons), "")
    return cell
