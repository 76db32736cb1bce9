"""Nodes of tables, figures and claims: their settings, and the measures that they read."""

from collections.abc import Iterable
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.settings import Averaged, Evaluated
from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL
from robustdr.graph import footnotes
from robustdr.graph.banner import banner, places, untestable
from robustdr.graph.demand import Cells, cells_of
from robustdr.graph.graph import Graph
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code, pins
from robustdr.reporting.figures import FIGURES
from robustdr.reporting.layouts import LAYOUTS
from robustdr.reporting.released_numbers import MODEL, RUN
from robustdr.reporting.settings import ClaimsSettings, FigureSettings, TableSettings
from robustdr.reporting.spec import TableSpec

ENVIRONMENT = ("torch", "transformers", "sentence-transformers", "faiss-cpu", "pytrec-eval-terrier", "snakemake")
OWN = "one's own data"  # the reference of config/own/experiment.yaml
PRIORS = Path("evidence/priors.json")  # of `robustdr evidence add`
Pairs = Iterable[tuple[str, str]]  # system, role


def evaluation_settings(graph: Graph, paper: str) -> dict[str, Evaluated]:
    """Return by role: collection, split, variations, measures, and the variations that each mean averages here."""
    lineage, evaluated = graph.lineage, dict[str, Evaluated]()
    for role, entry in lineage.config.papers[paper].evaluation.items():
        if role not in lineage.scale.collections:
            continue
        split = lineage.split_of(paper, role)
        missing = lineage.unavailable_variations(split, entry.variations)
        means = {MEAN: entry.variations, **entry.means}
        available_means = {mean: [name for name in names if name not in missing] for mean, names in means.items()}
        evaluated[role] = Evaluated(
            collection=split[0],
            split=split[1],
            means=available_means,
            variations=entry.variations,
            measures=entry.measures,
        )
    return evaluated


def settings_of(graph: Graph, paper: str, path: str, pairs: Cells) -> dict[str, Any]:
    """Return the settings of a table, a figure or a page of claims.

    Args:
        path: in the folder of the scale. pairs: its cells.
    """
    lineage = graph.lineage
    target = f"{graph.root}/{path}"
    experiment = lineage.config.papers[paper]
    for key in filter(None, starmap(lineage.lacking_cell, pairs)):
        raise UserError(f"{lineage.config.scale_files[lineage.scale_name]}: {key}: missing; {target} needs it")
    reasons = {system: reason for system, _ in pairs if (reason := lineage.unavailable(system))}
    evaluation = evaluation_settings(graph, paper)
    for role, place in evaluation.items():
        reasons |= {place["collection"]: reason} if (reason := lineage.unavailable_collection(role)) else {}
        reasons |= lineage.unavailable_variations((place["collection"], place["split"]), place["variations"])
    measures = dict.fromkeys(
        measure for role_evaluation in experiment.evaluation.values() for measure in role_evaluation.measures
    )
    names = {system: lineage.recipe(system).reported or system for system, _ in pairs}
    return {
        "paper": paper,
        "title": experiment.title,
        "scale": lineage.scale_name,
        "miniature": banner(lineage, pairs or graph.demand.pairs(paper)),
        "command": lineage.config.command(target),
        "evaluation": evaluation,
        "measured": {measure: lineage.scale.measures.get(measure, measure) for measure in measures},
        "labels": {system: lineage.recipe(system).label for system, _ in pairs},
        "names": names | experiment.names,
        "reasons": reasons,
        "keys": {node.path: node.key for node in graph.all_measures(paper, pairs)},
        "trained": [system for system in names if lineage.is_random(system)],
        "variance_from": lineage.variance_scale,
        "display_names": places(lineage, paper) | experiment.display_names,
        "paper_queries": {
            role: role_evaluation.paper_queries
            for role, role_evaluation in experiment.evaluation.items()
            if role_evaluation.paper_queries
        },
    }


