"""The stages that the rules call: what each runs, and its options.

A stage imports its module when it runs: starting torch to audit a table would cost more than the audit.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from robustdr.integrity import record, verify


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
    if os.environ.get("RANK", "0") == "0":  # the process of torchrun that writes
        for made in (folder, *snapshots.values()):
            record(made)


def embed(a: argparse.Namespace) -> None:
    from robustdr.retrieval.embeddings import write_embeddings

    passages = json.loads(a.card.read_text(encoding="utf-8"))["passages"]["count"]
    write_embeddings(a.settings, a.model, a.corpus, passages, a.shard, a.shards, a.output)
    record(a.output, a.output.with_suffix(".ids"))


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
    record(a.output.with_suffix(".json"))


def page(a: argparse.Namespace) -> None:
    from robustdr.reporting.page import write_page

    write_page(a.settings, a.tables, a.figures, a.claims, a.output)


def headline(a: argparse.Namespace) -> None:
    from robustdr.reporting.headline import write_headline

    write_headline(a.measures, a.tables, a.output, a.drops)


def validate_labels(a: argparse.Namespace) -> None:
    from robustdr.audit.validation import write_validation

    write_validation(a.table, a.labels, a.reported, a.output)


Option = dict[str, Any]
PATH: Option = {"type": Path}
PATHS: Option = {**PATH, "nargs": "*"}
# Artifacts: those that a stage reads are checked first, those that it made are recorded last (robustdr.integrity).
READ: Option = {"type": Path, "metavar": "INPUT"}
READS: Option = {**READ, "nargs": "*"}
MADE: Option = {"type": Path, "metavar": "OUTPUT"}
MADES: Option = {**MADE, "nargs": "*"}
JSON: Option = {"type": json.loads}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}

# Stages of the workflow: function, help, options by name. A * marks those that may be left out.
STAGES: dict[str, tuple[Callable[[argparse.Namespace], None], str, dict[str, Option]]] = {
    "corpus": (corpus, "write a collection's passages", {"source": JSON, "output": MADE}),
    "split": (
        split,
        "write a split's queries and judgements",
        {"source": JSON, "split": TEXT, "queries": MADE, "qrels": MADE},
    ),
    "card": (
        card,
        "check a collection and describe it",
        {"source": JSON, "corpus*": READ, "splits": TEXTS, "queries": READS, "qrels": READS, "output": MADE},
    ),
    "vary-split": (
        vary_split,
        "vary the queries of a split",
        {"settings": JSON, "tokenizer": READ, "queries": READ, "output": MADE, "statistics": MADE},
    ),
    "checkpoint": (checkpoint, "write an initial checkpoint", {"settings": JSON, "key": TEXT, "output": MADE}),
    "training-data": (
        training_data,
        "write a recipe's training file",
        {
            "settings": JSON,
            "seed": INT,
            "passages*": {**READ, "nargs": 3, "help": "corpus, qrels and run that passages are chosen from"},
            "queries": READ,
            "variations": READS,
            "tokenizer": READ,
            "output": MADE,
        },
    ),
    "train": (
        train,
        "train a model",
        {
            "settings": JSON,
            "seed": INT,
            "key": TEXT,
            "data": READ,
            "initial": READ,
            "resume": PATH,
            "teacher*": READ,
            "teacher-embeddings*": READS,
            "snapshots*": INTS,
            "output": PATH,
        },
    ),
    "embed": (
        embed,
        "encode one shard of a corpus",
        {"settings": JSON, "model": READ, "corpus": READ, "card": READ, "shard": INT, "shards": INT, "output": PATH},
    ),
    "search": (
        search,
        "search all query sets with a dense retriever",
        {
            "settings": JSON,
            "keys": TEXTS,
            "tag": TEXT,
            "collection": TEXT,
            "model": READ,
            "corpus": READ,
            "embeddings": READS,
            "queries": READS,
            "runs": MADES,
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
            "corpus": READ,
            "queries": READS,
            "runs": MADES,
        },
    ),
    "evaluate": (
        evaluate,
        "evaluate all runs of one model",
        {"settings": JSON, "key": TEXT, "runs": READS, "qrels": READS, "output": MADE},
    ),
    "table": (
        table,
        "write a table, reported beside reproduced",
        {
            "settings": JSON,
            "measures": READS,
            "statistics": READS,
            "costs": PATHS,
            "reported*": PATH,
            "output": MADE,
        },
    ),
    "figure": (
        figure,
        "draw a figure",
        {"settings": JSON, "measures": READS, "reported*": PATH, "output": MADE},
    ),
    "claims": (claims, "judge a paper's claims", {"settings": JSON, "measures": READS, "claims": PATH, "output": MADE}),
    "validate-labels": (
        validate_labels,
        "count Table 2 or 3 of qvg from its released labels",
        {"table": TEXT, "labels": PATH, "reported": PATH, "output": PATH},
    ),
    "page": (
        page,
        "write the report page",
        {"settings": JSON, "tables": READS, "figures": READS, "claims": READS, "output": PATH},
    ),
    "headline": (
        headline,
        "write the headline measures of a scale",
        {"measures": JSON, "tables": READS, "output": MADE, "drops": MADE},
    ),
}


def run_stage(
    function: Callable[[argparse.Namespace], None], options: dict[str, Option], a: argparse.Namespace
) -> None:
    """Run a stage between the check of what it reads and the record of what it made."""

    def given(role: str) -> Iterator[Path]:
        for option in (option for option, kind in options.items() if kind.get("metavar") == role):
            value = getattr(a, option.rstrip("*").replace("-", "_")) or []
            yield from value if isinstance(value, list) else [value]

    verify(given("INPUT"))
    function(a)
    for made in given("OUTPUT"):
        record(made)
