"""`robustdr evaluate`: how robust is one's own retriever, on one's own queries, passages and judgements?"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from robustdr.config import load
from robustdr.errors import UserError
from robustdr.evaluation.names import parse
from robustdr.files import write_json, write_text
from robustdr.own import experiment
from robustdr.own.experiment import HOUSE, NAME, Data
from robustdr.plan import Plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--model", type=Path, required=True, help="a directory that sentence-transformers saved")
    parser.add_argument("--corpus", type=Path, required=True, help="TSV or JSONL: docid, perhaps title, text; or .gz")
    parser.add_argument("--queries", type=Path, required=True, help="TSV: qid<TAB>text")
    parser.add_argument("--qrels", type=Path, required=True, help="TREC qrels: qid 0 docid grade")
    parser.add_argument("--split", default="test", help="what these queries are called; default: test")
    parser.add_argument("--measure", default="nDCG@10", help="an ir_measures name; default: nDCG@10")
    text = "some of the variations; default: all that rules make of what is installed"
    parser.add_argument("--variations", nargs="+", default=[], metavar="NAME", help=text)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="of this machine; default: all")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the report; run again to resume")


def run(arguments: argparse.Namespace) -> None:
    """Write the configuration, let the workflow measure, and write report.md and report.json.

    Raises:
        UserError: a file that is missing, an option's value, or a job of the workflow that failed.
    """
    a = arguments
    for option in ("model", "corpus", "queries", "qrels"):
        if not (path := getattr(a, option)).exists():
            raise UserError(f"--{option}: {path}: no such file or directory")
    parse(a.measure)
    by_category = experiment.chosen(a.variations)
    folder = a.output / "config"
    experiment.write(folder, a.model, a.corpus, {a.split: Data(a.queries, a.qrels)}, a.split, by_category, a.measure)
    plan = Plan(load(HOUSE / "config", folder.resolve()), NAME)
    measures = plan.measures(plan.pairs(NAME))
    _measure(a.output, list(measures), a.cores)
    from robustdr.own import document, results

    found = results.collect(plan, a.output)
    write_json(a.output / "report.json", found)
    write_text(a.output / "report.md", document.markdown(found))
    print(document.headline(found))
    print(a.output / "report.md")


def _measure(output: Path, targets: list[str], cores: int) -> None:
    """Let Snakemake make the targets in a folder of their own, with the project's rules."""
    made = subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", HOUSE / "Snakefile", "--directory", output]
        + ["--configfile", output / "config" / "config.yaml", "--workflow-profile", HOUSE / "profiles" / "default"]
        + ["--cores", str(cores), "--quiet", "--", *targets],
        check=False,
    )
    if made.returncode:
        raise UserError(f"{output}: the workflow stopped; its messages stand above, its logs under {output}/results")
