"""`robustdr evaluate`: how robust is one's own retriever, on one's own queries, passages and judgements?"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from robustdr.collections.command import SHOWN, lines
from robustdr.core.errors import UserError
from robustdr.core.files import write_json, write_text

if TYPE_CHECKING:
    from robustdr.graph.plan import Plan
    from robustdr.own.models import Model

ROLES = ("query", "passage")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    text = "a directory that sentence-transformers saved, or a model of the hub as ORGANISATION/MODEL[@REVISION]; with "
    parser.add_argument("--model", required=True, help=f"{text}--server, its name there; with --runs, any name")
    parser.add_argument("--corpus", type=Path, required=True, help="TSV or JSONL: docid, perhaps title, text; or .gz")
    parser.add_argument("--queries", type=Path, required=True, help="TSV: qid<TAB>text")
    parser.add_argument("--qrels", type=Path, required=True, help="TREC qrels: qid 0 docid grade")
    parser.add_argument("--split", default="test", help="what these queries are called; default: test")
    parser.add_argument("--measure", default="nDCG@10", help="an ir_measures name; default: nDCG@10")
    text = "some of the variations; default: all that rules make of what is installed"
    parser.add_argument("--variations", nargs="+", default=[], metavar="NAME", help=text)
    text = "train these from the model, comma-separated: rodr, capot, self-teaching, augmentation"
    parser.add_argument("--fix", type=lambda names: names.split(","), default=[], metavar="REMEDIES", help=text)
    parser.add_argument("--train-queries", type=Path, metavar="F", help="TSV, for --fix")
    parser.add_argument("--train-qrels", type=Path, metavar="F", help="TREC qrels, for --fix")
    for role in ROLES:
        text = f"tokens that the model reads of a {role}; default: what its directory says"
        parser.add_argument(f"--{role}-length", type=int, metavar="N", help=text)
    elsewhere = parser.add_mutually_exclusive_group()
    text = "folder of the TREC runs of a system that was asked elsewhere; what is missing is named, with its queries"
    elsewhere.add_argument("--runs", type=Path, metavar="FOLDER", help=text)
    text = "base URL of a server that speaks OpenAI's embeddings, such as http://localhost:8000/v1"
    elsewhere.add_argument("--server", metavar="URL", help=text)
    for role in ROLES:
        text = f"what the server's model expects before a {role}; default: nothing"
        parser.add_argument(f"--{role}-prompt", metavar="TEXT", help=text)
    parser.add_argument("--similarity", choices=("cosine", "dot"), help="of the server's vectors; default: cosine")
    parser.add_argument("--dimension", type=int, metavar="N", help="that the server is asked for; default: its own")
    text = "environment variable that holds the server's key; default: none is needed"
    parser.add_argument("--key", metavar="NAME", help=text)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="of this machine; default: all")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the report; run again to resume")


def run(arguments: argparse.Namespace) -> None:
    """Write the configuration, let the workflow measure, and write report.md, report.json and index.html.

    Raises:
        UserError: a file that is missing, an option's value, or a job of the workflow that failed.
    """
    # Here, because every stage loads the command line.
    from robustdr.collections.check import check
    from robustdr.evaluation.names import parse
    from robustdr.experiments.config import load
    from robustdr.graph.plan import Plan
    from robustdr.own import document, experiment, results
    from robustdr.own.experiment import HOUSE, NAME, TRAIN, Data, Split

    a = arguments
    for option in ("corpus", "queries", "qrels", "train_queries", "train_qrels", "runs"):
        path = getattr(a, option)
        if path is not None and not path.exists():
            raise UserError(f"--{option.replace('_', '-')}: {path}: no such file or directory")
    if a.split == TRAIN or not re.fullmatch("[a-z0-9-]+", a.split):
        raise UserError(f"--split: {a.split!r}; allowed: lower-case letters, digits and hyphens, but not {TRAIN!r}")
    splits = {a.split: Split(a.queries, a.qrels)}
    if a.fix:
        if not (a.train_queries and a.train_qrels):
            raise UserError("--fix: needs --train-queries and --train-qrels, of other queries than those evaluated")
        splits[TRAIN] = Split(a.train_queries, a.train_qrels)
    parse(a.measure)
    if wrong := [p for p in check(a.corpus, splits) if p.severity == "error"]:
        print(*lines(wrong, SHOWN), sep="\n", file=sys.stderr)
        raise UserError(f"{len(wrong)} errors in the files above; `robustdr check` lists all, and can leave some out")
    by_category = experiment.chosen(a.variations)
    model, folder = _model(a), a.output / "config"
    experiment.write(folder, model, Data(a.corpus, splits, a.split), by_category, a.measure, a.fix)
    plan = Plan(load(HOUSE / "config", folder.resolve()), NAME)
    if a.runs:
        _check_runs(plan, a.split, a.output, a.cores)
    measures = plan.measures(plan.pairs(NAME))
    _measure(a.output, [*measures, f"{plan.root}/report/index.html"], a.cores)
    found = results.collect(plan, a.output)
    write_json(a.output / "report.json", found)
    write_text(a.output / "report.md", document.markdown(found))
    write_text(a.output / "index.html", document.html(found))
    print(document.headline(found))
    print(*(a.output / name for name in ("report.md", "index.html")), sep="\n")


def _model(a: argparse.Namespace) -> "Model":
    """What is evaluated.

    Raises:
        UserError: options of a server without one, a URL that is none, or a key that is not set; or see `models.find`.
    """
    from robustdr.core.client import secret
    from robustdr.own import models

    prompts = {role: text for role in ROLES if (text := getattr(a, f"{role}_prompt"))}
    given = {"prompts": prompts or None, **{name: getattr(a, name) for name in ("similarity", "dimension", "key")}}
    how = {name: value for name, value in given.items() if value is not None}
    if how and not a.server:
        raise UserError(f"--server: missing; what is said of {', '.join(how)} is said of a server's model")
    if a.runs:
        return models.ranked(a.runs, a.model)
    if not a.server:
        lengths = {f"{role}_length": getattr(a, f"{role}_length") for role in ROLES}
        return models.find(a.model, lengths)
    if not a.server.startswith(("http://", "https://")):
        raise UserError(f"--server: {a.server!r}; it must begin with http:// or https://")
    secret(a.key or "")
    return models.served(a.server, a.model, how)


def _check_runs(plan: "Plan", split: str, output: Path, cores: int) -> None:
    """Make the queries that the user's system is to be asked, and check that there is a run of each query set.

    Raises:
        UserError: a run that is missing; says where its queries are.
    """
    from robustdr.own.experiment import NAME

    kinds, _ = plan.evaluations(NAME)[NAME, split]
    _measure(output, [plan.query_set(NAME, split, kind) for kind in kinds], cores)
    for kind in kinds:
        try:
            plan.ranking(NAME, 0, (NAME, split), [kind])
        except UserError as error:
            raise UserError(f"{error}; its queries lie in {output / plan.query_set(NAME, split, kind)}") from None


def _measure(output: Path, targets: list[str], cores: int) -> None:
    """Let Snakemake make the targets in a folder of their own, with the project's rules.

    Raises:
        UserError: the last line of what it says when it fails.
    """
    from robustdr.own.experiment import HOUSE

    where = ["--snakefile", f"{HOUSE}/Snakefile", "--directory", f"{output}"]
    where += ["--configfile", f"{output}/config/config.yaml", "--workflow-profile", f"{HOUSE}/profiles/default"]
    how = ["--cores", str(cores), "--quiet"]
    command, line = [sys.executable, "-m", "snakemake", *where, *how, "--", *targets], ""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            print(line, end="", file=sys.stderr)
    if process.returncode:
        raise UserError(f"{output}: the workflow stopped: {line.strip()}")
