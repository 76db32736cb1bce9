"""Nodes of the job graph: each is one artifact, declared once. Its key, its job and its history follow from it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core.settings import as_json, deciding
from robustdr.keys.integrity import is_whole, key_of
from robustdr.keys.provenance import Code, digests, key, made_of


class Need(NamedTuple):
    """What the first attempt of a job asks of machines: memory in MB, minutes, GPUs, processor cores and nodes.

    Memory and cores are those of each node; GPUs are those of all.
    """

    memory: int
    minutes: int
    gpus: int = 0
    cores: int = 1
    nodes: int = 1


@dataclass(frozen=True, eq=False)
class Input:
    """What a node reads under one name.

    Attributes:
        nodes: artifacts of other jobs. files: files of the user, which no job makes.
        names: one for each node, if the names decide bytes and the order of the nodes does not.
        decides: whether what is read decides bytes of the artifact; if not, no key covers it.
        is_option: whether the stage has an option of this name.
        place: where the configuration names the files, for error messages. named_files: all files that it names there.
    """

    nodes: Sequence["Node"] = ()
    files: Sequence[Path] = ()
    names: Sequence[str] = ()
    decides: bool = True
    is_option: bool = True
    place: str = ""
    named_files: Sequence[Path] = ()

    @property
    def paths(self) -> list[str]:
        return [node.path for node in self.nodes] + [str(path) for path in self.files]

    @property
    def key(self) -> Any:
        """Return the keys of the nodes and the digests of the files, as JSON values."""
        keys = [node.key for node in self.nodes]
        node_keys: Any = dict(zip(self.names, keys, strict=True)) if self.names else keys
        return [node_keys, digests(self.files)] if self.files else node_keys


def reads(*nodes: "Node", decides: bool = True) -> Input:
    """Return the input of these nodes, in this order."""
    return Input(nodes, decides=decides)


@dataclass(frozen=True, eq=False)
class Node:
    """An artifact of the job graph.

    Attributes:
        rule: name of the rule that makes it, also of its folders of logs and benchmarks.
        root: folder of the scale's results. path: file or folder of the artifact.
        subject: the artifact in words.
        job: distinguishes its job from others of the rule; the name of the log and benchmark files.
        code: the code that makes it. stage: the stage's name, if it is not the rule's.
        settings: typed settings of the stage. decides: what else decides bytes, as JSON values; for a node without
            `settings`, all that does.
        inputs: what is read, by option of the stage. after: nodes that the job waits for and does not read.
        options: further options of the stage.
        outputs: the paths that the stage writes, by its option; by default `--output` has `path`.
        first: path of the first artifact that its job makes, if that is not `path`.
        need: what the job asks of a machine.
        query_set: `<split>.<variation>` if the node is about one query set.
        whole: the node that this one is a file of.
        makes: the nodes of the artifacts that the job makes, in the order of their records; by default this one.
        outside: files and folders of the user that its settings name, each with the command that fetches it.
        network: whether the job may use the network. It then runs on the host that submits (`localrule` of its rule).
    """

    rule: str
    root: str
    path: str
    subject: str
    job: str
    code: Code
    need: Need
    stage: str = ""
    settings: Any = None
    decides: Any = None
    inputs: Mapping[str, Input] = field(default_factory=dict)
    after: Sequence["Node"] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    first: str = ""
    query_set: str = ""
    whole: "Node | None" = None
    makes: "Callable[[], Sequence[Node]] | None" = None
    outside: Mapping[str, str] = field(default_factory=dict)
    network: bool = False

    def file(self, path: str) -> "Node":
        """Return the node of one file of this artifact."""
        return replace(self, path=path, whole=self.whole or self)

    @cached_property
    def key(self) -> str:
        if self.whole:
            return self.whole.key
        inputs = {name: entry.key for name, entry in self.inputs.items() if entry.decides and entry.paths}
        return key(self.code, self._deciding, inputs)

    @property
    def work(self) -> str:
        """The key without artifacts that the stage is told: it adds the digests of their bytes (robustdr.keys.kept)."""
        inputs = {name: digests(entry.files) if entry.is_option else entry.key for name, entry in self.inputs.items()}
        return key(self.code, self._deciding, inputs)

    @cached_property
    def _deciding(self) -> list[Any]:
        return [
            deciding(self.settings) if hasattr(self.settings, "__dataclass_fields__") else self.settings,
            self.decides,
        ]

    @property
    def record(self) -> str:
        """The path of the artifact's record (robustdr.keys.integrity); a folder's record lists all its files."""
        folder = self.whole.path if self.whole and self.path.startswith(f"{self.whole.path}/") else self.path
        return f"{folder}.sha256"

    @property
    def declared(self) -> str:
        """The record that its rule declares, and other jobs wait for: that of the first artifact that its job makes."""
        whole = self.whole or self
        return f"{whole.first or whole.path}.sha256"

    @property
    def artifacts(self) -> "Sequence[Node]":
        """The nodes of the artifacts that its job makes, in the order of their records."""
        return self.makes() if self.makes else [self.file(self.first) if self.first else self]

    @property
    def is_made(self) -> bool:
        """Whether the artifact is there with this key, and no file of it is missing."""
        return key_of(Path(self.path)) == self.key and is_whole(Path(self.record))

    @property
    def log(self) -> str:
        return f"{self.root}/logs/{self.rule}/{self.job}.log"

    @property
    def benchmark(self) -> str:
        return f"{self.root}/benchmarks/{self.rule}/{self.job}.tsv"

    @cached_property
    def input_nodes(self) -> "list[Node]":
        """The nodes that the job reads."""
        return list({node.path: node for entry in self.inputs.values() for node in entry.nodes}.values())

    @property
    def stage_name(self) -> str:
        """The name of the stage, as a shell takes it."""
        return (self.stage or self.rule).replace("_", "-")

    @property
    def words(self) -> list[str]:
        """The stage and its options."""
        return [self.stage_name, *(word for option in self.options_told for word in option)]

    @property
    def options_told(self) -> list[list[str]]:
        """Every option of the stage with its values; they include what the stage attests."""
        keys = [node.key for node in self.artifacts]
        options = [["--made-of", made_of(self.code)], ["--work", self.work], ["--key", *keys]]
        if tuple(self.code.names) != (self.stage or self.rule,):
            options.append(["--code", *self.code.names])
        if self.code.packages:
            options.append(["--packages", *self.code.packages])
        if self.network:
            options.append(["--network"])
        if self.settings is not None:
            options.append(["--settings", self.settings if isinstance(self.settings, str) else as_json(self.settings)])
        option_inputs = {name: entry for name, entry in self.inputs.items() if entry.is_option}
        if planned := {
            name: [node.key for node in entry.nodes] for name, entry in option_inputs.items() if entry.nodes
        }:
            options.append(["--reads", json.dumps(planned)])
        if files := [path for entry in self.inputs.values() for path in entry.files]:
            options.append(["--files", json.dumps(dict(zip(map(str, files), digests(files), strict=True)))])
        option_values = {**{name: entry.paths for name, entry in option_inputs.items()}, **self.options}
        for name, value in option_values.items():
            values = value if isinstance(value, list) else [value]
            options += [[f"--{name.replace('_', '-')}", *map(str, values)]] if values else []
        options += [[f"--{name}", *paths] for name, paths in (self.outputs or {"output": [self.path]}).items()]
        return options


def histories(nodes: Iterable[Node], left_out: Callable[[Node], bool] = lambda node: False) -> list[Node]:
    """Return every node behind `nodes` once, each after its inputs.

    Args:
        left_out: whether to leave out a node, and what only such nodes are made from.
    """
    visited: set[str] = set()
    history: list[Node] = []

    def visit(node: Node) -> None:
        node = node.whole or node
        if node.path in visited:
            return
        visited.add(node.path)
        if left_out(node):
            return
        for source in (*node.after, *node.input_nodes):
            visit(source)
        history.append(node)

    for node in nodes:
        visit(node)
    return history
