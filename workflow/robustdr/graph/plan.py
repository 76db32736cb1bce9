"""The command `plan`: dvc.yaml for the scale and the papers of config.yaml, and the keys of what each stage makes."""

import argparse
from pathlib import Path
from typing import Any

import yaml

from robustdr.core.errors import UserError, unknown
from robustdr.core.files import write_text
from robustdr.core.paths import named_path
from robustdr.graph import chain, site
from robustdr.graph.project import FOLDER, Project, project
from robustdr.keys.node import Node

DVC = Path("dvc.yaml")
HEAD = """\
# DVC keeps and carries what Snakemake makes, stage by stage. `robustdr plan` writes this file for the scale and the
# papers of config/config.yaml; how to use it: docs/how-to/dvc.md.
# The stage `plan` writes the keys of what each stage makes. A stage depends on its keys, and on what it reads of
# others. So DVC asks Snakemake where a key or a file changed, and Snakemake decides which jobs run.
# Folders that persist stay while their stage runs: Snakemake makes anew only what changed in them.
"""
CODE = ("workflow/robustdr", "requirements.lock")
PLOT = {
    "title": "Drop of the mean of the variations against the original queries, by paper, collection and system",
    "template": "bar_horizontal_sorted",
    "x": "drop",
    "y": "system",
}
CHEAP = ("tables", "report")  # DVC's run-cache brings these back


def stages_of(planned: Project) -> dict[str, list[Node]]:
    """Return the artifacts by stage, at the scale and for the papers of the settings.

    Raises:
        UserError: there is no such scale.
    """
    settings = planned.settings
    graphs = {graph.lineage.scale_name: graph for graph in planned.graphs.values()}
    if settings.scale not in graphs:
        raise unknown("config/config.yaml: scale", settings.scale, graphs)
    return chain.stages_of(graphs[settings.scale], tuple(settings.papers))


def dvc_yaml(planned: Project) -> str:
    """Return the text of dvc.yaml for the scale and the papers of the settings."""
    settings, stages = planned.settings, stages_of(planned)
    root = stages["report"][0].root
    outputs, folder = chain.outputs(stages), f"{root}/plan"
    read = chain.read(stages, outputs)
    configured = [str(FOLDER), *([settings.overlay] if settings.overlay else [])]
    users = {path for paths in read.values() for path in paths} - {path for paths in outputs.values() for path in paths}
    users |= {str(site.REPLICATES)} if site.REPLICATES.is_file() else set()
    outside = sorted(path for path in users if not any(Path(path).is_relative_to(place) for place in configured))
    described: dict[str, Any] = {
        "plan": {
            "cmd": f"robustdr plan --keys {folder}",
            "deps": [*configured, *CODE, *outside],
            "outs": [folder],
        }
    }
    for stage in stages:
        described[stage] = {
            "cmd": f"snakemake stage --config stage={stage}",
            "deps": [f"{folder}/{stage}.txt", *(["report"] if stage == "report" else []), *read[stage]],
            "outs": [path if stage in CHEAP else {path: {"persist": True}} for path in outputs[stage]],
        }
    tree = {
        "stages": described,
        "params": [f"{FOLDER}/config.yaml", f"{FOLDER}/scales/{settings.scale}.yaml"],
        "metrics": [f"{root}/report/headline.json"],
        "plots": [{f"{root}/report/drops.csv": PLOT}],
    }
    return HEAD + yaml.safe_dump(tree, sort_keys=False, width=120)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    text = "write no dvc.yaml, but check it, and write the keys of what each stage makes into this folder"
    parser.add_argument("--keys", type=named_path, metavar="FOLDER", help=text)


def run(arguments: argparse.Namespace) -> int:
    """Write dvc.yaml, or the keys.

    Raises:
        UserError: the first fault of the configuration, or dvc.yaml is of another configuration.
    """
    planned = project()
    text = dvc_yaml(planned)
    if arguments.keys is None:
        write_text(DVC, text)
        return 0
    if not DVC.is_file() or DVC.read_text(encoding="utf-8") != text:
        raise UserError(f"{DVC}: it is not what the configuration asks for; write it again: robustdr plan")
    for stage, nodes in stages_of(planned).items():
        write_text(arguments.keys / f"{stage}.txt", "".join(sorted(f"{node.key}  {node.path}\n" for node in nodes)))
    return 0
