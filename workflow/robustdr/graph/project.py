"""The project's configuration as a job graph of each scale, as the Snakefile reads it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core.yaml_files import checked, read_yaml
from robustdr.experiments.config import load
from robustdr.experiments.models import Config, Settings
from robustdr.graph.graph import Graph, graphs

FOLDER = Path("config")


class Project(NamedTuple):
    """The settings of config.yaml, the configuration, and the graphs of all scales by the folder of their results."""

    settings: Settings
    config: Config
    graphs: dict[str, Graph]


def project(changes: Mapping[str, Any] | None = None, folder: Path = FOLDER) -> Project:
    """Read the configuration.

    Args:
        changes: values in place of those of config.yaml, as `snakemake --config` takes them. folder: with config.yaml.

    Raises:
        UserError: the first fault of the configuration.
    """
    path = folder / "config.yaml"
    settings = checked(Settings, {**read_yaml(path), **(changes or {})}, path)
    overlay = Path(settings.overlay) if settings.overlay else None
    config = load(folder, overlay)
    return Project(settings, config, graphs(config))
