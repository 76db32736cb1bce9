"""What the cluster has, as slurm/site.yaml says."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from robustdr.core.yaml_files import read_yaml

PROFILE = Path("slurm")


@cache
def partitions() -> Mapping[str, Mapping[str, Any]]:
    """Return the partitions of the site with their limits; none if the file names none."""
    path = PROFILE / "site.yaml"
    return read_yaml(path).get("partitions", {}) if path.is_file() else {}


def gpus_for(devices: int) -> int:
    """Return how many GPUs a training for `devices` takes: as many, or the most that divide them and a node has.

    Processes then compute several shares of a batch each, see `robustdr.training.distributed`.
    """
    largest = max((limits.get("max_gpu", 0) for limits in partitions().values()), default=0) or devices
    return max(count for count in range(1, devices + 1) if devices % count == 0 and count <= largest)
