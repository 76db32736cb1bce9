"""How two results folders were made, where they differ: steps, settings, seeds, packages, hardware."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from robustdr.reporting.queries import read_data

RECIPE = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)  # in a model card


class Origin(NamedTuple):
    """One thing that differs, and how it is in each folder."""

    what: str
    one: str
    other: str


def _records(root: Path) -> dict[str, set[str]]:
    """What the records of a folder's artifacts say: `computed on`, and the versions of each package."""
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
    for path in root.glob("measures/*/*/seed*.parquet"):
        found.setdefault(path.parent.name, set()).add(int(path.stem.removeprefix("seed")))
    return found


def _flat(tree: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", str(value)


def _recipes(root: Path) -> dict[str, dict[str, str]]:
    """The settings of each trained model, as its card has them."""
    found = {}
    for path in sorted(root.glob("models/*/*/seed*/README.md")):
        if recipe := RECIPE.search(path.read_text(encoding="utf-8")):
            found[f"{path.parents[2].name}/{path.parents[1].name}"] = dict(_flat(yaml.safe_load(recipe[1])))
    return found


def _steps(root: Path) -> dict[str, dict[str, str]]:
    """By name of a step, the key of each thing that it made, in the order of the steps."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(root.glob("report/data/*/systems/*.js")):
        try:
            steps = read_data(path).get("steps", [])
        except ValueError:  # cut off
            continue
        for step in steps:
            found.setdefault(step["name"], {})[step["what"]] = step["key"]
    return found


def _settings(one: dict[str, dict[str, str]], other: dict[str, dict[str, str]]) -> list[Origin]:
    """The settings that differ in models of both, each with the models that it differs in."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for model in sorted(one.keys() & other.keys()):
        for name in dict.fromkeys([*one[model], *other[model]]):
            values = one[model].get(name, "–"), other[model].get(name, "–")
            if values[0] != values[1]:
                found.setdefault((name, *values), []).append(model)
    return [Origin(f"{name} of {', '.join(models)}", *values) for (name, *values), models in found.items()]


def _listed(values: Any) -> str:
    return ", ".join(map(str, sorted(values))) or "–"


def origins(one: Path, other: Path) -> dict[str, list[Origin]]:
    """What differs in how two folders were made, by kind.

    `steps`: where keys differ, which cover code, packages, settings and inputs; the first of them in the order of the
    steps is where the two part. Read from the report's data: none where it was not built.
    """
    records, seeds, steps = ([read(root) for root in (one, other)] for read in (_records, _seeds, _steps))
    found: dict[str, list[Origin]] = {"steps": [], "settings": _settings(_recipes(one), _recipes(other))}
    for name in dict.fromkeys([*steps[0], *steps[1]]):
        ours, theirs = (of.get(name, {}) for of in steps)
        shared = ours.keys() & theirs.keys()
        changed = [what for what in ours if what in shared and ours[what] != theirs[what]]
        if changed or ours.keys() != theirs.keys():
            alone = (f"{len(of)} made, {len(of.keys() - shared)} of them here alone" for of in (ours, theirs))
            found["steps"].append(
                Origin(f"{name.replace('_', ' ')}: {len(changed)} of {len(shared)} with another key", *alone)
            )
    for kind, (ours, theirs) in {"seeds": seeds, "packages and hardware": records}.items():
        names = [name for name in sorted({*ours, *theirs}) if ours.get(name) != theirs.get(name)]
        found[kind] = [Origin(name, _listed(ours.get(name, ())), _listed(theirs.get(name, ()))) for name in names]
    return found
