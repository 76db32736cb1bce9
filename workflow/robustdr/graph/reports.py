"""What tables, figures, claims and the page of a scale need to know, from the plan of that scale."""

from collections.abc import Iterable
from itertools import starmap

from robustdr.core.errors import UserError
from robustdr.evaluation.names import MEAN
from robustdr.experiments.config import Config, Tree
from robustdr.experiments.needs import claimed_pairs, reported_pairs
from robustdr.graph.plan import Plan
from robustdr.graph.steps import steps
from robustdr.keys.provenance import pins
from robustdr.reporting.settings import (
    SHARED,
    ClaimsSettings,
    FigureSettings,
    Paper,
    QueriesSettings,
    SiteSettings,
    TableSettings,
)
from robustdr.variations import drawn

ENVIRONMENT = ("torch", "transformers", "sentence-transformers", "faiss-cpu", "pytrec-eval-terrier", "snakemake")


def evaluation_settings(plan: Plan, paper: str) -> Tree:
    """By role: collection, split, variations, measures, and the variations at hand that each mean averages."""
    found = {}
    for role, where in plan.config.papers[paper]["evaluation"].items():
        if role not in plan.bound["collections"]:
            continue
        collection, split = plan.place_of(paper, role)
        missing = plan.unavailable(collection, split, where["variations"])
        means = {MEAN: where["variations"], **where.get("means", {})}
        at_hand = {mean: [kind for kind in kinds if kind not in missing] for mean, kinds in means.items()}
        found[role] = {**where, "collection": collection, "split": split, "means": at_hand}
    return found


def banner(plan: Plan, roles: Iterable[str]) -> str:
    """What the scale's stand-ins are, where a collection behind one of the roles is one."""
    shown = (plan.config.collections[plan.collection_of(role)] for role in roles)
    return plan.bound.get("miniature", "") if any(source.get("miniature") for source in shown) else ""


def report_settings(plan: Plan, paper: str, command: str, pairs: Iterable[tuple[str, str]]) -> Tree:
    """What every table, figure and page of claims of a paper needs; `pairs` of system and role are its cells."""
    experiment = plan.config.papers[paper]
    pairs = list(pairs)
    for key in filter(None, starmap(plan.unbound_cell, pairs)):
        raise UserError(f"{plan.config.scale_files[plan.scale]}: {key}: missing; `{command}` needs it")
    reasons = {system: reason for system, _ in pairs if (reason := plan.why_not(system))}
    evaluation = evaluation_settings(plan, paper)
    for role, where in evaluation.items():
        reasons |= {where["collection"]: reason} if (reason := plan.absent(role)) else {}
        reasons |= plan.unavailable(where["collection"], where["split"], where["variations"])
    return {
        "paper": paper,
        "title": experiment["title"],
        "scale": plan.scale,
        "miniature": banner(plan, {role for _, role in pairs} or evaluation.keys()),
        "command": command,
        "evaluation": evaluation,
        "measured": {m: plan.measured(m) for where in experiment["evaluation"].values() for m in where["measures"]},
        "labels": {system: plan.recipe(system)["label"] for system, _ in pairs},
        "names": {system: plan.recipe(system).get("reported", system) for system, _ in pairs}
        | experiment.get("names", {}),
        "reasons": reasons,
        "keys": plan.measures(pairs),
    }


