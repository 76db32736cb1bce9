"""The configuration: read, combined with an overlay, and checked before any work starts."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from robustdr.claims.claim import NO_CLAIMS, load_claims
from robustdr.collections.settings import Collections
from robustdr.core.checks import check_known
from robustdr.core.errors import UserError
from robustdr.core.yaml_files import Tree, checked, located, read_yaml
from robustdr.experiments.checks import check
from robustdr.experiments.kinds import KINDS, Recipe
from robustdr.experiments.models import Config, Experiment, Scale
from robustdr.experiments.sources import load_sources
from robustdr.reporting import figures, layouts

PARTS = ("collections.yaml", "scales/*.yaml", "papers/*/experiment.yaml")


def load(folder: Path = Path("config"), overlay: Path | None = None) -> Config:
    """Read and check all files below `folder`.

    Args:
        overlay: a second folder: its collections, scales and papers are added, or replace the whole entry of the same
            name. Relative paths of its collections and checkpoints start there.

    Raises:
        UserError: the first fault: file, line, key, value, what is allowed.
    """
    try:
        return _load(folder, overlay)
    except UserError as error:
        raise located(error) from None


def _load(folder: Path, overlay: Path | None) -> Config:
    if overlay and not any(path for part in PARTS for path in overlay.glob(part)):
        raise UserError(f"overlay: {overlay}: nothing to lay over {folder}; allowed: {', '.join(PARTS)} of a folder")
    folders = [folder, overlay] if overlay else [folder]
    files = {path.parent.name: path for layer in folders for path in layer.glob("papers/*/experiment.yaml")}
    scale_files = {path.stem: path for layer in folders for path in layer.glob("scales/*.yaml")}
    files, scale_files = dict(sorted(files.items())), dict(sorted(scale_files.items()))
    papers = {paper: _experiment(paper, path) for paper, path in files.items()}
    _check_declared_once(papers, files)
    systems = {}
    for paper, experiment in papers.items():
        for name, entry in experiment.systems.items():
            kind = entry.get("kind", Recipe.kind) if isinstance(entry, dict) else Recipe.kind
            check_known(f"{files[paper]}: systems.{name}.kind", str(kind), KINDS.names())
            systems[name] = checked(KINDS.facts(kind), entry, files[paper], ["systems", name])
    claim_files = {paper: path.with_name("claims.yaml") for paper, path in files.items()}
    config = Config(
        _collections(folder, overlay),
        _scales(scale_files, overlay),
        papers,
        systems,
        {paper: load_claims(path) if path.is_file() else NO_CLAIMS for paper, path in claim_files.items()},
        {name: recipe for experiment in papers.values() for name, recipe in experiment.pretraining.items()},
        scale_files,
        {paper: path.parent for paper, path in files.items()},
        {paper: load_sources(path.with_name("sources.yaml")) for paper, path in files.items()},
        overlay,
    )
    check(config)
    return config


def _experiment(paper: str, path: Path) -> Experiment:
    if not re.fullmatch("[a-z0-9_]+", paper):
        raise UserError(f"{path.parent}: {paper!r} is no name of a paper; allowed: lower-case letters, digits and _")
    tree = read_yaml(path)
    experiment = checked(Experiment, tree, path)
    tables = {
        name: layouts.read_layout(entry, str(path), ["tables", name]) for name, entry in experiment.tables.items()
    }
    drawn = {
        name: figures.read_figure(entry, str(path), ["figures", name]) for name, entry in experiment.figures.items()
    }
    return replace(experiment, tables=tables, figures=drawn)


def _check_declared_once(papers: Mapping[str, Experiment], files: Mapping[str, Path]) -> None:
    for section in ("systems", "pretraining"):
        declared: dict[str, str] = {}
        for paper, experiment in papers.items():
            for name in getattr(experiment, section):
                if (first := declared.setdefault(name, paper)) != paper:
                    raise UserError(f"{files[paper]}: {section}.{name}: declared by {files[first]} too; allowed: once")


def _collections(folder: Path, overlay: Path | None) -> dict[str, Tree]:
    path = folder / "collections.yaml"
    collections: dict[str, Tree] = dict(checked(Collections, read_yaml(path), path))  # type: ignore[arg-type]
    if overlay and (path := overlay / "collections.yaml").is_file():
        collections |= checked(Collections, read_yaml(path), path, folder=overlay)  # type: ignore[arg-type]
    return collections


def _merge_trees(base: Tree, changes: Tree) -> Tree:
    """Return `base` with `changes` merged into its nested mappings."""
    inner = {
        key: value for key, value in changes.items() if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return {**base, **changes, **{key: _merge_trees(base[key], value) for key, value in inner.items()}}


def _scales(files: dict[str, Path], overlay: Path | None) -> dict[str, Scale]:
    """Return every scale by name, those that others may extend first; one that `extends` another gives only changes."""
    scale_trees = {name: read_yaml(path) for name, path in files.items()}
    for name, path in files.items():
        if overlay and path.is_relative_to(overlay):
            scale_trees[name] = _placed_scale(scale_trees[name], overlay)

    def whole(name: str, extending: tuple[str, ...] = ()) -> dict[str, Any]:
        scale = dict(scale_trees[name])
        if "extends" not in scale:
            return scale
        base = str(scale.pop("extends"))
        check_known(f"{files[name]}: extends", base, set(scale_trees) - {name, *extending})
        return _merge_trees(whole(base, (name, *extending)), scale)

    first = sorted(scale_trees, key=lambda name: "extends" in scale_trees[name])
    return {name: checked(Scale, whole(name), files[name]) for name in first}


def _placed_scale(scale: Tree, folder: Path) -> Tree:
    """Return a scale of an overlay with relative paths of its checkpoints starting at `folder`.

    A scale that it `extends` may lie elsewhere, so this comes before their keys are merged.
    """

    def place_checkpoint(entry: Tree) -> Tree:
        source = entry.get("source", {})
        if "path" not in source or "package" in source:  # a package's path is inside the package
            return entry
        return {**entry, "source": {**source, "path": str(folder / source["path"])}}

    return {
        **scale,
        "checkpoints": {name: place_checkpoint(entry) for name, entry in scale.get("checkpoints", {}).items()},
    }
