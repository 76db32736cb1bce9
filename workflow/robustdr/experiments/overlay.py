"""The folders of a configuration: the project's own, and an optional second one, the overlay."""

from pathlib import Path
from typing import Any

from robustdr.collections import kind_of
from robustdr.core.errors import UserError

Tree = dict[str, Any]

PARTS = ("collections.yaml", "scales/*.yaml", "papers/*/experiment.yaml")
# Keys with files or folders of the user, by the kind of a collection or split.
PATHS = {"local": ("corpus", "queries", "qrels"), "beir": ("folder",), "pairs": ("path",), "questions": ("path",)}


def layers(folder: Path, overlay: Path | None) -> list[Path]:
    """Return the folders; entries of a later one replace those of an earlier one.

    Raises:
        UserError: an overlay that is not a folder, or has no file of a configuration.
    """
    if overlay is None:
        return [folder]
    if not any(path for part in PARTS for path in overlay.glob(part)):
        raise UserError(f"overlay: {overlay}: nothing to lay over {folder}; allowed: {', '.join(PARTS)} of a folder")
    return [folder, overlay]


def find_files(folders: list[Path], pattern: str) -> dict[str, Path]:
    """Return the files of a pattern by the text for its `*`; for equal names, the last folder's."""
    star_position = pattern.split("/").index(next(part for part in pattern.split("/") if "*" in part))
    files = {
        path.relative_to(folder).parts[star_position].removesuffix(".yaml"): path
        for folder in folders
        for path in folder.glob(pattern)
    }
    return dict(sorted(files.items()))


def placed_collection(source: Tree, folder: Path) -> Tree:
    """Return an entry of an overlay's collections.yaml with relative paths starting at `folder`."""

    def place_entry(entry: Tree, kind: str) -> Tree:
        paths: Tree = {key: str(folder / entry[key]) for key in PATHS.get(kind, ()) if key in entry}
        pinned = entry.get("sha256")
        if kind in ("local", "beir") and pinned:
            paths["sha256"] = {str(folder / name): digest for name, digest in pinned.items()}
        return {**entry, **paths}

    splits = {name: place_entry(part, kind_of(source, name)) for name, part in source["splits"].items()}
    return {**place_entry(source, source["kind"]), "splits": splits}


def placed_scale(scale: Tree, folder: Path) -> Tree:
    """Return a scale of an overlay with relative paths of its checkpoints starting at `folder`."""

    def place_checkpoint(entry: Tree) -> Tree:
        source = entry.get("source", {})
        if "path" not in source or "package" in source:  # a package's path is inside the package
            return entry
        return {**entry, "source": {**source, "path": str(folder / source["path"])}}

    return {
        **scale,
        "checkpoints": {name: place_checkpoint(entry) for name, entry in scale.get("checkpoints", {}).items()},
    }
