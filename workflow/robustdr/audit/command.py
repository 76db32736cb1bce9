"""`robustdr audit [paper or path ...]`: check printed numbers against each other."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from robustdr.audit import formats, page
from robustdr.audit.findings import SEVERITIES
from robustdr.audit.paper import audit_paper
from robustdr.audit.reported import PAPERS
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import write_text
from robustdr.core.paths import STDIN, named_path, output_path

FORMATS = {**formats.FORMATS, "html": page.html}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "papers",
        nargs="*",
        type=lambda text: str(STDIN) if text == "-" else text,
        metavar="paper",
        help="name of a paper of the project, or a reported.yaml; -: from standard input; default: all papers",
    )
    parser.add_argument("--format", choices=FORMATS, default="md", help="format of the report; default: md")
    parser.add_argument("--runs", type=named_path, metavar="DIR", help="folder of the TREC runs that the tables name")
    parser.add_argument("--qrels", type=named_path, metavar="FILE", help="TREC judgements of these runs")
    parser.add_argument("--summary", action="store_true", help="print only the table of papers, as Markdown")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, help="exit status 1 if a finding has this severity or a worse one"
    )
    parser.add_argument("-o", "--output", type=output_path, help="file to write; default: standard output")


def run(arguments: argparse.Namespace) -> int:
    """Audit and write the report; return 1 for findings of the severity `--fail-on` or worse, else 0.

    Raises:
        UserError: an unknown paper, a reported.yaml that cannot be read, a claim on numbers that it lacks, runs without
            judgements or judgements without runs.
    """
    if (arguments.runs is None) != (arguments.qrels is None):
        raise UserError("audit: --runs and --qrels go together; give both or neither")
    audits = [audit_paper(path, arguments.runs, arguments.qrels) for path in _paths(arguments.papers)]
    text = (formats.summary if arguments.summary else FORMATS[arguments.format])(audits)
    if arguments.output:
        write_text(arguments.output, text)
    else:
        sys.stdout.write(text)
    counted = SEVERITIES[: SEVERITIES.index(arguments.fail_on) + 1] if arguments.fail_on else ()
    return int(any(done.count(severity) for done in audits for severity in counted))


def _paths(papers: Sequence[str]) -> list[Path]:
    paths_by_name = {path.parent.name: path for path in sorted(PAPERS.glob("*/reported.yaml"))}
    paths = []
    for paper in papers or paths_by_name:
        if paper in paths_by_name:
            path = paths_by_name[paper]
            paths.append(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
        elif paper.endswith((".yaml", ".yml")) or "/" in paper:
            paths.append(Path(paper))
        else:
            raise unknown("audit: paper", paper, [*paths_by_name, "a path to a reported.yaml"])
    return paths
