"""`robustdr preflight`: lists all that a target lacks before a job runs, each with the command that fetches it."""

import argparse
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from robustdr.encoding.settings import CheckpointSettings
from robustdr.graph import cluster
from robustdr.graph.graph import Graph
from robustdr.keys.node import Node, histories
from robustdr.preflight import machines
from robustdr.preflight.findings import Missing, lines, merge_missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    text = (
        "a file that snakemake makes, such as results/tables/rodr_table2.md; default: the report of config/config.yaml"
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=text)
    text = "look only at this machine, ask no server and submit no job; for compute nodes"
    parser.add_argument("--offline", action="store_true", help=text)
    add_changes(parser)


def add_changes(parser: argparse.ArgumentParser) -> None:
    """The option --config, as Snakemake has it."""
    text = "values that replace those of config/config.yaml, as for snakemake"
    parser.add_argument("--config", nargs="+", type=_change, default=[], metavar="KEY=VALUE", help=text)


def _change(text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    return key, yaml.safe_load(value)


def run(a: argparse.Namespace) -> int:
    """Print what is missing; exit status 1 if anything is.

    Raises:
        UserError: a fault of the configuration, or an unknown target.
    """
    from robustdr.graph.project import project
    from robustdr.graph.targets import nodes

    settings, _, graphs = project(dict(a.config))
    report = "results" if settings.scale == "full" else f"results/{settings.scale}"
    targets = a.targets or [f"{report}/report/index.html"]
    target_nodes = [node for target in targets for node in nodes(target, graphs, settings.papers)]
    jobs = histories(target_nodes, left_out=lambda node: node.is_made)
    missing, messages = preflight(jobs, a.offline)
    messages += published_scores(jobs, graphs)
    if not a.offline and not missing:
        if machines.is_there():
            gpus = {root: graph.lineage.scale.device == "gpu" for root, graph in graphs.items()}
            needs = machines.kinds(machines.submitted_needs(jobs, gpus), cluster.partitions())
            messages.append(f"{len(needs)} kind(s) of machine were asked for, and looked at by a job each")
            missing = list(machines.unfit(needs))
        else:
            messages.append("no SLURM is configured here: no job looked at the machines")
    print("\n".join([*messages, *lines(missing)]))
    print(f"{len(missing)} thing(s) missing" if missing else f"nothing is missing for {len(jobs)} artifacts")
    return 1 if missing else 0


def preflight(jobs: Iterable[Node], offline: bool) -> tuple[list[Missing], list[str]]:
    """Check what jobs take from outside, and the room for it.

    Returns:
        What is missing, and lines about what is still to come into which folder.
    """
    from huggingface_hub import constants

    from robustdr.preflight.checks import Checks
    from robustdr.preflight.space import Filled, short, vectors
    from robustdr.preflight.things import things

    checks, jobs = Checks(offline), list(jobs)
    missing = [
        Missing(*wrong, (node.subject,))
        for node in jobs
        for thing in things(node)
        for wrong in checks.wrong(thing, node.subject)
    ]
    caches = {
        "IR_DATASETS_HOME": os.environ.get("IR_DATASETS_HOME", Path.home() / ".ir_datasets"),
        "HF_HOME": constants.HF_HOME,
    }
    folders = [Filled(name, Path(cache), sum(checks.fetched[name].values())) for name, cache in caches.items()]
    roots = dict.fromkeys(node.root for node in jobs)
    folders += [Filled("results", Path(root), vectors(node for node in jobs if node.root == root)) for root in roots]
    if offline:
        folders = [filled for filled in folders if filled.name == "results"]
    return merge_missing([*missing, *checks.hosts.unreachable(), *short(folders)]), list(map(str, folders))


def published_scores(jobs: Iterable[Node], graphs: Mapping[str, Graph]) -> list[str]:
    """Return for each released checkpoint that jobs write the score that it should reach."""
    root_of = {job.settings.name: job.root for job in jobs if isinstance(job.settings, CheckpointSettings)}
    scores = {name: graphs[root].lineage.published(name) for name, root in root_of.items()}
    return [score.sentence_for(name) for name, score in scores.items() if score]
