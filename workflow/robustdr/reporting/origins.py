"""Differences in how two results folders were made: scale, steps, settings, seeds, packages, hardware."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from robustdr.core.files import from_json
from robustdr.reporting.queries import read_data

# From a file that is incomplete or of another version.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, yaml.YAMLError)
RECIPE = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)  # in a model card


class Origin(NamedTuple):
    """One difference: its name, and its value in each folder."""

    subject: str
    first: str
    second: str


def _scale(root: Path) -> dict[str, set[str]]:
    """The scale and the banner of a miniature, from the claims' JSON."""
    values_by_name: dict[str, set[str]] = {}
    for path in root.glob("claims/*.json"):
        with suppress(*UNREADABLE):
            claims = from_json(path.read_bytes())
            for name in ("scale", "miniature"):
                values_by_name.setdefault(name, set()).add(claims[name])
    return values_by_name


def _records(root: Path) -> dict[str, set[str]]:
    """Hardware (`computed on`) and package versions, from the records of a folder's artifacts."""
    values_by_name: dict[str, set[str]] = {}
    for path in root.rglob("*.sha256"):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("# computed on "):
                values_by_name.setdefault("computed on", set()).add(line.removeprefix("# computed on "))
            elif line.startswith("# installed: "):
                for package in line.removeprefix("# installed: ").split(", "):
                    name, _, version = package.partition(" ")
                    values_by_name.setdefault(name, set()).add(version)
    return values_by_name


def _seeds(root: Path) -> dict[str, set[int]]:
    """The seeds of each system."""
    seeds_by_system: dict[str, set[int]] = {}
    for path in root.glob("measures/*/*/seed*/*.parquet"):
        seeds_by_system.setdefault(path.parents[1].name, set()).add(int(path.parent.name.removeprefix("seed")))
    return seeds_by_system


def _flat(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)


def _recipes(root: Path) -> dict[str, dict[str, str]]:
    """The settings of each trained model, from its card."""
    recipes = {}
    for path in sorted(root.glob("models/*/*/seed*/README.md")):
        with suppress(*UNREADABLE):
            if recipe := RECIPE.search(path.read_text(encoding="utf-8")):
                recipes[f"{path.parents[2].name}/{path.parents[1].name}"] = dict(_flat(yaml.safe_load(recipe[1])))
    return recipes


def _steps(root: Path) -> dict[str, dict[str, str]]:
    """The key of each artifact, by step and artifact, in the order of the steps."""
    keys_by_step: dict[str, dict[str, str]] = {}
    for path in sorted(root.glob("report/data/*/systems/*.js")):
        with suppress(*UNREADABLE):
            for step in read_data(path)["steps"]:
                keys_by_step.setdefault(step["name"], {})[step["what"]] = step["key"]
    return keys_by_step


def _settings(first_recipes: dict[str, dict[str, str]], second_recipes: dict[str, dict[str, str]]) -> list[Origin]:
    """The settings that differ, each with its models, for models in both folders."""
    models_by_difference: dict[tuple[str, str, str], list[str]] = {}
    for model in sorted(first_recipes.keys() & second_recipes.keys()):
        for name in dict.fromkeys([*first_recipes[model], *second_recipes[model]]):
            values = first_recipes[model].get(name, "–"), second_recipes[model].get(name, "–")
            if values[0] != values[1]:
                models_by_difference.setdefault((name, *values), []).append(model)
    return [
        Origin(f"{name} of {', '.join(models)}", *values) for (name, *values), models in models_by_difference.items()
    ]


def _parted(first_steps: dict[str, dict[str, str]], second_steps: dict[str, dict[str, str]]) -> list[Origin]:
    """The steps with different keys in the two folders, or with results in only one of them; none without a report."""
    differences: list[Origin] = []
    if not first_steps or not second_steps:
        return differences
    for name in dict.fromkeys([*first_steps, *second_steps]):
        ours, theirs = first_steps.get(name, {}), second_steps.get(name, {})
        shared = ours.keys() & theirs.keys()
        changed = sum(ours[artifact] != theirs[artifact] for artifact in shared)
        if changed or ours.keys() != theirs.keys():
            subject = f"{name.replace('_', ' ')}: {changed} of {len(shared)} with another key"
            counts = (f"{len(keys)} made, {len(keys.keys() - shared)} of them here alone" for keys in (ours, theirs))
            differences.append(Origin(subject, *counts))
    return differences


def _unequal(first_values: Mapping[str, set[Any]], second_values: Mapping[str, set[Any]]) -> list[Origin]:
    """The entries whose values differ between the folders."""
    listed = {
        name: [", ".join(map(str, sorted(values.get(name, ())))) or "–" for values in (first_values, second_values)]
        for name in {*first_values, *second_values}
    }
    return [Origin(name, *values) for name, values in sorted(listed.items()) if values[0] != values[1]]


def origins(first: Path, second: Path) -> dict[str, list[Origin]]:
    """The differences in how two folders were made, by heading.

    `steps`: steps with different keys; a key covers code, packages, settings and inputs. The first such step is where
    the folders begin to differ. It is read from the report's data, so it is empty if the report was not built.
    """
    return {
        "scale": _unequal(_scale(first), _scale(second)),
        "steps": _parted(_steps(first), _steps(second)),
        "settings": _settings(_recipes(first), _recipes(second)),
        "seeds": _unequal(_seeds(first), _seeds(second)),
        "packages and hardware": _unequal(_records(first), _records(second)),
    }
