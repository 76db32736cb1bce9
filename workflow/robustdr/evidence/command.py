"""`robustdr evidence`: adds finished runs to the ledger, and lists what it has."""

import argparse
from pathlib import Path

from robustdr.core.paths import named

EVIDENCE, FINDINGS = Path("evidence"), Path("docs/findings.md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    commands = parser.add_subparsers(required=True, metavar="what")
    text = (
        "add the finished runs of a scale; a damaged or stale file is refused, a run that is there is not added again"
    )
    command = commands.add_parser("add", help=text, description=f"{text.capitalize()}.")
    command.set_defaults(function=add)
    command.add_argument("results", type=named, help="a scale's folder, such as results/mini")
    command = commands.add_parser("list", help="list the runs of the ledger", description="List the ledger's runs.")
    command.set_defaults(function=show)
    text = "write docs/findings.md and README's findings: judge claims on the ledger, or use a scale's verdicts"
    command = commands.add_parser("findings", help=text, description=f"{text.capitalize()}.")
    command.set_defaults(function=findings)
    command.add_argument("--scale", help="default: evidence if the ledger has it, else mini")


def add(a: argparse.Namespace) -> None:
    from robustdr.core.errors import unknown
    from robustdr.evidence.adding import add
    from robustdr.graph.project import project

    made = project().graphs
    if (root := a.results.as_posix()) not in made:
        raise unknown("folder of a scale", root, made)
    new, old, path = add(made[root], EVIDENCE)
    size = f": {path}, {path.stat().st_size / 1e6:.2f} MB" if path else ""
    print(f"{new} runs added, {old} were there{size}")


def show(a: argparse.Namespace) -> None:
    from robustdr.evidence.adding import listed

    print("\n".join(listed(EVIDENCE)))


def findings(a: argparse.Namespace) -> None:
    from robustdr.core.checks import known
    from robustdr.evidence.findings import findings
    from robustdr.graph.project import project

    made = project().graphs
    scale = a.scale or ("evidence" if any(EVIDENCE.glob("evidence/*.parquet")) else "mini")
    known("--scale", scale, {graph.lineage.scale_name for graph in made.values()})
    findings(made, scale, EVIDENCE, FINDINGS)
    print(FINDINGS)
