"""Targets on Snakemake's command line: their nodes; for an unknown table, figure or page of claims, what there is."""

import re
from collections.abc import Iterator, Mapping, Sequence

from robustdr.core.errors import UserError, unknown
from robustdr.experiments.models import Config
from robustdr.graph import tables
from robustdr.graph.graph import Graph
from robustdr.keys.node import Node, histories
from robustdr.variations.labels import COUNTED

# Files in the folder of a scale that have a paper's name; Snakemake handles other targets.
TARGET = re.compile(r"(?P<root>results(?:/[^/]+)?)/(?P<folder>tables|figures|claims)/(?P<name>[^/]+)\.\w+")
# What a job leaves whose names do not follow from the wildcards of a rule: the records to ask for instead.
UNDECLARED = (
    (r"(.+/models/[^/]+/[^/]+?)\.at\d+(/seed\d+).*", r"\1\2.sha256"),
    (r"(.+/(?:models/[^/]+/[^/]+|checkpoints/[^/]+)/seed\d+)/(?!training\.csv$).*", r"\1.sha256"),
    (r"(.+/(?:checkpoints|indexes/[^/]+)/(?!seed\d+[/.])[^/]+)/(?!seed\d+[/.]).+", r"\1.sha256"),
    (r"(.+/collections/[^/]+/[^/]+)/(?:qrels\.txt|answers\.jsonl)(?:\.sha256)?", r"\1/queries.tsv.sha256"),
    (r"(.+/variations/[^/]+/[^/]+/[^/]+?)(?:\.version\d+\.tsv|\.version\d+\.json|\.split\.json)", r"\1.tsv.sha256"),
    (r"(.+/runs/.+)\.(?:trec\.gz|queries\.npy)", r"\1.arrow.sha256"),
    (r"(.+/report)/(?!index\.html$)[^/]+\.html", r"\1/index.html.sha256"),
    (r"(.+/report/data/[^/]+)/passages\d+\.js", r"\1/queries.js.sha256"),
)


def check_target(target: str, graphs: Mapping[str, Graph]) -> None:
    """Check a target that is a table, figure or page of claims, or a file that no rule declares.

    Args:
        graphs: graphs of all scales by the folder of their results.

    Raises:
        UserError: unknown scale, paper, table or figure, or the record of the file is to be asked for.
    """
    for pattern, record in UNDECLARED if target.startswith("results/") else ():
        if match := re.fullmatch(pattern, target):
            raise UserError(f"{target}: a job makes it with other files; ask for their record: {match.expand(record)}")
    match = TARGET.fullmatch(target)
    if match is None or match["name"] in COUNTED:
        return
    root, folder, name = match.groups()
    if root not in graphs:
        raise unknown(f"{target}: folder of a scale", root, graphs)
    papers = graphs[root].lineage.config.papers
    if folder == "claims":
        if name not in papers:
            raise unknown(f"{target}: paper", name, papers)
        return
    parts_of = {paper: name.removeprefix(f"{paper}_") for paper in papers if name.startswith(f"{paper}_")}
    if not parts_of:
        raise unknown(f"{target}: paper", name.partition("_")[0], papers)
    paper = max(parts_of, key=len)
    if parts_of[paper] not in (parts := getattr(papers[paper], folder)):
        raise unknown(f"{target}: one of the {folder} of {paper}", parts_of[paper], parts)


def nodes(target: str, graphs: Mapping[str, Graph], papers: Sequence[str]) -> list[Node]:
    """Return the nodes of a target.

    Args:
        graphs: graphs of all scales by the folder of their results.
        papers: what the report shows: papers, or tables and figures of papers.

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
        return [
            node
            for paper, names in graph.lineage.config.group_by_paper(papers).items()
            for node in of_paper(graph, paper, names)
        ]
    config = graph.lineage.config
    if match := TARGET.fullmatch(target):
        (paper, names) = next(iter(config.group_by_paper([match["name"]]).items()))
        if names == (paper,):
            return [tables.claims(graph, paper, config.group_by_paper(papers).get(paper, names))]
        return [
            node for node in _parts(graph, paper, names) if node.path.rpartition(".")[0] == target.rpartition(".")[0]
        ]
    for paper in config.papers:
        for node in histories(list(of_paper(graph, paper, (paper,)))):
            if target in (node.path, node.declared) or target.startswith(f"{node.path}/"):
                return [node]
    raise UserError(f"{target}: nothing that papers need at this scale; name a table, a figure, or what is behind one")


def requested_parts(config: Config, folder: str, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return (paper, part) of the `tables` or `figures` that `names` ask for, by the name of their files."""
    return {
        f"{paper}_{part}": (paper, part)
        for paper in config.group_by_paper(names)
        for part in getattr(config.papers[paper], folder)
        if config.shows(names, paper, part)
    }


def of_paper(graph: Graph, paper: str, names: tuple[str, ...]) -> Iterator[Node]:
    """Yield the tables, figures and claims of a paper that `names` ask for."""
    yield from _parts(graph, paper, names)
    if graph.lineage.config.claims[paper].claims:
        yield tables.claims(graph, paper, names)


def _parts(graph: Graph, paper: str, names: tuple[str, ...]) -> Iterator[Node]:
    """Yield the tables and figures of a paper that `names` ask for."""
    config = graph.lineage.config
    for name in config.papers[paper].tables:
        if config.shows(names, paper, name) and f"{paper}_{name}" not in COUNTED:
            yield tables.table(graph, paper, name)
    for name in config.papers[paper].figures:
        if config.shows(names, paper, name):
            yield tables.figure(graph, paper, name)
