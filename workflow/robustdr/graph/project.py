"""The project's configuration as a job graph of each scale, as the Snakefile reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core.yaml_files import checked, read
from robustdr.experiments.config import load
from robustdr.experiments.models import Settings
from robustdr.graph.graph import Graph, graphs

FOLDER = Path("config")


class Project(NamedTuple):
    """The settings of config.yaml, and the graphs of all scales by the folder of their results."""

    settings: Settings
    graphs: dict[str, Graph]


def project(changes: Mapping[str, Any] | None = None) -> Project:
    """Read the configuration.

    Args:
        changes: values in place of those of config.yaml, as `snakemake --config` takes them.

    Raises:
        UserError: the first fault of the configuration.
    """
    path = FOLDER / "config.yaml"
    settings = checked(Settings, {**read(path), **(changes or {})}, path)
    overlay = Path(settings.overlay) if settings.overlay else None
    return Project(settings, graphs(load(FOLDER, overlay)))
