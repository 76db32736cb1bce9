"""The project's configuration as a job graph of each scale, as the Snakefile reads it."""

from pathlib import Path

from robustdr.core.yaml_files import checked, read
from robustdr.experiments.config import load
from robustdr.experiments.models import Settings
from robustdr.graph.graph import Graph
from robustdr.graph.graph import graphs as graphs_of

FOLDER = Path("config")


def graphs() -> dict[str, Graph]:
    """Return the graphs of all scales by the folder of their results.

    Raises:
        UserError: the first fault of the configuration.
    """
    path = FOLDER / "config.yaml"
    settings = checked(Settings, read(path), path)
    overlay = Path(settings.overlay) if settings.overlay else None
    return graphs_of(load(FOLDER, overlay))