def table_settings(plan: Plan, paper: str, table: str) -> TableSettings:
    experiment = plan.config.papers[paper]
    spec = experiment["tables"][table]
    command = f"snakemake {plan.root}/tables/{paper}_{table}.md"
    settings = report_settings(plan, paper, command, reported_pairs(spec))
    checkpoints = {name: plan.bound["checkpoints"][name] for name in spec.get("encoders", [])}
    settings["reasons"] |= {name: c["unavailable"] for name, c in checkpoints.items() if "unavailable" in c}
    settings |= {"table": table, "spec": spec}
    shown = [settings["evaluation"][role] for role in spec["collections"]]
    made = {
        kind: plan.generator(where["collection"], where["split"], kind).resource
        for where in shown
        for kind in where["means"][MEAN]
    }
    recipes = {system: plan.recipe(system) for system in settings["labels"]}
    trained = dict.fromkeys(name for system in recipes for name in plan.lineage(system))
    made |= {
        drawn(kind).generator: plan.generator(*plan.train_split(system), kind).resource
        for system in trained
        for kind in plan.training_variations(system)
    }
    stand_ins = [f"{kind}: {resource}" for kind, resource in sorted(made.items()) if "stand-in" in resource]
    roots = {plan.checkpoint_of(system) for system, recipe in recipes.items() if "initial" in recipe} | {*checkpoints}
    stand_ins += [f"{name}: {plan.bound['checkpoints'][name]['description']}" for name in sorted(roots)]
    losses = {name: plan.recipe(name)["loss"] for name in trained}
    losses = {name: loss for name, loss in losses.items() if loss["name"] != "contrastive"}
    settings["labels"] |= {name: plan.recipe(name)["label"] for name in losses}
    own_notes = filter(None, (plan.kind(system).note(recipe) for system, recipe in recipes.items()))
    settings |= {
        "stand_ins": stand_ins,
        "losses": losses,
        "notes": [*data_notes(plan, paper, spec), *own_notes, *experiment.get("notes", []), *spec.get("notes", [])],
        "environment": {name: pins()[name] for name in ENVIRONMENT},
    }
    if spec["rows"] == "seeds":
        settings["seeds"] = {"paper": experiment["seeds"], "scale": plan.seeds(spec["systems"][0])}
    if spec["rows"] == "methods":
        settings["lineage"] = {system: lineage_costs(plan, system) for system in spec["systems"]}
        settings["reindexes"] = {system: plan.reindexes(system, spec["base"]) for system in spec["systems"]}
    return TableSettings(**settings)


def data_notes(plan: Plan, paper: str, spec: Tree) -> list[str]:
    """What judges the queries, whose variations they have, what rankers rank, and where hard negatives are released."""
    notes = []
    for role in spec["collections"]:
        where, (collection, split) = plan.config.papers[paper]["evaluation"][role], plan.place_of(paper, role)
        if plan.config.judged_by(collection, split)[0] == "answers":
            notes.append(f"{role}: a passage is relevant if its text contains an answer, matched by DPR's rules.")
        elif where.get("judged") == "answers":
            notes.append(
                f"{role}: the paper counts passages that contain an answer to one of the collection's {split} "
                f"questions; here the judged passages of {collection}'s {split} questions count."
            )
        if any(plan.is_released(collection, split, kind) for kind in where["variations"]):
            notes.append(
                f"{role}: the released variations that people judged valid, as in the paper; a query without a valid "
                "one keeps its text."
            )
        elif where.get("validated"):
            notes.append(
                f"{role}: the paper takes released variations that people judged valid; here every variation made is "
                "taken (on the paper's queries, `qvg_labels` in config.yaml gives the released ones)."
            )
    ranked = {
        (candidates["depth"], plan.kind(system).depth(plan.config, plan.scale, system))
        for system, _ in reported_pairs(spec)
        if isinstance(candidates := plan.recipe(system).get("candidates"), dict)
    }
    notes += [
        f"Rankers rank the {here} best passages of their first stage anew; in the paper, the {asked} best."
        for asked, here in sorted(ranked)
        if here != asked
    ]
    trained = {name for system, _ in reported_pairs(spec) for name in plan.lineage(system)}
    recipes = [plan.recipe(name) for name in sorted(trained) if not plan.miner_of(name)]
    roles = dict.fromkeys(recipe["collection"] for recipe in recipes if "negatives" in recipe)
    return notes + [f"Hard negatives of {role}: those that its training questions are released with." for role in roles]


def lineage_costs(plan: Plan, system: str) -> dict[str, list[str]]:
    """The cost.json files of a system's own training and of its whole lineage, for all seeds; none if it cannot run."""

    lineage = [] if plan.why_not(system) else plan.lineage(system)
    before = dict.fromkeys(filter(None, map(plan.pretraining_of, lineage)))
    pretrained = [f"{plan.pretrained_folder(name, seed)}/cost.json" for name in before for seed in plan.seeds(system)]
    trained = [path for name in lineage for path in plan.cost_files(name, plan.seeds(system))]
    return {
        "own": plan.cost_files(system, plan.seeds(system)) if system in lineage else [],
        "total": [*pretrained, *trained],
    }


