"""One small job for each kind of machine that a target needs, submitted as its jobs will be."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any

from robustdr.core.files import read_lines
from robustdr.graph.cluster import PROFILE
from robustdr.keys.node import Need, Node
from robustdr.preflight.findings import Missing

FOLDER = Path("results/machines")
LIMITS = {"max_mem_mb": "memory", "max_runtime": "minutes", "max_gpu": "gpus", "max_threads": "cores"}


def kinds(needs: Iterable[Need], partitions: Mapping[str, Mapping[str, Any]]) -> list[Need]:
    """Return the largest need of each kind of machine: of jobs with as many GPUs that fit into the same partitions.

    Args:
        partitions: their limits, as slurm/site.yaml has them.
    """
    largest: dict[tuple[int, tuple[str, ...]], Need] = {}
    for need in needs:
        fits = []
        for partition, site_limits in partitions.items():
            limits = {"max_gpu": 0, **site_limits}  # a partition whose limits do not mention GPUs has none
            if all(getattr(need, attribute) <= limits.get(name, inf) for name, attribute in LIMITS.items()):
                fits.append(partition)
        kind = (need.gpus, tuple(fits))
        largest[kind] = Need(*map(max, zip(need, largest.get(kind, need), strict=True)))
    return [largest[kind] for kind in sorted(largest)]


def submitted_needs(jobs: Iterable[Node], gpus: Mapping[str, bool]) -> list[Need]:
    """Return what the jobs of nodes ask for that are not run on the host.

    Args:
        gpus: by folder of a scale, whether its jobs need the GPUs that they ask for.
    """
    return [
        node.need if gpus[node.root] else node.need._replace(gpus=0)
        for node in jobs
        if not node.network and node.rule not in ("table", "figure", "claims")
    ]


def unfit(needs: list[Need]) -> Iterator[Missing]:
    """Submit a job for each kind of machine and wait for it; yield what does not work there."""
    files = {FOLDER / f"{need.gpus}gpu-{need.cores}core-{need.memory}mb-{need.minutes}min.json": need for need in needs}
    for path in files:
        path.unlink(missing_ok=True)
    options = ["--profile", str(PROFILE), "--nolock", "--keep-going", "--retries", "0", "--config", "preflight=False"]
    command = [sys.executable, "-m", "snakemake", *options, "--", *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for path, need in files.items():
        if path.is_file():
            continue
        log = Path("results/logs/machine", f"{path.stem}.log")
        lines = (
            [line.removeprefix("robustdr: ") for _, line in read_lines(log) if line.strip()] if log.is_file() else []
        )
        reason = lines[-1] if lines else _scheduler_message(done.stdout, path)
        problem = f"a job with {need.gpus} GPU(s), {need.cores} core(s), {need.memory} MB and {need.minutes} minutes: "
        mend = f"mend the node, its software or slurm/; try it with: {' '.join(command[1 : -len(files)])} {path}"
        yield Missing(problem + reason, mend.replace("-m snakemake", "snakemake"))


def _scheduler_message(output: str, path: Path) -> str:
    """Return what SLURM says, in Snakemake's output, of the job that makes this file; else the output's last line."""
    for error in output.split("Error in rule machine:")[1:]:
        message = re.search(r"message: (.+)", error)
        if message and f"output: {path}\n" in error:
            return message[1]
    return next((line for line in reversed(output.splitlines()) if line.strip()), "it did not run")


def is_there() -> bool:
    """Whether jobs can be submitted to a SLURM from here."""
    if not shutil.which("sbatch") or not (PROFILE / "config.yaml").is_file():
        return False
    return subprocess.run(["sinfo", "--noheader"], capture_output=True).returncode == 0
