"""What tables, figures, claims and the page of a scale need to know, from the plan of that scale."""

from robustdr.config import Tree
from robustdr.plan import Plan
from robustdr.provenance import pins

ENVIRONMENT = ("torch", "transformers", "sentence-transformers", "faiss-cpu", "pytrec-eval-terrier", "snakemake")


def table_systems(plan: Plan, paper: str, table: str) -> list[str]:
    """The systems of a table and those that its tests compare them with."""
    spec = plan.config.papers[paper]["tables"][table]
    return [*spec["systems"], *spec.get("significance", {"against": {}})["against"].values()]


def figure_systems(plan: Plan, paper: str, figure: str) -> list[str]:
    """The systems of a learning curve, snapshots included."""
    spec = plan.config.papers[paper]["figures"][figure]
    points = [f".at{round(100 * point)}" if point < 1 else "" for point in spec["points"]]
    return [spec["start"], *(f"{system}{point}" for system in spec["systems"] for point in points)]


def report_settings(plan: Plan, paper: str, command: str, systems: list[str], roles: list[str]) -> Tree:
    """What every table, figure and page of claims of a paper needs to know."""
    experiment = plan.config.papers[paper]
    evaluation = {
        role: {**where, "collection": plan.collection_of(role)} for role, where in experiment["evaluation"].items()
    }
    reasons = {system: reason for system in systems if (reason := plan.why_not(system))}
    reasons |= plan.unavailable_variations()
    return {
        "paper": paper,
        "title": experiment["title"],
        "scale": plan.scale,
        "miniature": plan.bound.get("miniature", ""),
        "command": command,
        "evaluation": evaluation,
        "measured": {m: plan.measured(m) for where in evaluation.values() for m in where["measures"]},
        "reasons": reasons,
        "keys": plan.measures(systems, roles),
    }


def table_settings(plan: Plan, paper: str, table: str) -> Tree:
    experiment = plan.config.papers[paper]
    spec = experiment["tables"][table]
    systems = table_systems(plan, paper, table)
    command = f"snakemake {plan.root}/tables/{paper}_{table}.md"
    kinds = {kind for role in spec["collections"] for kind in experiment["evaluation"][role]["variations"]}
    generators = {kind: plan.generator(kind) for kind in sorted(kinds) if kind not in plan.unavailable_variations()}
    stand_ins = [f"{kind}: {made.resource}" for kind, made in generators.items() if "stand-in" in made.resource]
    checkpoints = {plan.checkpoint_of(system) for system in systems if not plan.config.systems[system].get("bm25")}
    stand_ins += [f"{name}: {plan.bound['checkpoints'][name]['description']}" for name in sorted(checkpoints)]
    return {
        **report_settings(plan, paper, command, systems, spec["collections"]),
        "table": table,
        "spec": spec,
        "labels": {system: plan.config.systems[system]["label"] for system in systems},
        "stand_ins": stand_ins,
        "notes": experiment.get("notes", []),
        "environment": {name: pins()[name] for name in ENVIRONMENT},
    }


def figure_settings(plan: Plan, paper: str, figure: str) -> Tree:
    spec = plan.config.papers[paper]["figures"][figure]
    command = f"snakemake {plan.root}/figures/{paper}_{figure}.svg"
    settings = report_settings(plan, paper, command, figure_systems(plan, paper, figure), [spec["collection"]])
    return {**settings, "spec": spec}


def claims_settings(plan: Plan, paper: str) -> Tree:
    """A claim may name any system of the paper's tables, on the collections of the tables that it is in."""
    tables = plan.config.papers[paper]["tables"]
    settings = report_settings(plan, paper, f"snakemake {plan.root}/claims/{paper}.md", list(plan.config.systems), [])
    for table, spec in tables.items():
        settings["keys"] |= plan.measures(table_systems(plan, paper, table), spec["collections"])
    return settings


def all_measures(plan: Plan) -> list[str]:
    """Every measures file behind the papers' tables, claims and figures."""
    found: dict[str, str] = {}
    for paper, experiment in plan.config.papers.items():
        found |= claims_settings(plan, paper)["keys"]
        for figure in experiment.get("figures", {}):
            found |= figure_settings(plan, paper, figure)["keys"]
    return list(found)


def page_settings(plan: Plan) -> Tree:
    papers = [
        {"name": name, "title": paper["title"], "reference": paper["reference"]}
        for name, paper in plan.config.papers.items()
    ]
    return {"scale": plan.scale, "miniature": plan.bound.get("miniature", ""), "papers": papers}
