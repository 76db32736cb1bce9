"""The functions of wildcards that a rule gives to Snakemake: one object for each rule, made from its node."""

import hashlib
import os
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from robustdr.core.benchmarks import costs
from robustdr.core.errors import UserError
from robustdr.graph.failures import FAILURES
from robustdr.graph.parcels import SUFFIX, parcel_of
from robustdr.keys.integrity import KEPT, is_current
from robustdr.keys.node import Need, Node
from robustdr.keys.notes import RUNS

SPARE = 2  # times what a job took before
LEAST = Need(memory=1000, minutes=10)
SETTINGS = RUNS / "settings"
UNUSED = 7 * 24 * 3600  # seconds after which a file there is removed


def requested_resources(node: Node) -> Need:
    """Return what a job asks for: twice what it took before; what its node says if that is not known or was too little.

    A job that took its artifact back (robustdr.keys.kept) did not take what its work takes.
    """
    took, record = costs(Path(node.benchmark)), Path(node.record)
    failed = FAILURES.memory[node.log] or FAILURES.time[node.log]
    if took is None or failed or (record.is_file() and KEPT in record.read_text("utf-8")):
        return node.need
    memory, minutes = (ceil(SPARE * took.get(name, 0) / unit) for name, unit in (("max_rss", 1), ("s", 60)))
    return node.need._replace(
        memory=max(memory, LEAST.memory) if memory else node.need.memory,
        minutes=max(minutes, LEAST.minutes) if "s" in took else node.need.minutes,
    )


def forget_unused() -> None:
    """Remove files of settings that no plan of the last days has."""
    for path in SETTINGS.glob("*/*"):
        if path.stat().st_mtime < time.time() - UNUSED:
            path.unlink()


