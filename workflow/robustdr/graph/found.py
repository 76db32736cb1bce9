"""What a rule takes from the node of its wildcards: one object for each rule, made from a function of wildcards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.graph.failures import FAILURES
from robustdr.keys.node import Node


@dataclass(frozen=True)
class Found:
    """The node for a job's wildcards; each method is a function of Snakemake's for one entry of a rule.

    Memory (MB) doubles each time that it ran out, and so does the time (minutes). Cores are not given as `threads`,
    because Snakemake reduces these to the cores of the host that submits a job.
    """

    find: Callable[[Any], Node]

    def command(self, wildcards: Any) -> str:
        return self.find(wildcards).command

    def path(self, wildcards: Any) -> str:
        return self.find(wildcards).path

    def memory(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return node.need.memory * 2 ** FAILURES.memory[node.log]

    def minutes(self, wildcards: Any) -> int:
        node = self.find(wildcards)
        return node.need.minutes * 2 ** FAILURES.time[node.log]

    def gpus(self, wildcards: Any) -> int:
        return self.find(wildcards).need.gpus

    def cores(self, wildcards: Any) -> int:
        return self.find(wildcards).need.cores

    def launcher(self, wildcards: Any) -> str:
        """Return the command that starts a training: one process for each GPU."""
        devices = max(1, self.find(wildcards).need.gpus)
        return "python" if devices == 1 else f"torchrun --standalone --nproc-per-node {devices}"

    def inputs(self, wildcards: Any) -> dict[str, list[str]]:
        """Return the files that a job waits for.

        Returns:
            `records` of artifacts, which Snakemake hashes and compares; `artifacts`, with files of the user, whose
            contents are covered by the records and the key.

        Raises:
            UserError: files of the user that are missing.
        """
        node = self.find(wildcards)
        for one in node.inputs.values():
            there = all(path.exists() for path in one.files)
            if not there and not Path(node.path).exists():  # an artifact may outlive the files that it is made from
                missing = [str(path) for path in one.beside or one.files if not path.exists()]
                raise UserError(f"{one.named}: no such file: {', '.join(missing)}; paths start where the command runs")
        waited = [path for read in (*node.read, *node.after) for path in read.waited]
        users = [str(path) for one in node.inputs.values() for path in one.files]
        return {
            "artifacts": [*dict.fromkeys(waited), *users],
            "records": list(dict.fromkeys(read.record for read in node.read)),
        }
