"""What jobs take from outside: archives, models of a hub, files and folders of this machine, servers."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.collections import deciding_keys, irds, kind_of, located
from robustdr.collections.archives import Archive, archives
from robustdr.core.downloads import github_url
from robustdr.encoding.directory import CHARACTER
from robustdr.encoding.settings import CheckpointSettings
from robustdr.keys.node import Node
from robustdr.retrieval.settings import ReleasedRunSettings
from robustdr.variations import seq2seq
from robustdr.variations.base import Variation, build, find
from robustdr.variations.release import url
from robustdr.variations.released import Released
from robustdr.variations.settings import Release


class File(NamedTuple):
    """A file of the user. `sha`: its SHA-256; '' if it is not pinned. `mend`: how it comes there."""

    path: Path
    sha: str
    mend: str


class FirstSeen(NamedTuple):
    """A file or folder that people fetch, without a published digest: it is what it was at its first use."""

    path: Path
    mend: str


class Folder(NamedTuple):
    """A model's folder. `sha`: SHA-256 of the weights; `tokenizer`: whether it has one; `mend`: how it comes there."""

    path: Path
    sha: str
    tokenizer: bool
    mend: str


class Pinned(NamedTuple):
    """A model of the hub, or one `file` of a data set, at a revision; `sha`: SHA-256 of the weights or the file."""

    name: str
    revision: str
    sha: str
    file: str = ""
    tokenizer: bool = True

    @property
    def kind(self) -> str:
        return "dataset" if self.file else "model"

    @property
    def label(self) -> str:
        return f"{self.name}@{self.revision[:7]}" + (f": {self.file}" if self.file else "")

    @property
    def mend(self) -> str:
        source = f"{self.name} {self.file} --repo-type dataset" if self.file else self.name
        return f"hf download {source} --revision {self.revision}"


class Kept(NamedTuple):
    """An archive that ir_datasets keeps; `mend`: the job that fetches it."""

    archive: Archive
    mend: str


class Download(NamedTuple):
    """A file that a job downloads; `mend`: this job."""

    url: str
    mend: str


class Generator(NamedTuple):
    """A query variation generator, which checks its own packages, programs and files."""

    generator: Variation
    mend: str


class Server(NamedTuple):
    """A server at a URL, and the variable of the environment that holds its key, or ''."""

    url: str
    key: str


Thing = File | FirstSeen | Folder | Pinned | Kept | Download | Generator | Server


def things(node: Node) -> Iterator[Thing]:
    """Yield what a job takes from outside.

    Raises:
        UserError: ir_datasets has no such data set.
    """
    if node.rule in ("write_passages", "download_queries"):
        source = json.loads(node.options["source"])
        explanation = f"{node.inputs['files'].place} of the configuration says what it is"
        for file in node.inputs["files"].files:
            yield File(file, source.get("sha256", {}).get(str(file), ""), source.get("unavailable") or explanation)
    if node.rule in ("download_passages", "download_queries"):
        yield from _collection_things(node)
    elif isinstance(node.settings, CheckpointSettings):
        yield from _checkpoint_things(node.settings)
    elif isinstance(node.settings, Release):
        if node.settings.path:
            yield File(
                Path(node.settings.path),
                node.settings.sha256 or "",
                "put it there; `released` of the scale names it",
            )
        else:
            yield Download(url(node.settings), _mend(node))
    elif node.rule in ("vary", "vary_shard"):
        yield from _variation_things(json.loads(node.options["settings"]), node.outside)
    elif isinstance(node.settings, ReleasedRunSettings):
        for path, fetch in node.outside.items():
            yield (
                File(Path(path), node.settings.sha256, fetch) if node.settings.sha256 else FirstSeen(Path(path), fetch)
            )
    elif node.rule == "retrieve_served":
        yield Server(node.settings.url, node.settings.key)


def _mend(node: Node) -> str:
    """Return the command of the job that brings what is missing."""
    return f"snakemake --cores 1 {node.path}"


def _collection_things(node: Node) -> Iterator[Thing]:
    source, split, mend = json.loads(node.options["source"]), node.options.get("split"), _mend(node)
    if kind_of(source, split) == "irds" and (split or "titled" not in source):
        id, kinds = (source["splits"][split]["id"], ["queries", "qrels"]) if split else (source["corpus"], ["docs"])
        dataset = irds.load(id, *kinds)
        yield from (Kept(archive, mend) for kind in kinds for archive in archives(dataset, kind))
    for file in located.remote_files(deciding_keys(source, split)):
        if "hub" in file:
            yield Pinned(file["hub"], file["revision"], file.get("sha256", ""), file["file"])
        elif (copy := located.github_copy(file)).is_file():
            yield File(copy, file["sha256"], f"rm {copy} && {mend}")
        else:
            yield Download(github_url(file["github"], file["revision"], file["file"]), mend)


def _checkpoint_things(settings: CheckpointSettings) -> Iterator[Thing]:
    tokenizer = settings.form not in (CHARACTER, "static")
    mend = settings.fetch or f"put it there; checkpoint {settings.name} of the scale says what it is"
    for source in (settings.source, *([settings.queries] if settings.queries else [])):
        sha = source.get("sha256", "")
        if "hub" in source:
            yield Pinned(source["hub"], source["revision"], sha, tokenizer=tokenizer)
        elif "package" in source:
            continue
        elif settings.form == "static":
            yield File(Path(source["path"]), sha, mend)
        else:
            yield Folder(Path(source["path"]), sha, tokenizer, mend)
        if settings.fetch and "path" in source and not sha and Path(source["path"]).exists():
            yield FirstSeen(Path(source["path"]), settings.fetch)


def _variation_things(settings: Mapping[str, Any], outside: Mapping[str, str]) -> Iterator[Thing]:
    variation = build(find(settings["generator"]), settings["parameters"])
    if isinstance(variation, Released):
        return  # a job of its own brings the file
    models: Mapping[str, str] = getattr(variation, "models", {})
    for model in models.values():
        if pinned := seq2seq.PINNED.fullmatch(model):
            yield Pinned(pinned["id"], pinned["revision"], pinned["sha256"])
        else:
            yield Folder(Path(model), "", True, outside[model])
    if not models:
        yield Generator(variation, "; ".join(outside.values()) or "see the message")
    if variation.fetches and not models:
        yield Server(settings["parameters"]["base_url"], settings["parameters"].get("key", ""))