@dataclass(frozen=True)
class RuleFunctions:
    """The node for a job's wildcards; each method is a function of Snakemake's for one entry of a rule.

    Memory (MB) doubles each time that it ran out, and so does the time (minutes); both follow what the job took before
    (`requested_resources`). Cores are not given as `threads`, because Snakemake reduces these to the cores of the host
    that submits a job.

    Attributes:
        declared: the record that the rule declares, with its wildcards.
        parcels: whether the rule also declares a parcel (robustdr.graph.parcels).
    """

    find: Callable[[Any], Node]
    declared: str = ""
    parcels: bool = False

    @property
    def record(self) -> list[str]:
        """What stands for all that the job makes."""
        return [self.declared, *([f"{self.declared}{SUFFIX}"] if self.parcels else [])]

    def settings(self, wildcards: Any) -> str:
        """Return the file of what the stage is told, one option a line; it is written if it is not there.

        Its name has a digest of the text: a job that is told something else has another file, and so runs again.
        """
        node = self.find(wildcards)
        text = "".join(f"{shlex.join(option)}\n" for option in node.options_told).encode()
        path = f"{SETTINGS}/{node.rule}/{node.job.replace('/', '.')}.{hashlib.sha256(text).hexdigest()[:12]}"
        try:
            whole = os.path.getsize(path) == len(text)
        except OSError:
            whole = False
            os.makedirs(os.path.dirname(path), exist_ok=True)
        if not whole:  # a process that plans the same may write it at the same time
            with open(partial := f"{path}.{os.getpid()}", "wb") as file:
                file.write(text)
            os.replace(partial, path)
        else:
            os.utime(path)
        return path

    def is_up_to_date(self, wildcards: Any) -> bool:
        return self.find(wildcards).is_made

    def is_consistent(self, wildcards: Any) -> bool:
        """Whether all artifacts of the job are there with these keys, made from the artifacts that are there now."""
        return all(node.is_made and is_current(Path(node.path)) for node in self.find(wildcards).artifacts)

    def memory(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return requested_resources(node).memory * 2 ** FAILURES.memory[node.log]

    def minutes(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return requested_resources(node).minutes * 2 ** FAILURES.time[node.log]

    def gpus(self, wildcards: Any) -> int:
        return self.find(wildcards).need.gpus

    def cores(self, wildcards: Any) -> int:
        return self.find(wildcards).need.cores

    def nodes(self, wildcards: Any) -> int:
        return self.find(wildcards).need.nodes

    def mpi(self, wildcards: Any) -> str | None:
        """Return what starts the processes of several nodes: then the executor runs the command without an srun."""
        return "srun" if self.find(wildcards).need.nodes > 1 else None

    def tasks(self, wildcards: Any) -> int | None:
        """Return one task for each of several nodes."""
        nodes = self.find(wildcards).need.nodes
        return nodes if nodes > 1 else None

    def launcher(self, wildcards: Any) -> str:
        """Return the command that starts a training: one process for each GPU.

        On several nodes, srun starts a torchrun on each, and they meet at the node where the job's script runs.
        """
        need = self.find(wildcards).need
        processes = max(1, need.gpus) // need.nodes
        if need.nodes == 1:
            return "python" if processes == 1 else f"torchrun --standalone --nproc-per-node {processes}"
        return (
            f"OMP_NUM_THREADS={need.cores} srun --nodes={need.nodes} --ntasks={need.nodes} --ntasks-per-node=1 "
            f"--cpus-per-task={need.cores} torchrun --nnodes {need.nodes} --nproc-per-node {processes} "
            "--rdzv-backend c10d --rdzv-id $SLURM_JOB_ID --rdzv-endpoint $(hostname):$((20000 + SLURM_JOB_ID % 10000))"
        )

    def absent(self, wildcards: Any) -> dict[str, str]:
        """Return files and folders of the user that a job of an artifact to be made lacks, and what fetches each."""
        node = self.find(wildcards)
        if not node.outside or Path(node.path).exists():  # it may outlive them
            return {}
        needs = {
            path: f"{path}: not here; {node.subject} needs it: {command}" for path, command in node.outside.items()
        }
        return {path: line for path, line in needs.items() if not Path(path).exists()}

    def inputs(self, wildcards: Any, absent: Mapping[str, str]) -> dict[str, list[str]]:
        """Return the files that a job waits for.

        Args:
            absent: see `absent`.

        Returns:
            By option of the stage: the records of what is read, each once. `waited`: those of what is only waited for,
            and files of the user, whose contents the key covers.

        Raises:
            UserError: the job makes something else than was asked for. Files of the user are missing, and no command
                is known that fetches them (see `absent`).
        """
        node = self.find(wildcards)
        if (requested_record := self.declared.format(**wildcards)) != node.declared:
            raise UserError(
                f"{requested_record.removesuffix('.sha256')}: a job makes it with others; ask for {node.declared}"
            )
        for source in node.inputs.values():
            files_exist = all(path.exists() or str(path) in absent for path in source.files)
            # An artifact may outlive the files that it is made from.
            if not files_exist and not Path(node.path).exists():
                missing = [str(path) for path in source.named_files or source.files if not path.exists()]
                raise UserError(
                    f"{source.place}: no such file: {', '.join(missing)}; paths start where the command runs"
                )
        records_of: dict[str, list[str]] = {}
        earlier_records: set[str] = set()
        users: list[str] = []
        for name, source in node.inputs.items():
            records = dict.fromkeys(
                input_node.declared for input_node in source.nodes if input_node.declared not in earlier_records
            )
            earlier_records.update(records)
            users += [path for path in map(str, source.files) if path not in absent]
            if records:
                records_of[name] = list(records)
        waited = dict.fromkeys(after.declared for after in node.after if after.declared not in earlier_records)
        return {**records_of, "waited": [*waited, *users]}

    def parcels_read(self, wildcards: Any, data: Iterable[Node] = ()) -> list[str]:
        """Return the parcels that a job unpacks: of what it reads, of what it waits for, and of `data`."""
        node = self.find(wildcards)
        return list(dict.fromkeys(map(parcel_of, (*node.input_nodes, *node.after, *data))))
