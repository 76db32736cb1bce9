"""Targets on Snakemake's command line: for an unknown table, figure or page of claims, an error lists the known."""

import re
from collections.abc import Mapping

from robustdr.core.errors import unknown
from robustdr.graph.graph import Graph
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
