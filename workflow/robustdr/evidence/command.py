"""`robustdr evidence`: adds finished runs to the ledger, and lists what it has."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from robustdr.core.commands import add_command
from robustdr.core.paths import named_path

if TYPE_CHECKING:
    from robustdr.graph.graph import Graph

EVIDENCE, FINDINGS = Path("evidence"), Path("docs/findings.md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    commands = parser.add_subparsers(required=True, metavar="what")
    text = "add the finished runs of a scale; a run that is there stays; a damaged or old file is an error"
    command = add_command(commands, "add", add, text)
    command.add_argument("results", type=named_path, help="a scale's folder, such as results/mini")
    text = (
        "compare the runs of a scale with the ledger's: does this machine compute what others did? Exit status 1 if not"
    )
    command = add_command(commands, "check", check, text)
    command.add_argument("results", type=named_path, help="a scale's folder, such as results/mini")
    add_command(commands, "list", show, "list the runs of the ledger")
    add_command(commands, "priors", refit, "fit how much training runs differ anew, on all runs of the ledger")
    text = "write docs/findings.md and the findings of README.md, from the ledger or from the verdicts of a scale"
    command = add_command(commands, "findings", findings, text)
    command.add_argument("--scale", help="name of the scale; default: evidence if the ledger has it, else mini")
    text = "another scale, whose verdicts stand in columns beside, if the ledger has it; default: text"
    command.add_argument("--beside", metavar="SCALE", default="text", help=text)


def _graphs(results: Path) -> "Mapping[str, Graph]":
    """Return the graphs by folder, if `results` is the folder of a scale."""
    from robustdr.core.errors import unknown
    from robustdr.graph.project import project

    graphs = project().graphs
    if results.as_posix() not in graphs:
        raise unknown("folder of a scale", results.as_posix(), graphs)
    return graphs


def add(a: argparse.Namespace) -> None:
    from robustdr.evidence.adding import add

    new, old, unfinished, path = add(_graphs(a.results), a.results.as_posix(), EVIDENCE)
    size = f": {path}, {path.stat().st_size / 1e6:.2f} MB" if path else ""
    skipped = f", {unfinished} left out: other papers need more query sets of them" if unfinished else ""
    print(f"{new} runs added, {old} were there{skipped}{size}")


def check(a: argparse.Namespace) -> int:
    from robustdr.evidence import machine

    compared = machine.compare(_graphs(a.results)[a.results.as_posix()], EVIDENCE)
    page, _ = machine.write(compared, a.results)
    print(f"{compared.lines} See {page}.")
    return 0 if compared.inside.all() else 1


def show(a: argparse.Namespace) -> None:
    from robustdr.evidence.adding import list_runs
    from robustdr.graph.project import project

    print("\n".join(list_runs(EVIDENCE, {graph.lineage.scale_name: graph for graph in project().graphs.values()})))


def refit(a: argparse.Namespace) -> None:
    from robustdr.evidence import priors
    from robustdr.graph.project import project

    print(priors.write(project().graphs.values(), EVIDENCE))


def findings(a: argparse.Namespace) -> None:
    from robustdr.core.checks import check_known
    from robustdr.evidence.findings import findings
    from robustdr.graph.project import project

    graphs = project().graphs
    scale = a.scale or ("evidence" if any(EVIDENCE.glob("evidence/*.parquet")) else "mini")
    scales = {graph.lineage.scale_name for graph in graphs.values()}
    check_known("--scale", scale, scales)
    check_known("--beside", a.beside, scales)
    findings(graphs, scale, a.beside, EVIDENCE, FINDINGS)
    print(FINDINGS)
