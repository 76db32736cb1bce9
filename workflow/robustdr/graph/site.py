"""Nodes of the report: the queries behind a system's cells, the texts, and the pages."""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL, Config
from robustdr.graph.banner import banner
from robustdr.graph.graph import Graph
from robustdr.graph.lineage import Lineage
from robustdr.graph.targets import of_paper, requested_parts
from robustdr.keys.node import Need, Node, histories, reads
from robustdr.keys.provenance import digests
from robustdr.reporting.settings import PAGES, PARTS, SHARED, Difference, Paper, QueriesSettings, SiteSettings, Step

REPLICATES = Path("evidence/replicates.json")  # of `robustdr evidence findings`
WHY = {
    "collection": "In fewer passages the right one is found more easily: measures are higher, and drops are smaller.",
    "checkpoint": "A smaller model knows less language, and learns other things from variations.",
    "runs": "Few runs leave it open whether a small difference comes from the method or from chance in training.",
    "measures": "In a small collection the papers' cut-offs would find everything.",
}


def steps(graph: Graph, system: str, measures: Iterable[Node]) -> list[Step]:
    """Return every job behind measures of a system, in an order that can be run.

    A step of training belongs to every query set, even if it makes one that is evaluated too.
    """
    seeds = graph.lineage.seeds(system)
    models = [graph.initial(system, seed) for seed in seeds] if graph.lineage.starts_from(system) else []
    trained = {node.path for node in histories(models)}
    if graph.lineage.is_trained(system):
        trained |= {node.path for node in histories([graph.model(system, seed) for seed in seeds])}
    return [
        Step(
            node.rule, node.subject, node.path, node.key, node.benchmark, "" if node.path in trained else node.query_set
        )
        for node in histories(measures)
    ]


@cache
def explored(graph: Graph, papers: tuple[str, ...]) -> dict[str, list[str]]:
    """Return by collection the systems whose queries the report shows: those that papers measure there."""
    lineage, systems_of = graph.lineage, dict[str, list[str]]()
    for system, role in (pair for paper in papers for pair in graph.demand.pairs(paper)):
        if lineage.has_cell(system, role) and not lineage.unavailable(system):
            systems = systems_of.setdefault(lineage.collection_of(role), [])
            systems += [system] if system not in systems else []
    return systems_of


@cache
def measures(graph: Graph, papers: tuple[str, ...], system: str, collection: str) -> list[Node]:
    """Return the nodes of a system's measures on a collection, for all seeds: of those query sets that papers show."""
    lineage, node_of = graph.lineage, dict[str, Node]()
    for name in papers:
        cells = {
            (cell_system, role): varied
            for (cell_system, role), varied in graph.demand.cells(name).items()
            if (cell_system, lineage.collection_of(role)) == (system, collection)
        }
        node_of |= {node.path: node for node in graph.all_measures(lineage.config.part_of(name)[0], cells)}
    return list(node_of.values())


def evaluated(graph: Graph, papers: tuple[str, ...], system: str, collection: str) -> list[tuple[Split, str]]:
    """Return (split, variation) of the query sets of a collection on which papers show a system."""
    shown_query_sets = graph.demand.shown_query_sets(papers).items()
    return [
        (split, name)
        for (cell_system, split), names in shown_query_sets
        if (cell_system, split[0]) == (system, collection)
        for name in names
    ]


@cache
def queries(graph: Graph, papers: tuple[str, ...], system: str, collection: str) -> Node:
    """Return the node of the queries behind a system's cells on a collection, of papers that the report shows."""
    seeds, query_sets = graph.lineage.seeds(system), evaluated(graph, papers, system, collection)
    settings, of_seeds = graph.evaluate_settings(system, query_sets), measures(graph, papers, system, collection)
    label, jobs = graph.lineage.recipe(system).label, steps(graph, system, of_seeds)
    splits = dict.fromkeys(split for split, _ in query_sets)
    return graph.node(
        "queries",
        f"report/data/{collection}/systems/{system}.js",
        f"queries of {collection} by {system}",
        f"{collection}.{system}",
        settings=QueriesSettings(system, label, collection, seeds, settings.measures, settings.relevance_level, jobs),
        inputs={
            "measures": reads(*of_seeds),
            "runs": reads(*(graph.run(system, seeds[0], *query_set) for query_set in query_sets)),
            "queries": reads(*(graph.query_set(split, ORIGINAL) for split in splits)),
            **graph.judgements(query_sets),
        },
        need=Need(graph.sized(1000, 16000), graph.sized(10, 90)),
    )