@cache
def table(graph: Graph, paper: str, name: str) -> Node:
    """Return the node of a table; its path is that of the Markdown."""
    spec, settings = graph.lineage.config.papers[paper].tables[name], table_settings(graph, paper, name)
    inputs = {
        "measures": reads(*graph.all_measures(paper, cells_of(spec))),
        "statistics": reads(*_statistics(graph, paper, spec)),
        "queries": reads(*_queries(graph, paper, spec)),
        "costs": reads(*costs(graph, paper, name), decides=False),
        "recalls": reads(*_recalls(graph, paper, spec)),
        "reported": _file(graph, paper, "reported.yaml"),
        "priors": _priors(),
    }
    return graph.node(
        "table",
        f"tables/{paper}_{name}.md",
        f"{name} of {paper}",
        f"{paper}_{name}",
        code=Code(["table", LAYOUTS.module(spec.rows)]),
        settings=settings,
        inputs=inputs,
        after=gates(graph, cells_of(spec)),
        first=f"{graph.root}/tables/{paper}_{name}.json",
        need=Need(4000, 30),
    )


def _recalls(graph: Graph, paper: str, spec: TableSpec) -> list[Node]:
    """Return the nodes of how near the searches of compressed indexes behind a table are to exact ones."""
    lineage = graph.lineage
    available_pairs = [pair for pair in spec.pairs() if lineage.has_cell(*pair) and not lineage.unavailable(pair[0])]
    recalls = (
        graph.recall(system, seed, lineage.split_of(paper, role))
        for system, role in available_pairs
        for seed in lineage.seeds(system)
    )
    return list({node.path: node for node in recalls if node}.values())


@cache
def figure(graph: Graph, paper: str, name: str) -> Node:
    """Return the node of a figure; its path is that of the SVG."""
    spec = graph.lineage.config.papers[paper].figures[name]
    path = f"figures/{paper}_{name}.svg"
    settings = FigureSettings(**settings_of(graph, paper, path, cells_of(spec)), spec=spec)
    measures, reported = reads(*graph.all_measures(paper, cells_of(spec))), _file(graph, paper, "reported.yaml")
    return graph.node(
        "figure",
        path,
        f"{name} of {paper}",
        f"{paper}_{name}",
        code=Code(["figure", FIGURES.module(spec.kind)]),
        settings=settings,
        inputs={"measures": measures, "reported": reported},
        after=gates(graph, cells_of(spec)),
        need=Need(4000, 30),
    )


@cache
def claims(graph: Graph, paper: str, requested_parts: tuple[str, ...]) -> Node:
    """Return the node of verdicts on a paper's claims. A claim may name a system and role that no table shows.

    Args:
        requested_parts: the paper, or some of its tables and figures, `<paper>_<part>`; then claims that need
            other cells are not run.
    """
    config = graph.lineage.config
    pairs = graph.demand.pairs(paper)
    requested_pairs = graph.demand.together(requested_parts)
    printed = {
        role: Averaged(variations=role_evaluation.variations, means=role_evaluation.means)
        if role_evaluation.means
        else Averaged(variations=role_evaluation.variations)
        for role, role_evaluation in config.papers[paper].evaluation.items()
    }
    settings = settings_of(graph, paper, f"claims/{paper}.md", pairs)
    lacking = [system for system in settings["labels"] if system in settings["reasons"]]
    left_out = sorted(_systems_and_collections(graph, pairs) - _systems_and_collections(graph, requested_pairs))
    settings["reasons"] = (
        dict.fromkeys(left_out, f"left out, as only {', '.join(requested_parts)} are made") | settings["reasons"]
    )
    settings["miniature"] = banner(graph.lineage, requested_pairs)
    return graph.node(
        "claims",
        f"claims/{paper}.md",
        f"claims of {paper}",
        paper,
        first=f"{graph.root}/claims/{paper}.json",
        settings=ClaimsSettings(
            **settings, printed=printed, lacking=lacking, untestable=untestable(graph.lineage, paper)
        ),
        inputs={
            "measures": reads(*graph.all_measures(paper, requested_pairs)),
            "claims": _file(graph, paper, "claims.yaml"),
            "reported": _file(graph, paper, "reported.yaml"),
            "priors": _priors(),
        },
        after=gates(graph, requested_pairs),
        need=Need(4000, 30),
    )


