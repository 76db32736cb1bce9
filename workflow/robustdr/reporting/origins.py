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

    what: str
    one: str
    other: str


def _scale(root: Path) -> dict[str, set[str]]:
    """The scale and the banner of a miniature, from the claims' JSON."""
    found: dict[str, set[str]] = {}
    for path in root.glob("claims/*.json"):
        with suppress(*UNREADABLE):
            made = from_json(path.read_bytes())
            for name in ("scale", "miniature"):
                found.setdefault(name, set()).add(made[name])
    return found


def _records(root: Path) -> dict[str, set[str]]:
    """Hardware (`computed on`) and package versions, from the records of a folder's artifacts."""
    found: dict[str, set[str]] = {}
    for path in root.rglob("*.sha256"):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("# computed on "):
                found.setdefault("computed on", set()).add(line.removeprefix("# computed on "))
            elif line.startswith("# installed: "):
                for package in line.removeprefix("# installed: ").split(", "):
                    name, _, version = package.partition(" ")
                    found.setdefault(name, set()).add(version)
    return found


def _seeds(root: Path) -> dict[str, set[int]]:
    """The seeds of each system."""
    found: dict[str, set[int]] = {}
    for path in root.glob("measures/*/*/seed*/*.parquet"):
        found.setdefault(path.parents[1].name, set()).add(int(path.parent.name.removeprefix("seed")))
    return found


def _flat(tree: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", str(value)


def _recipes(root: Path) -> dict[str, dict[str, str]]:
    """The settings of each trained model, from its card."""
    found = {}
    for path in sorted(root.glob("models/*/*/seed*/README.md")):
        with suppress(*UNREADABLE):
            if recipe := RECIPE.search(path.read_text(encoding="utf-8")):
                found[f"{path.parents[2].name}/{path.parents[1].name}"] = dict(_flat(yaml.safe_load(recipe[1])))
    return found


def _steps(root: Path) -> dict[str, dict[str, str]]:
    """The key of each artifact, by step and artifact, in the order of the steps."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(root.glob("report/data/*/systems/*.js")):
        with suppress(*UNREADABLE):
            for step in read_data(path)["steps"]:
                found.setdefault(step["name"], {})[step["what"]] = step["key"]
    return found


def _settings(one: dict[str, dict[str, str]], other: dict[str, dict[str, str]]) -> list[Origin]:
    """The settings that differ, each with its models, for models in both folders."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for model in sorted(one.keys() & other.keys()):
        for name in dict.fromkeys([*one[model], *other[model]]):
            values = one[model].get(name, "–"), other[model].get(name, "–")
            if values[0] != values[1]:
                found.setdefault((name, *values), []).append(model)
    return [Origin(f"{name} of {', '.join(models)}", *values) for (name, *values), models in found.items()]


def _parted(one: dict[str, dict[str, str]], other: dict[str, dict[str, str]]) -> list[Origin]:
    """The steps with different keys in the two folders, or with results in only one of them."""
    found = []
    for name in dict.fromkeys([*one, *other]):
        ours, theirs = one.get(name, {}), other.get(name, {})
        shared = ours.keys() & theirs.keys()
        changed = sum(ours[what] != theirs[what] for what in shared)
        if changed or ours.keys() != theirs.keys():
            what = f"{name.replace('_', ' ')}: {changed} of {len(shared)} with another key"
            alone = (f"{len(of)} made, {len(of.keys() - shared)} of them here alone" for of in (ours, theirs))
            found.append(Origin(what, *alone))
    return found


def _unequal(one: Mapping[str, set[Any]], other: Mapping[str, set[Any]]) -> list[Origin]:
    """The entries whose values differ between the folders."""
    listed = {
        name: [", ".join(map(str, sorted(of.get(name, ())))) or "–" for of in (one, other)] for name in {*one, *other}
    }
    return [Origin(name, *values) for name, values in sorted(listed.items()) if values[0] != values[1]]


def origins(one: Path, other: Path) -> dict[str, list[Origin]]:
    """The differences in how two folders were made, by heading.

    `steps`: steps with different keys; a key covers code, packages, settings and inputs. The first such step is where
    the folders begin to differ. It is read from the report's data, so it is empty if the report was not built.
    """
    return {
        "scale": _unequal(_scale(one), _scale(other)),
        "steps": _parted(_steps(one), _steps(other)),
        "settings": _settings(_recipes(one), _recipes(other)),
        "seeds": _unequal(_seeds(one), _seeds(other)),
        "packages and hardware": _unequal(_records(one), _records(other)),
    }
