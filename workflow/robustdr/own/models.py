"""The models for `robustdr evaluate`: a directory, a name on the hub, an encoder on a server, or runs."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from robustdr.core.errors import UserError
from robustdr.encoding.directory import MODULES
from robustdr.encoding.source import from_hub
from robustdr.experiments.kinds import LENGTHS
from robustdr.systems.existing import Existing
from robustdr.systems.served import Served

HUB = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")


class Model(NamedTuple):
    """A model for the configuration.

    Attributes:
        label: for readers. recipe: of its system.
        checkpoint: its entry in the scale. folder: its directory. Both are None for a server or for runs.
    """

    label: str
    recipe: Mapping[str, object]
    checkpoint: Mapping[str, object] | None = None
    folder: Path | None = None


def find(name: str, lengths: Mapping[str, int | None] | None = None) -> Model:
    """A model from a directory or from the hub: `<organisation>/<model>[@<revision>]`, which is downloaded.

    The configuration pins the commit of the revision, also for a branch, a tag or no revision.

    Args:
        lengths: by LENGTHS, numbers of tokens that replace those from the directory.

    Raises:
        UserError: `name` is neither, or the hub cannot be reached; see also `_read`.
    """
    if Path(name).is_dir():
        return _read(Path(name), Path(name).name, {"path": str(Path(name).resolve())}, lengths or {})
    if not HUB.fullmatch(name) or Path(name).exists():
        raise UserError(f"--model: {name}: no such directory; allowed: a directory or a hub's <organisation>/<model>")
    hub, _, revision = name.partition("@")
    folder = from_hub(hub, revision or None, "--model")
    return _read(folder, hub, {"hub": hub, "revision": folder.name}, lengths or {})


def served(url: str, name: str, how: Mapping[str, object]) -> Model:
    """The model `name` of the server at `url`; `how`: further keys of its recipe (systems/served.py)."""
    return Model(name, {"kind": Served().name, "url": url.rstrip("/"), "model": name, **how})


def ranked(runs: Path, name: str) -> Model:
    """A system called `name` with its runs in a folder (systems/existing.py)."""
    return Model(name, {"kind": Existing().name, "runs": str(runs.resolve())})


def _read(folder: Path, label: str, source: Mapping[str, str], lengths: Mapping[str, int | None]) -> Model:
    """A model from a sentence-transformers directory.

    Raises:
        UserError: it is not such a directory, or it gives no length of texts.
    """
    if not (folder / MODULES).is_file():
        raise UserError(f"--model: {folder}: no {MODULES}; allowed: a directory that sentence-transformers saved")
    checkpoint = {"description": label, "form": "whole", "source": source}
    reads = {name: lengths.get(name) or length(folder) for name in LENGTHS}
    return Model(label, {"initial": "base", **reads}, checkpoint, folder)


def length(folder: Path) -> int:
    """The tokens that a model reads: `max_seq_length` of its directory, else its number of positions.

    Raises:
        UserError: the directory has neither.
    """
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("config.json", "max_position_embeddings")):
        path = folder / name
        says = json.loads(path.read_text(encoding="utf-8")).get(key) if path.is_file() else None
        if says:
            return int(says)
    raise UserError(f"--model: {folder}: neither sentence_bert_config.json nor config.json gives the length of a text")