@cache
def texts(graph: Graph, papers: tuple[str, ...], collection: str) -> Node:
    """Return the node of texts: a collection's queries, and the passages that the report shows."""
    systems = explored(graph, papers)[collection]
    sets = dict.fromkeys(query_set for system in systems for query_set in evaluated(graph, papers, system, collection))
    return graph.node(
        "texts",
        f"report/data/{collection}/queries.js",
        f"texts of {collection}",
        collection,
        inputs={
            "explored": reads(*(queries(graph, papers, system, collection) for system in systems)),
            "queries": reads(*(graph.query_set(*query_set) for query_set in sets)),
            "corpus": reads(graph.corpus(collection)),
        },
        outputs={
            "output": [f"{graph.root}/report/data/{collection}/queries.js"],
            "passages": [f"{graph.root}/report/data/{collection}/passages{part}.js" for part in range(PARTS)],
        },
        need=Need(graph.sized(1000, 4000), graph.sized(10, 60)),
    )


def data(graph: Graph, papers: tuple[str, ...]) -> list[Node]:
    """Return the nodes of the texts that the report shows, and of the queries behind cells."""
    text_nodes = [texts(graph, papers, collection) for collection in explored(graph, papers)]
    return [
        *text_nodes,
        *(queries_node for text_node in text_nodes for queries_node in text_node.inputs["explored"].nodes),
    ]


@cache
def page(graph: Graph, papers: tuple[str, ...]) -> Node:
    """Return the node of the report; its path is that of the first page, its options have the files that it shows."""
    config, parts_of_papers = graph.lineage.config, graph.lineage.config.group_by_paper(papers)
    shows = [node for paper, names in parts_of_papers.items() for node in of_paper(graph, paper, names)]
    shows += [texts(graph, papers, collection) for collection in explored(graph, papers)]
    printed = [paper for paper in parts_of_papers if (Path(config.folders[paper]) / "reported.yaml").is_file()]
    return graph.node(
        "report",
        "report/index.html",
        "report",
        "report",
        stage="site",
        settings=site_settings(graph, papers),
        options={
            "tables": [f"{graph.root}/tables/{name}.json" for name in requested_parts(config, "tables", papers)],
            "figures": [f"{graph.root}/figures/{name}.svg" for name in requested_parts(config, "figures", papers)],
            "claims": [f"{graph.root}/claims/{paper}.json" for paper in parts_of_papers if config.claims[paper].claims],
            "audits": [f"results/audit/{paper}.json" for paper in printed],
            "replicates": [str(REPLICATES)] if REPLICATES.is_file() else [],
        },
        outputs={
            "output": [f"{graph.root}/report/index.html"],
            "pages": [f"{graph.root}/report/{page}" for page in pages(config, papers)],
        },
        after=shows,
        decides=[digests([PAGES]), [node.key for node in shows]],
        need=Need(1000, 10),
    )


@cache
def headline(graph: Graph, papers: tuple[str, ...]) -> Node:
    """Return the node of the headline measures: of each paper and role, the measure that the paper names first."""
    config, parts_of_papers = graph.lineage.config, graph.lineage.config.group_by_paper(papers)
    measures = {
        paper: {role: entry.measures[0] for role, entry in config.papers[paper].evaluation.items()}
        for paper in parts_of_papers
    }
    shows = (node for paper, names in parts_of_papers.items() for node in of_paper(graph, paper, names))
    tables = [node.file(f"{node.path.removesuffix('.md')}.json") for node in shows if node.rule == "table"]
    return graph.node(
        "headline",
        "report/headline.json",
        "headline measures",
        "headline",
        inputs={"tables": reads(*tables)},
        decides=measures,
        options={"measures": json.dumps(measures)},
        outputs={"output": [f"{graph.root}/report/headline.json"], "drops": [f"{graph.root}/report/drops.csv"]},
        need=Need(1000, 10),
    )


