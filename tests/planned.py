"""Nodes of measures as tests ask for them."""


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
