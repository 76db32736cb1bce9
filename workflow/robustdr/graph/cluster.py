"""What the cluster has, as slurm/site.yaml says."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from robustdr.core.yaml_files import read_yaml

PROFILE = Path("slurm")


@cache
def site() -> Mapping[str, Any]:
    """Return what slurm/site.yaml says; nothing if there is no such file."""
    path = PROFILE / "site.yaml"
    return read_yaml(path) if path.is_file() else {}


def partitions() -> Mapping[str, Mapping[str, Any]]:
    """Return the partitions of the site with their limits; none if the file names none."""
    return site().get("partitions", {})


def gpus_for(devices: int) -> tuple[int, int]:
    """Return (GPUs, nodes) that a training for `devices` takes: as many GPUs as it can have, on as few nodes as it can.

    Their number divides `devices`, and each node has equally many. Processes then compute several shares of a batch
    each, see `robustdr.training.distributed`.
    """
    largest = max((limits.get("max_gpu", 0) for limits in partitions().values()), default=0) or devices
    node_gpus, most_nodes = site().get("gpus_per_node", largest), site().get("nodes_per_training", 1)
    places = [
        (gpus, nodes)
        for gpus in range(1, devices + 1)
        for nodes in range(1, most_nodes + 1)
        if devices % gpus == 0 and gpus % nodes == 0 and gpus // nodes <= node_gpus
    ]
    return max(places, key=lambda place: (place[0], -place[1]))
