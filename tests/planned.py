"""Nodes of the job graph as tests ask for them."""

from robustdr.graph import site
from robustdr.keys.node import histories


def measures(graph, system, seed, collection):
    """All measures of a system on a collection."""
    return [
        graph.measures(system, seed, split, group[0])
        for (of, split), groups in graph.demand.measured().items()
        if (of, split[0]) == (system, collection)
        for group in groups
    ]


def of_papers(graph, papers):
    """The measures that papers need."""
    return [node for paper in papers for node in graph.all_measures(paper, graph.demand.pairs(paper))]


def paths_behind(graph, papers, rule):
    """The paths that a rule makes for the report of papers."""
    return [node.path for node in histories([site.page(graph, tuple(papers))]) if node.rule == rule]
