"""What a rule takes from the node of its wildcards: one object for each rule, made from a function of wildcards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from robustdr.core.benchmarks import costs
from robustdr.core.errors import UserError
from robustdr.graph.failures import FAILURES
from robustdr.keys.integrity import KEPT
from robustdr.keys.node import Need, Node

SPARE = 2  # times what a job took before
LEAST = Need(memory=1000, minutes=10)


def asked(node: Node) -> Need:
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


@dataclass(frozen=True)
class Found:
    """The node for a job's wildcards; each method is a function of Snakemake's for one entry of a rule.

    Memory (MB) doubles each time that it ran out, and so does the time (minutes); both follow what the job took before
    (`asked`). Cores are not given as `threads`, because Snakemake reduces these to the cores of the host that submits a
    job.
    """

    find: Callable[[Any], Node]

    def command(self, wildcards: Any) -> str:
        return self.find(wildcards).command

    def path(self, wildcards: Any) -> str:
        return self.find(wildcards).path

    def made(self, wildcards: Any) -> bool:
        return self.find(wildcards).made

    def memory(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return asked(node).memory * 2 ** FAILURES.memory[node.log]

    def minutes(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return asked(node).minutes * 2 ** FAILURES.time[node.log]

    def gpus(self, wildcards: Any) -> int:
        return self.find(wildcards).need.gpus

    def cores(self, wildcards: Any) -> int:
        return self.find(wildcards).need.cores

    def launcher(self, wildcards: Any) -> str:
        """Return the command that starts a training: one process for each GPU."""
        devices = max(1, self.find(wildcards).need.gpus)
        return "python" if devices == 1 else f"torchrun --standalone --nproc-per-node {devices}"

    def absent(self, wildcards: Any) -> dict[str, str]:
        """Return files and folders of the user that a job of an artifact to be made lacks, and what fetches each."""
        node = self.find(wildcards)
        if not node.outside or Path(node.path).exists():  # it may outlive them
            return {}
        needs = {path: f"{path}: not here; {node.what} needs it: {how}" for path, how in node.outside.items()}
        return {path: line for path, line in needs.items() if not Path(path).exists()}

    def inputs(self, wildcards: Any, absent: Mapping[str, str]) -> dict[str, list[str]]:
        """Return the files that a job waits for.

        Args:
            absent: see `absent`.

        Returns:
            `records` of artifacts, which Snakemake hashes and compares; `artifacts`, with files of the user, whose
            contents are covered by the records and the key.

        Raises:
            UserError: files of the user are missing, and no command is known that fetches them (see `absent`).
        """
        node = self.find(wildcards)
        for one in node.inputs.values():
            there = all(path.exists() or str(path) in absent for path in one.files)
            if not there and not Path(node.path).exists():  # an artifact may outlive the files that it is made from
                missing = [str(path) for path in one.beside or one.files if not path.exists()]
                raise UserError(f"{one.named}: no such file: {', '.join(missing)}; paths start where the command runs")
        waited = [path for read in (*node.read, *node.after) for path in read.waited]
        users = [path for one in node.inputs.values() for path in map(str, one.files) if path not in absent]
        return {
            "artifacts": [*dict.fromkeys(waited), *users],
            "records": list(dict.fromkeys(read.record for read in node.read)),
        }
