"""Targets on Snakemake's command line: their nodes; for an unknown table, figure or page of claims, what there is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from robustdr.core.errors import UserError, unknown
from robustdr.graph import tables
from robustdr.graph.graph import Graph
from robustdr.keys.node import Node, histories
from robustdr.variations.labels import COUNTED

# Files in the folder of a scale that have a paper's name; Snakemake handles other targets.
TARGET = re.compile(r"(?P<root>results(?:/[^/]+)?)/(?P<folder>tables|figures|claims)/(?P<name>[^/]+)\.\w+")


def check_target(target: str, graphs: Mapping[str, Graph]) -> None:
    """Check a target that is a table, figure or page of claims.

    Args:
        graphs: graphs of all scales by the folder of their results.

    Raises:
        UserError: unknown scale, paper, table or figure.
    """
    asked = TARGET.fullmatch(target)
    if asked is None or asked["name"] in COUNTED:
        return
    root, folder, name = asked.groups()
    if root not in graphs:
        raise unknown(f"{target}: folder of a scale", root, graphs)
    papers = graphs[root].lineage.config.papers
    if folder == "claims":
        if name not in papers:
            raise unknown(f"{target}: paper", name, papers)
        return
    named = {paper: name.removeprefix(f"{paper}_") for paper in papers if name.startswith(f"{paper}_")}
    if not named:
        raise unknown(f"{target}: paper", name.partition("_")[0], papers)
    paper = max(named, key=len)
    if named[paper] not in (parts := getattr(papers[paper], folder)):
        raise unknown(f"{target}: one of the {folder} of {paper}", named[paper], parts)


def nodes(target: str, graphs: Mapping[str, Graph], papers: Sequence[str]) -> list[Node]:
    """Return the nodes of a target.

    Args:
        graphs: graphs of all scales by the folder of their results.
        papers: those that the report shows.

    Raises:
        UserError: the target is not made from anything of the graph.
    """
    check_target(target, graphs)
    root = max((root for root in graphs if target.startswith(f"{root}/")), key=len, default="")
    if not root:
        raise UserError(f"{target}: no file of the results; it begins with one of {', '.join(sorted(graphs))}")
    graph, inside = graphs[root], target.removeprefix(f"{root}/")
    if inside.startswith("audit/") or inside.split("/")[-1].partition(".")[0] in COUNTED:
        return []  # they read the configuration, or labels, alone
    if inside.startswith("report/"):
        return [node for paper in papers for node in _of_paper(graph, paper)]
    if asked := TARGET.fullmatch(target):
        made = (node for paper in graph.lineage.config.papers for node in _of_paper(graph, paper, asked["name"]))
        return [node for node in made if node.path.rpartition(".")[0] == target.rpartition(".")[0]]
    for paper in graph.lineage.config.papers:
        for node in histories(list(_of_paper(graph, paper))):
            if target == node.path or target in node.waited or target.startswith(f"{node.path}/"):
                return [node]
    raise UserError(f"{target}: nothing that papers need at this scale; name a table, a figure, or what is behind one")


def _of_paper(graph: Graph, paper: str, named: str = "") -> Iterator[Node]:
    """Yield the tables, figures and claims of a paper; if `named`, those of this name."""
    config = graph.lineage.config
    experiment = config.papers[paper]
    for name in experiment.tables:
        if named in ("", f"{paper}_{name}") and f"{paper}_{name}" not in COUNTED:
            yield tables.table(graph, paper, name)
    for name in experiment.figures:
        if named in ("", f"{paper}_{name}"):
            yield tables.figure(graph, paper, name)
    if named in ("", paper) and config.claims[paper].claims:
        yield tables.claims(graph, paper)