def table_costs(plan: Plan, paper: str, table: str) -> list[str]:
    """The cost.json files that a table shows the figures of."""
    lineage = table_settings(plan, paper, table).lineage
    return list(dict.fromkeys(path for of_system in lineage.values() for path in of_system["total"]))


def figure_settings(plan: Plan, paper: str, figure: str) -> FigureSettings:
    spec = plan.config.papers[paper]["figures"][figure]
    command = f"snakemake {plan.root}/figures/{paper}_{figure}.svg"
    return FigureSettings(**report_settings(plan, paper, command, reported_pairs(spec)), spec=spec)


def claims_settings(plan: Plan, paper: str) -> ClaimsSettings:
    """A claim may name any system on any role: those that the paper's claims do, and those of its tables."""
    specs = plan.config.papers[paper]["tables"].values()
    pairs = [pair for spec in specs for pair in reported_pairs(spec)]
    pairs += [pair for claim in plan.config.claims[paper] for pair in claimed_pairs(claim)]
    settings = report_settings(plan, paper, f"snakemake {plan.root}/claims/{paper}.md", dict.fromkeys(pairs))
    evaluation = plan.config.papers[paper]["evaluation"]
    parts = ("variations", "means")
    return ClaimsSettings(**settings, printed={at: {p: e[p] for p in parts if p in e} for at, e in evaluation.items()})


def all_measures(plan: Plan, papers: list[str]) -> list[str]:
    """Every measures file behind the tables, claims and figures of papers."""
    return list(plan.measures(pair for paper in papers for pair in plan.pairs(paper)))


def headline_measures(plan: Plan, papers: list[str]) -> dict[str, dict[str, str]]:
    """By paper and role, the measure that the paper names first."""
    evaluations = {paper: plan.config.papers[paper]["evaluation"] for paper in papers}
    return {
        paper: {role: where["measures"][0] for role, where in evaluation.items()}
        for paper, evaluation in evaluations.items()
    }


def explored(plan: Plan, papers: list[str]) -> dict[str, list[str]]:
    """By collection, the systems whose queries the report shows: those that papers measure there."""
    found: dict[str, list[str]] = {}
    for path in all_measures(plan, papers):
        _, collection, system, _ = path.rsplit("/", 3)
        if system not in (systems := found.setdefault(collection, [])):
            systems.append(system)
    return found


def explored_texts(plan: Plan, papers: list[str], collection: str) -> list[str]:
    """The query sets of a collection that the report shows, by path."""
    settings = [plan.evaluate_settings(system, collection) for system in explored(plan, papers)[collection]]
    sets = dict.fromkeys(query_set for each in settings for query_set in each.measures)
    return [plan.query_set(collection, *query_set.split(".", 1)) for query_set in sets]


def queries_settings(plan: Plan, system: str, collection: str) -> QueriesSettings:
    evaluated = plan.evaluate_settings(system, collection)
    label, made = plan.recipe(system)["label"], steps(plan, system, collection)
    return QueriesSettings(
        system, label, collection, plan.seeds(system), evaluated.measures, evaluated.relevance_level, made
    )


def shown_papers(config: Config, papers: list[str]) -> list[Paper]:
    found = []
    for name, experiment in ((name, config.papers[name]) for name in papers):
        parts = (list(experiment.get(part, {})) for part in ("tables", "figures"))
        found.append(Paper(name, experiment["title"], experiment["reference"], *parts))
    return found


def site_pages(config: Config, papers: list[str]) -> list[str]:
    """The files of the report beside its first page and its data."""
    own = [page for paper in shown_papers(config, papers) for page in paper.pages]
    return [*own, "queries.html", "provenance.html", *SHARED]


def site_settings(plan: Plan, papers: list[str]) -> SiteSettings:
    shown = shown_papers(plan.config, papers)
    checkpoints = plan.bound["checkpoints"].items()
    stand_ins = {name: entry["description"] for name, entry in checkpoints if "unavailable" not in entry}
    roles = {role for paper in papers for role in plan.config.papers[paper]["evaluation"]}
    miniature = banner(plan, roles & plan.bound["collections"].keys())
    return SiteSettings(plan.scale, plan.root, miniature, shown, explored(plan, papers), stand_ins if miniature else {})
