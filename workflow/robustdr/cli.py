"""`robustdr <stage> …`: what the rules call, and what a person calls to vary queries or to audit a paper."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from robustdr.audit import command as audit
from robustdr.errors import UserError

# A stage imports its module when it runs: starting torch to audit a table would cost more than the audit.


def corpus(a: argparse.Namespace) -> None:
    from robustdr.collections import write_corpus

    print(write_corpus(a.source, a.output))


def split(a: argparse.Namespace) -> None:
    from robustdr.collections import write_split

    print(write_split(a.source, a.split, a.queries, a.qrels))


def card(a: argparse.Namespace) -> None:
    from robustdr.collections import write_card

    splits = dict(zip(a.splits, zip(a.queries, a.qrels, strict=True), strict=True))
    write_card(a.source, a.corpus, splits, a.output)


def vary_split(a: argparse.Namespace) -> None:
    from robustdr.variations import run

    run(a.queries, a.output, a.statistics, tokenizer=a.tokenizer, **a.settings)


def vary(a: argparse.Namespace) -> None:
    from robustdr.variations import run

    run(a.queries, a.output, a.statistics, a.variation, a.parameters, a.seed, a.tokenizer, a.workers, a.models)


def list_variations(a: argparse.Namespace) -> None:
    from robustdr.variations import catalogue

    for entry in catalogue():
        papers = ", ".join(entry["papers"]) or "no paper"
        print(f"{entry['name']} ({entry['category']}; {papers}; needs {entry['needs']})")
        summary, _, _ = entry["rule"].partition("\n\n")
        print(f"    {' '.join(summary.split())}")


def checkpoint(a: argparse.Namespace) -> None:
    from robustdr.encoding.checkpoint import write_checkpoint

    write_checkpoint(a.settings, a.key, a.output)


def training_data(a: argparse.Namespace) -> None:
    from robustdr.training.data import write_training_data

    write_training_data(a.settings, a.seed, a.queries, a.variations, a.tokenizer, a.output, a.passages)


def train(a: argparse.Namespace) -> None:
    from robustdr.training.loop import train

    folder = a.output
    snapshots = {
        percent / 100: folder.parent.parent / f"{folder.parent.name}.at{percent}" / folder.name
        for percent in a.snapshots
    }
    train(
        a.settings,
        a.seed,
        a.key,
        a.data,
        a.initial,
        folder,
        a.resume,
        a.teacher,
        a.teacher_embeddings,
        snapshots,
    )


def embed(a: argparse.Namespace) -> None:
    from robustdr.retrieval.embeddings import write_embeddings

    passages = json.loads(a.card.read_text(encoding="utf-8"))["passages"]["count"]
    write_embeddings(a.settings, a.model, a.corpus, passages, a.shard, a.shards, a.output)


def search(a: argparse.Namespace) -> None:
    from robustdr.retrieval.search import search_dense

    search_dense(a.settings, a.keys, a.tag, a.collection, a.model, a.corpus, a.embeddings, a.queries, a.runs)


def bm25(a: argparse.Namespace) -> None:
    from robustdr.retrieval.bm25 import search_bm25

    search_bm25(a.settings, a.keys, a.tag, a.collection, a.corpus, a.queries, a.runs)


def evaluate(a: argparse.Namespace) -> None:
    from robustdr.evaluation.measures import write_measures

    query_sets = a.settings["measures"]
    write_measures(a.settings, a.key, dict(zip(query_sets, zip(a.runs, a.qrels, strict=True), strict=True)), a.output)


def table(a: argparse.Namespace) -> None:
    from robustdr.reporting.tables import write_table

    write_table(a.settings, a.measures, a.statistics, a.reported, a.costs, a.output)


def figure(a: argparse.Namespace) -> None:
    from robustdr.reporting.figures import write_figure

    write_figure(a.settings, a.measures, a.reported, a.output)


def claims(a: argparse.Namespace) -> None:
    from robustdr.reporting.claims import write_claims

    write_claims(a.settings, a.measures, a.claims, a.output)


def page(a: argparse.Namespace) -> None:
    from robustdr.reporting.page import write_page

    write_page(a.settings, a.tables, a.figures, a.claims, a.output)


def validate_labels(a: argparse.Namespace) -> None:
    from robustdr.audit.validation import write_validation

    write_validation(a.table, a.labels, a.reported, a.output)


Option = dict[str, Any]
PATH: Option = {"type": Path}
PATHS: Option = {"type": Path, "nargs": "*"}
JSON: Option = {"type": json.loads}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}

# Stages of the workflow: function, help, options by name. A * marks those that may be left out.
STAGES: dict[str, tuple[Callable[[argparse.Namespace], None], str, dict[str, Option]]] = {
    "corpus": (corpus, "write a collection's passages", {"source": JSON, "output": PATH}),
    "split": (
        split,
        "write a split's queries and judgements",
        {"source": JSON, "split": TEXT, "queries": PATH, "qrels": PATH},
    ),
    "card": (
        card,
        "check a collection and describe it",
        {"source": JSON, "corpus*": PATH, "splits": TEXTS, "queries": PATHS, "qrels": PATHS, "output": PATH},
    ),
    "vary-split": (
        vary_split,
        "vary the queries of a split",
        {"settings": JSON, "tokenizer": PATH, "queries": PATH, "output": PATH, "statistics": PATH},
    ),
    "checkpoint": (checkpoint, "write an initial checkpoint", {"settings": JSON, "key": TEXT, "output": PATH}),
    "training-data": (
        training_data,
        "write a recipe's training file",
        {
            "settings": JSON,
            "seed": INT,
            "passages*": {"type": Path, "nargs": 3, "metavar": ("CORPUS", "QRELS", "RUN")},
            "queries": PATH,
            "variations": PATHS,
            "tokenizer": PATH,
            "output": PATH,
        },
    ),
    "train": (
        train,
        "train a model",
        {
            "settings": JSON,
            "seed": INT,
            "key": TEXT,
            "data": PATH,
            "initial": PATH,
            "resume": PATH,
            "teacher*": PATH,
            "teacher-embeddings*": PATHS,
            "snapshots*": INTS,
            "output": PATH,
        },
    ),
    "embed": (
        embed,
        "encode one shard of a corpus",
        {"settings": JSON, "model": PATH, "corpus": PATH, "card": PATH, "shard": INT, "shards": INT, "output": PATH},
    ),
    "search": (
        search,
        "search all query sets with a dense retriever",
        {
            "settings": JSON,
            "keys": TEXTS,
            "tag": TEXT,
            "collection": TEXT,
            "model": PATH,
            "corpus": PATH,
            "embeddings": PATHS,
            "queries": PATHS,
            "runs": PATHS,
        },
    ),
    "bm25": (
        bm25,
        "search all query sets with BM25",
        {
            "settings": JSON,
            "keys": TEXTS,
            "tag": TEXT,
            "collection": TEXT,
            "corpus": PATH,
            "queries": PATHS,
            "runs": PATHS,
        },
    ),
    "evaluate": (
        evaluate,
        "evaluate all runs of one model",
        {"settings": JSON, "key": TEXT, "runs": PATHS, "qrels": PATHS, "output": PATH},
    ),
    "table": (
        table,
        "write a table, reported beside reproduced",
        {
            "settings": JSON,
            "measures": PATHS,
            "statistics": PATHS,
            "costs": PATHS,
            "reported*": PATH,
            "output": PATH,
        },
    ),
    "figure": (
        figure,
        "draw a figure",
        {"settings": JSON, "measures": PATHS, "reported*": PATH, "output": PATH},
    ),
    "claims": (claims, "judge a paper's claims", {"settings": JSON, "measures": PATHS, "claims": PATH, "output": PATH}),
    "validate-labels": (
        validate_labels,
        "count Table 2 or 3 of qvg from its released labels",
        {"table": TEXT, "labels": PATH, "reported": PATH, "output": PATH},
    ),
    "page": (
        page,
        "write the report page",
        {"settings": JSON, "tables": PATHS, "figures": PATHS, "claims": PATHS, "output": PATH},
    ),
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="robustdr", description="Robustness of dense retrieval: reproduce and audit.")
    commands = made.add_subparsers(required=True, metavar="command")
    for name, (function, text, options) in STAGES.items():
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(function=function)
        for option, kind in options.items():
            command.add_argument(f"--{option.rstrip('*')}", required=not option.endswith("*"), **kind)
    command = commands.add_parser("vary", help="vary your own queries", description="Vary the queries of a file.")
    command.set_defaults(function=vary)
    command.add_argument("queries", help="TSV (qid<TAB>text), JSONL, or an ir_datasets id as irds:<id>")
    command.add_argument("-o", "--output", type=Path, required=True, help="TSV file to write")
    command.add_argument("--variation", required=True, help="a generator; see `robustdr variations list`")
    command.add_argument("--seed", type=int, default=0, help="default: 0")
    command.add_argument("--parameters", type=json.loads, default={}, help="JSON object of the generator's parameters")
    command.add_argument("--statistics", type=Path, help="JSON file for what was changed and by how much")
    command.add_argument("--tokenizer", type=Path, help="a model folder or tokenizer.json: counts changes that it sees")
    command.add_argument(
        "--model",
        type=Path,
        action="append",
        default=[],
        dest="models",
        help="sentence-transformers folder: similarity",
    )
    command.add_argument("--workers", type=int, default=1, help="processes; default: 1; the output is the same")
    command = commands.add_parser("variations", help="list the query variation generators")
    command.set_defaults(function=list_variations)
    command.add_argument("list", choices=["list"])
    command = commands.add_parser("audit", help="check reported numbers against each other")
    command.set_defaults(function=audit.run)
    audit.add_arguments(command)
    return made


def main(argv: list[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit status 2."""
    # A model or a list that is not on this machine is named in the configuration, never fetched behind its back.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    arguments = parser().parse_args(argv)
    try:
        return arguments.function(arguments) or 0
    except UserError as error:
        print(f"robustdr: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, SafetensorError) as error:
        print(f"robustdr: {' '.join(str(error).split())}; nothing was left half-written", file=sys.stderr)
        return 2
