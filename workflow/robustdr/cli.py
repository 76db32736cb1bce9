"""`robustdr`: what people call, to audit a paper or to vary queries."""

import argparse
import json
import os
from pathlib import Path
from typing import NoReturn

from robustdr.core.errors import exit_status, redacted
from robustdr.core.paths import check_streams, named, read_once, written


def vary(a: argparse.Namespace) -> None:
    from robustdr.variations import command

    command.vary(a.queries, a.output, a.statistics, a.variation, a.parameters, a.seed, a.tokenizer, a.workers, a.models)


def rerank(a: argparse.Namespace) -> None:
    from robustdr.retrieval.rerank import rerank

    rerank(a.model, a.run, a.queries, a.corpus, a.depth, a.output)


def convert(a: argparse.Namespace) -> None:
    from robustdr.encoding.convert import convert

    convert(a.folder, a.output)


def compare(a: argparse.Namespace) -> None:
    from robustdr.reporting.comparison import write_comparison

    print(write_comparison(a.first, a.second, a.output))


def controls(a: argparse.Namespace) -> int:
    from robustdr.reporting.gate import gate

    text, failing = gate(a.folder)
    print(text, end="")
    return 1 if failing else 0


def export(a: argparse.Namespace) -> None:
    from robustdr.training.tevatron import export

    export(a.data, a.corpus, a.output)


def verify(a: argparse.Namespace) -> int:
    from robustdr.keys.integrity import damaged

    faults = [fault for path in a.paths for fault in damaged(path)]
    print("\n".join(faults) or "nothing is damaged")
    return 1 if faults else 0


def schemas(a: argparse.Namespace) -> None:
    from robustdr.experiments.reference import write

    print("\n".join(map(str, write(a.folder))))


def list_variations(a: argparse.Namespace) -> None:
    from inspect import getdoc

    from robustdr import variations

    for found in map(variations.kind, variations.names()):
        print(f"{found.name} ({found.category}; {', '.join(found.papers) or 'no paper'}; needs {found.needs})")
        summary, _, _ = (getdoc(found) or "").partition("\n\n")
        print(f"    {' '.join(summary.split())}")


class Parser(argparse.ArgumentParser):
    """Prints no secret that it was given by mistake."""

    def error(self, message: str) -> NoReturn:
        super().error(redacted(message))