def gates(graph: Graph, pairs: Pairs) -> list[Node]:
    """Return the checks of the published scores of all released checkpoints behind cells that can be made."""
    systems = (system for system, role in pairs if graph.lineage.has_cell(system, role))
    return graph.gates(*(system for system in dict.fromkeys(systems) if not graph.lineage.unavailable(system)))


def _systems_and_collections(graph: Graph, pairs: Pairs) -> set[str]:
    """Return the systems and collections of the cells that this scale has."""
    lineage = graph.lineage
    return {
        name
        for system, role in pairs
        if lineage.has_cell(system, role)
        for name in (system, lineage.collection_of(role))
    }


def _priors() -> Input:
    """Return the priors of the variance between training runs, if any were fitted."""
    return Input(files=[PRIORS] if PRIORS.is_file() else [])


def _file(graph: Graph, paper: str, name: str) -> Input:
    """Return a file of a paper's folder if it exists: a comparison that no paper prints has no reported.yaml."""
    path = Path(graph.lineage.config.folders[paper]) / name
    return Input(files=[path] if path.is_file() else [])


def table_settings(graph: Graph, paper: str, name: str) -> TableSettings:
    lineage, experiment = graph.lineage, graph.lineage.config.papers[paper]
    spec = experiment.tables[name]
    settings = settings_of(graph, paper, f"tables/{paper}_{name}.md", cells_of(spec))
    systems = list(settings["labels"])
    has_authors = experiment.reference != OWN  # whose checkpoints bear a mark
    encoders = {encoder: lineage.scale.checkpoints[encoder] for encoder in spec.key_values("encoder")}
    settings["reasons"] |= {encoder: entry.unavailable for encoder, entry in encoders.items() if entry.unavailable}
    trained = dict.fromkeys(ancestor for system in systems for ancestor in lineage.lineage(system))
    losses = {system: lineage.recipe(system).loss for system in trained}
    losses = {system: loss for system, loss in losses.items() if loss["name"] != "contrastive"}
    settings["labels"] |= {system: lineage.recipe(system).label for system in losses}
    notes_of_kinds = filter(None, (lineage.kind(system).note(lineage.recipe(system)) for system in systems))
    settings |= {
        "stand_ins": footnotes.stand_ins(graph, _varied(graph, paper, spec), systems, encoders),
        "losses": losses,
        "notes": [
            *footnotes.on_data(graph, paper, spec),
            *footnotes.published(graph, systems),
            *notes_of_kinds,
            *experiment.notes,
            *(spec.notes or ()),
            *footnotes.deviations(graph, systems),
        ],
        "environment": {package: pins()[package] for package in ENVIRONMENT},
        "released": {role: _released(graph, paper, role) for role in spec.collections},
        "checkpoints": list(filter(lineage.takes_checkpoint, settings["names"])) if has_authors else [],
        "theirs": _theirs(graph, paper, systems, spec),
    }
    if "seeds" in spec.reads:
        settings["seeds"] = {"paper": experiment.seeds, "scale": lineage.seeds(systems[0])}
    if "costs" in spec.reads:
        costs = {system: _lineage_costs(graph, system) for system in systems}
        settings["lineage"] = {
            s: {part: [f.path for f in files] for part, files in node_files.items()} for s, node_files in costs.items()
        }
        settings["reindexes"] = {s: lineage.reindexes(s, base) for base in spec.key_values("base") for s in systems}
    return TableSettings(**settings, table=name, spec=spec)


def _released(graph: Graph, paper: str, role: str) -> dict[str, str]:
    """Return the variations of a role whose query sets their authors released, and where."""
    split = graph.lineage.split_of(paper, role)
    release_of = {
        name: graph.lineage.release(split, name)
        for name in graph.lineage.config.papers[paper].evaluation[role].variations
    }
    return {name: release.github or release.origin for name, release in release_of.items() if release}