def shown_papers(config: Config, papers: tuple[str, ...]) -> list[Paper]:
    papers_shown = []
    for name in config.group_by_paper(papers):
        experiment, claims = config.papers[name], len(config.claims[name].claims)
        tables, figures = (
            [part for part in parts if config.shows(papers, name, part)]
            for parts in (experiment.tables, experiment.figures)
        )
        papers_shown.append(
            Paper(
                name, experiment.title, experiment.reference, tables, figures, experiment.url, experiment.code, claims
            )
        )
    return papers_shown


def pages(config: Config, papers: tuple[str, ...]) -> list[str]:
    """Return the files of the report besides its first page and its data."""
    paper_pages = [page for paper in shown_papers(config, papers) for page in paper.pages]
    return [*paper_pages, "queries.html", "provenance.html", *SHARED]


def site_settings(graph: Graph, papers: tuple[str, ...]) -> SiteSettings:
    lineage, papers_shown = graph.lineage, shown_papers(graph.lineage.config, papers)
    pairs = [pair for paper in papers for pair in graph.demand.pairs(paper)]
    miniature, systems_of = banner(lineage, pairs), explored(graph, papers)
    differ = list(differences(lineage, papers_shown, pairs)) if miniature else []
    return SiteSettings(
        lineage.scale_name, graph.root, miniature, papers_shown, systems_of, differ, lineage.config.command("")
    )


def _with_ancestors(lineage: Lineage, system: str) -> set[str]:
    """Return a system and all that it is made from."""
    return {system}.union(*(_with_ancestors(lineage, parent) for parent in lineage.parents(system)))


def differences(lineage: Lineage, papers: Iterable[Paper], pairs: Iterable[tuple[str, str]]) -> Iterator[Difference]:
    """Yield what a miniature has in place of what the scale `full` has, and why that matters: behind the cells alone.

    Args:
        papers: those that are shown. pairs: system and role of the cells.
    """
    config, miniature = lineage.config, lineage.scale
    full = config.scales["full"]
    available_pairs = [(system, role) for system, role in pairs if lineage.has_cell(system, role)]
    available_pairs = [(system, role) for system, role in available_pairs if not lineage.unavailable(system)]
    systems = set[str]().union(*(_with_ancestors(lineage, system) for system, _ in available_pairs))
    trained = [system for system in systems if lineage.starts_from(system)]
    initial = {lineage.recipe(system).initial for system in trained}
    tables = [config.papers[paper.name].tables[table] for paper in papers for table in paper.tables]
    models = {lineage.checkpoint_of(system) for system in trained}.union(
        *(table.key_values("encoder") for table in tables)
    )
    evaluations = [evaluation for paper in papers for evaluation in config.papers[paper.name].evaluation.values()]
    measured = {measure for evaluation in evaluations for measure in evaluation.measures}
    roles = dict.fromkeys(role for _, role in available_pairs)
    for role in (role for role in roles if role in full.collections):
        small, theirs = (config.collections[scale.collections[role].collection] for scale in (miniature, full))
        size = f"{small['passages']:,} passages. " if "passages" in small else ""
        yield Difference(role, theirs["description"], size + small["description"], WHY["collection"])
    for name, entry in miniature.checkpoints.items():
        if name in models and not entry.unavailable and name in full.checkpoints:
            yield Difference(name, full.checkpoints[name].description, entry.description, WHY["checkpoint"])
    for name, system in miniature.stand_ins.items():
        if name not in initial:
            continue
        yield Difference(name, full.checkpoints[name].description, lineage.recipe(system).label, WHY["checkpoint"])
    yield Difference("training runs", "no number given", str(miniature.seeds), WHY["runs"])
    if cut := {measure: stand_in for measure, stand_in in miniature.measures.items() if measure in measured}:
        yield Difference("cut-offs", ", ".join(cut), ", ".join(cut.values()), WHY["measures"])
