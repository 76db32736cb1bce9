"""The models for `robustdr evaluate`: a directory, a name on the hub, an encoder on a server, or runs."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.encoding.any_type import describe
from robustdr.encoding.description import LATE, Description, check_cross, model_type
from robustdr.encoding.directory import AGREEMENT, CROSS_ENCODER, ROUTE_OF
from robustdr.encoding.source import from_hub
from robustdr.own import Coarse
from robustdr.systems.existing import Existing
from robustdr.systems.late_interaction import LateInteraction
from robustdr.systems.rerank import Rerank
from robustdr.systems.served import Served
from robustdr.systems.sparse import Sparse

QUERY_LENGTH, SEPARATORS = 64, 4  # most tokens of a query, and special tokens, of a pair that a cross-encoder reads
KINDS: dict[str, str] = {
    kind.model: kind.name for kind in (Sparse(), LateInteraction())
}  # by type of model; others are dual encoders
FEWEST = 3  # tokens of a text, as recipes have it
SEED = re.compile(r"seed\d+")
HUB = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")


class Model(NamedTuple):
    """A model for the configuration.

    Attributes:
        label: for readers. recipe: of its system.
        checkpoint: its entry in the scale. folder: its directory. encodes: how. All are None for a server or for runs.
    """

    label: str
    recipe: Mapping[str, object]
    checkpoint: Mapping[str, object] | None = None
    folder: Path | None = None
    encodes: Description | None = None


def find(name: str, overrides: Mapping[str, Any] | None = None, base: str = "base") -> Model:
    """A model from a directory or from the hub: `<organisation>/<model>[@<revision>]`, which is downloaded.

    The configuration pins the commit of the revision, also for a branch, a tag or no revision.

    Args:
        overrides: what replaces what the directory says: `query_length`, `passage_length`, and keys of a checkpoint
            that is taken whole: `prompts`, `pooling`, `separator`, `similarity`. base: name of its checkpoint.

    Raises:
        UserError: `name` is neither, the hub cannot be reached, or the model does not read so few or so many
            tokens; see also `describe`.
    """
    overrides = overrides or {}
    folder, label, source = _located(name, "--model")
    with prefixed_errors("--model"):
        description, kind = describe(folder, overrides.get("pooling")), KINDS.get(model_type(folder))
    if "similarity" in overrides and kind == KINDS[LATE]:
        raise UserError(
            f"--similarity: {overrides['similarity']}: {folder} compares sets of vectors, by {description.similarity}"
        )
    requested_prompts = {ROUTE_OF[role]: prompt for role, prompt in overrides.get("prompts", {}).items()}
    lengths = {
        f"{role}_length": overrides.get(f"{role}_length", description.lengths[route])
        for role, route in ROUTE_OF.items()
    }
    for role, route in ROUTE_OF.items():
        length, limit = lengths[f"{role}_length"], description.lengths[route]
        if not FEWEST <= length <= limit:
            allowed = f"allowed: {FEWEST} to {limit}, the tokens that {label} reads"
            raise UserError(f"--{role}-length: {length}; {allowed}")
    prompts = {**description.prompts, **requested_prompts}
    encodes = replace(
        description,
        prompts=prompts,
        unused={name: text for name, text in description.unused.items() if text not in prompts.values()},
        separator=overrides.get("separator", " "),
        similarity=overrides.get("similarity", description.similarity),
        lengths={route: lengths[f"{role}_length"] for role, route in ROUTE_OF.items()},
    )
    replaced = {key: value for key, value in overrides.items() if key not in lengths}
    checkpoint = {"description": label, "form": "whole", "source": source, **replaced}
    recipe = {"kind": kind} if kind else {}
    return Model(label, {**recipe, "initial": base, **lengths}, checkpoint, folder, encodes)


def reranker(name: str) -> Model:
    """A cross-encoder from a directory or from the hub, for the kind of system `rerank`.

    It reads a query of `QUERY_LENGTH` tokens, or of a quarter of a pair if that is less, and a passage of the rest.

    Raises:
        UserError: `name` is neither, or the hub cannot be reached; see also `check_cross`.
    """
    folder, label, source = _located(name, "--reranker")
    with prefixed_errors("--reranker"):
        limit = check_cross(folder)
    query_length = min(QUERY_LENGTH, limit // 4)
    lengths = {"query_length": query_length, "passage_length": limit - query_length - SEPARATORS}
    recipe = {"kind": Rerank().name, "initial": "reranker", "ranker": {"name": "mono_bert"}, **lengths}
    return Model(label, recipe, {"description": label, "form": CROSS_ENCODER, "source": source}, folder)


def unknown_share(folder: Path, texts: Sequence[str]) -> float:
    """Share of the tokens of texts that a model's tokenizer does not know; 0 if it has no tokenizer.json.

    Raises:
        UserError: the tokenizer is damaged.
    """
    if not (file := folder / "tokenizer.json").is_file():
        return 0.0
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library has no class of its own for a file that it cannot read
        raise UserError(f"{file}: no tokenizer there, or a damaged one ({error})") from None
    tokenizer.no_truncation()
    model = json.loads(file.read_bytes())["model"]
    unknown_id = model.get("unk_id", tokenizer.token_to_id(model.get("unk_token") or ""))
    ids = [id for encoded in tokenizer.encode_batch_fast([*texts], add_special_tokens=False) for id in encoded.ids]
    return ids.count(unknown_id) / max(1, len(ids))


def _located(name: str, option: str) -> tuple[Path, str, dict[str, str]]:
    """The directory of a model, its label, and its source in the configuration."""
    if (folder := Path(name)).is_dir():
        parts = folder.absolute().parts  # of a model of this project, such as dr_oq/seed1, the last part says little
        label = "/".join(parts[-2:] if SEED.fullmatch(parts[-1]) else parts[-1:])
        return folder, label, {"path": str(folder.resolve())}
    if not HUB.fullmatch(name) or Path(name).exists():
        raise UserError(f"{option}: {name}: no such directory; allowed: a directory or a hub's <organisation>/<model>")
    hub, _, revision = name.partition("@")
    try:
        folder = from_hub(hub, revision or None, option)
    except UserError as error:
        raise UserError(f"{error}; there is no folder {name} here") from None
    return folder, hub, {"hub": hub, "revision": folder.name}


def served(url: str, name: str, recipe_keys: Mapping[str, object]) -> Model:
    """The model `name` of the server at `url`; `recipe_keys`: further keys of its recipe (systems/served.py)."""
    return Model(name, {"kind": Served().name, "url": url.rstrip("/"), "model": name, **recipe_keys})


def ranked(runs: Path, name: str) -> Model:
    """A system called `name` with its runs in a folder (systems/existing.py)."""
    return Model(name, {"kind": Existing().name, "runs": str(runs.resolve())})


def check_compressed(models: Sequence[Model], dimensions: Sequence[int], precisions: Sequence[Coarse]) -> None:
    """Check that models can have smaller vectors, before any work.

    Raises:
        UserError: a dimension is not positive, or a model is no dual encoder of a folder or of the hub.
    """
    if smallest := [number for number in dimensions if number < 1]:
        raise UserError(f"--truncate-dim: {smallest[0]}; allowed: 1 or more")
    for option in [name for name, value in (("--truncate-dim", dimensions), ("--precision", precisions)) if value]:
        for model in models:
            if kind := model.recipe.get("kind"):
                allowed = "allowed: a model of a folder or of the hub with one vector for each text"
                raise UserError(f"{option}: {model.label}: {kind}; {allowed}")


def check_dimensions(label: str, model: Path, dimensions: Sequence[int]) -> None:
    """Check that the vectors of a model in a folder have as many dimensions.

    Raises:
        UserError: they have fewer.
    """
    if dimensions and max(dimensions) > (whole := dimension_of(model)):
        raise UserError(
            f"--truncate-dim: {max(dimensions)}: {label} has vectors of {whole} dimensions; allowed: 1 to {whole}"
        )


def dimension_of(model: Path) -> int:
    """How many numbers a vector of a model has, from its directory in this package's form."""
    dimension: int = json.loads((model / AGREEMENT).read_text(encoding="utf-8"))["dimension"]
    return dimension