def parser() -> argparse.ArgumentParser:
    """The options of every command."""
    from robustdr.audit import command as audit
    from robustdr.collections import command as check
    from robustdr.evidence import command as evidence
    from robustdr.own import command as own
    from robustdr.preflight import command as preflight
    from robustdr.transcribe import command as transcribe
    from robustdr.transcribe import review

    made = Parser(prog="robustdr", description="Robustness of dense retrieval: reproduce and audit.")
    commands = made.add_subparsers(required=True, metavar="command")
    command = commands.add_parser("audit", help="check reported numbers against each other")
    command.set_defaults(function=audit.run)
    audit.add_arguments(command)
    text = "how robust is your own retriever, on your own data?"
    command = commands.add_parser("evaluate", help=text, description=text.capitalize())
    command.set_defaults(function=own.run)
    own.add_arguments(command)
    text = "draft a reported.yaml from the tables of a LaTeX, HTML, Markdown, CSV or Word file"
    command = commands.add_parser("transcribe", help=text, description=text.capitalize() + ".")
    command.set_defaults(function=transcribe.run)
    transcribe.add_arguments(command)
    text = "read all tables of a paper, check them, and show each number beside its place in the source"
    command = commands.add_parser("review", help=text, description=text.capitalize() + ".")
    command.set_defaults(function=review.run)
    review.add_arguments(command)
    text = "find all problems of a data set at once, in its files and lines"
    command = commands.add_parser("check", help=text, description=f"{text.capitalize()}.")
    command.set_defaults(function=check.run)
    check.add_arguments(command)
    command = commands.add_parser("vary", help="vary your own queries", description="Vary the queries of a file.")
    command.set_defaults(function=vary)
    text = "TSV (qid<TAB>text), JSONL or Parquet, or irds:ID of ir_datasets; -: TSV on standard input"
    command.add_argument("queries", type=read_once, help=text)
    command.add_argument("-o", "--output", type=written, required=True, help="TSV file to write; -: print it")
    command.add_argument("--variation", required=True, help="a generator; see `robustdr variations list`")
    command.add_argument("--seed", type=int, default=0, help="default: 0")
    command.add_argument("--parameters", type=json.loads, default={}, help="JSON object of the generator's parameters")
    command.add_argument("--statistics", type=written, help="JSON file for what was changed and by how much")
    command.add_argument(
        "--tokenizer", type=named, help="a model folder or tokenizer.json: counts changes that it sees"
    )
    command.add_argument(
        "--model",
        type=named,
        action="append",
        default=[],
        dest="models",
        help="sentence-transformers folder: similarity",
    )
    command.add_argument("--workers", type=int, default=1, help="processes; default: 1; the output is the same")
    command = commands.add_parser("variations", help="list the query variation generators")
    command.set_defaults(function=list_variations)
    command.add_argument("list", choices=["list"])
    command = commands.add_parser(
        rerank.__name__, help="rank the passages of a run anew", description="Rank a run anew."
    )
    command.set_defaults(function=rerank)
    command.add_argument("--model", type=named, required=True, help="folder of a cross-encoder or dual encoder")
    command.add_argument("--run", type=read_once, required=True, help="TREC run; gzipped as .gz")
    command.add_argument("--queries", type=read_once, required=True, help="as those of `vary`")
    command.add_argument("--corpus", type=named, required=True, help="as that of `check`")
    command.add_argument("--depth", type=int, default=100, help="passages of a query that are ranked; default: 100")
    command.add_argument("-o", "--output", type=written, required=True, help="TREC run to write; gzipped as .gz")
    command = commands.add_parser(
        "convert-weights", help="turn released pickled weights into safetensors", description="Convert weights."
    )
    command.set_defaults(function=convert)
    command.add_argument("folder", type=named, help="with pytorch_model.bin, config.json, files of a tokenizer")
    command.add_argument("output", type=named, help="folder to write")
    text = "list all that a target lacks before a job runs: downloads, models, keys, room; exit status 1 if it is any"
    command = commands.add_parser("preflight", help=text, description=f"{text.capitalize()}.")
    command.set_defaults(function=preflight.run)
    preflight.add_arguments(command)
    text = "keep finished runs in the ledger evidence/, so that runs of several evenings and machines add up"
    command = commands.add_parser("evidence", help=text, description=f"{text.capitalize()}.")
    evidence.add_arguments(command)
    text = "show two results folders side by side, of two commits or scales"
    command = commands.add_parser(compare.__name__, help=text, description=f"{text.capitalize()}.")
    command.set_defaults(function=compare)
    command.add_argument("first", type=named, help="a results folder, such as results/mini: A on the pages")
    command.add_argument("second", type=named, help="another one: B")
    command.add_argument("-o", "--output", type=named, required=True, help="folder of the pages; open its index.html")
    text = "list the controls of a results folder: what any valid setting must show; exit status 1 if one fails"
    command = commands.add_parser(controls.__name__, help=text, description=text.capitalize() + ".")
    command.set_defaults(function=controls)
    command.add_argument("folder", type=named, help="a results folder, such as results/mini")
    command = commands.add_parser("export", help="write a training file for another toolkit", description="Export.")
    command.set_defaults(function=export)
    command.add_argument("format", choices=["tevatron"], help="JSONL with the texts of all passages")
    command.add_argument("data", type=named, help="training file, results/…/training/COLLECTION/SYSTEM/seedN.jsonl")
    command.add_argument("--corpus", type=named, required=True, help="results/…/collections/COLLECTION/corpus.jsonl")
    command.add_argument("-o", "--output", type=written, required=True, help="JSONL to write")
    text = "hash artifacts again and list the damaged; exit status 1 if there are any"
    command = commands.add_parser("verify", help=text, description=text.capitalize() + ".")
    command.set_defaults(function=verify)
    command.add_argument(
        "paths", type=named, nargs="+", metavar="PATH", help="an artifact, or a folder such as results"
    )
    text = "write the JSON schemas of a configuration, for editors, and the tables of keys in its README.md"
    command = commands.add_parser(schemas.__name__, help=text, description=text.capitalize() + ".")
    command.set_defaults(function=schemas)
    command.add_argument("folder", type=named, nargs="?", default=Path("config"), help="default: config")
    return made


def main(argv: list[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit status 2."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    arguments = parser().parse_args(argv)

    def run() -> int | None:
        check_streams(arguments)
        status: int | None = arguments.function(arguments)
        return status

    return exit_status(run)