def _theirs(graph: Graph, paper: str, systems: Iterable[str], spec: TableSpec) -> dict[str, dict[str, str]]:
    """Return by system and role whether a released `run` or `model` stands for a trained system."""
    lineage = graph.lineage
    return {
        system: {
            role: RUN if lineage.released_runs(system, lineage.split_of(paper, role), [ORIGINAL]) else MODEL
            for role in spec.collections
            if role in lineage.scale.collections
        }
        for system in systems
        if lineage.released(system)
    }


def _lineage_costs(graph: Graph, system: str) -> dict[str, list[Node]]:
    """Return the nodes of costs: `own` training, and the lineage in `total`; none if the system cannot be made."""
    lineage = graph.lineage
    trained, seeds = [] if lineage.unavailable(system) else lineage.lineage(system), lineage.seeds(system)
    before = dict.fromkeys(filter(None, map(lineage.pretraining_of, trained)))
    pretrained = [graph.pretrained(name, seed) for name in before for seed in seeds]
    models = [graph.model(name, lineage.seed_of(name, seed)) for name in trained for seed in seeds]
    return {
        "own": [graph.cost(graph.model(system, seed)) for seed in seeds if system in trained],
        "total": [graph.cost(model) for model in (*pretrained, *models)],
    }


def costs(graph: Graph, paper: str, name: str) -> list[Node]:
    """Return the nodes of costs that a table shows."""
    spec = graph.lineage.config.papers[paper].tables[name]
    if "costs" not in spec.reads:
        return []
    systems = dict.fromkeys(system for system, _ in spec.pairs())
    return [file for system in systems for file in _lineage_costs(graph, system)["total"]]


def _varied(graph: Graph, paper: str, spec: TableSpec) -> list[tuple[Split, str]]:
    """Return (split, variation) of the varied query sets behind a table."""
    evaluation = evaluation_settings(graph, paper)
    evaluations = [evaluation[role] for role in spec.collections if not graph.lineage.unavailable_collection(role)]
    return [
        ((evaluation["collection"], evaluation["split"]), variation)
        for evaluation in evaluations
        for variation in evaluation["means"][MEAN]
    ]


def _statistics(graph: Graph, paper: str, spec: TableSpec) -> list[Node]:
    """Return the nodes of a table's facts about query sets: counts, cards of collections, or similarities."""
    sets, facts = _varied(graph, paper, spec), []
    if "cards" in spec.reads:
        facts += [graph.split_card((split_key[0], split)) for split_key, _ in sets for split in ("train", split_key[1])]
    if "similarities" in spec.reads:
        encoders = [
            name for name in spec.key_values("encoder") if not graph.lineage.scale.checkpoints[name].unavailable
        ]
        facts += [similarity(graph, encoder, split) for split, _ in sets for encoder in encoders]
    if "counts" in spec.reads:
        facts += [graph.counts(*query_set) for query_set in sets]
    return list({node.path: node for node in facts}.values())


def similarity(graph: Graph, encoder: str, split: Split) -> Node:
    """Return the node of an encoder's similarities of a split's queries and the variations that tables show."""
    papers = graph.lineage.config.papers.items()
    tables = [
        (paper, spec)
        for paper, experiment in papers
        for spec in experiment.tables.values()
        if "similarities" in spec.reads
    ]
    variations = dict.fromkeys(
        name for paper_table in tables for table_split, name in _varied(graph, *paper_table) if table_split == split
    )
    return graph.similarity(encoder, split, list(variations))


def _queries(graph: Graph, paper: str, spec: TableSpec) -> list[Node]:
    """Return the nodes of queries that a table reads, original and varied."""
    if "queries" not in spec.reads:
        return []
    sets = [
        (split, query_variation) for split, name in _varied(graph, paper, spec) for query_variation in (ORIGINAL, name)
    ]
    return [graph.query_set(*query_set) for query_set in dict.fromkeys(sets)]
