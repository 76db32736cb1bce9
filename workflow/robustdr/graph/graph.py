"""The job graph of a scale: every artifact is a node, declared once."""

from robustdr.core.errors import UserError
from robustdr.experiments.models import Config
from robustdr.graph.demand import Demand
from robustdr.graph.evaluation import Evaluation
from robustdr.graph.lineage import Lineage


class Graph(Evaluation):
    """All nodes of one scale except tables, figures and pages; for these see `graph.tables` and `graph.site`."""


def graph(config: Config, scale: str) -> Graph:
    """Return the job graph of a scale."""
    lineage = Lineage(config, scale)
    return Graph(lineage, Demand(lineage))


def graphs(config: Config) -> dict[str, Graph]:
    """Return the graphs of all scales by the folder of their results.

    Raises:
        UserError: no scale `full`, or a ranker without candidates.
    """
    graph_of_root = {scale_graph.root: scale_graph for scale_graph in (graph(config, scale) for scale in config.scales)}
    for scale_graph in graph_of_root.values():
        scale_graph.demand.searches()  # checks before any work what each system ranks
    if "results" not in graph_of_root:
        raise UserError("config/scales: full.yaml is missing; it is the scale behind results/")
    return graph_of_root
