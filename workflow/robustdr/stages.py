"""The stages that the rules call: what each runs, and its options.

A stage imports its modules when it runs: starting torch to audit a table would cost more than the audit. What its
function names is the code that its key covers (robustdr.provenance).
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.integrity import hardware, record, verify

Option = dict[str, Any]
# Artifacts to record besides the OUTPUT options: each a path, and the files that belong to it.
Made = list[tuple[Path, ...]] | None
PATH: Option = {"type": Path}
PATHS: Option = {**PATH, "nargs": "*"}
# Artifacts: those that a stage reads are checked first, those that it made are recorded last (robustdr.integrity).
READ: Option = {"type": Path, "metavar": "INPUT"}
READS: Option = {**READ, "nargs": "*"}
MADE: Option = {"type": Path, "metavar": "OUTPUT"}
MADES: Option = {**MADE, "nargs": "*"}
TEXT: Option = {}
TEXTS: Option = {"nargs": "*"}
INT: Option = {"type": int}
INTS: Option = {"type": int, "nargs": "*", "default": []}
# Of the stages that load code by name: what their key covers (robustdr.provenance.Code).
CODE: Option = {"nargs": "+", "help": "the stage and the modules that it loads by name"}
PACKAGES: Option = {"nargs": "*", "help": "packages that are loaded by name alone"}


class Stage(NamedTuple):
    """A stage: its function, its help, and its options by name, where `_` stands for `-`.

    A final `_` marks an option that may be left out.
    """

    function: Callable[[argparse.Namespace], Made]
    text: str
    options: dict[str, Option]


STAGES: dict[str, Stage] = {}


def stage(text: str, **options: Option) -> Callable[[Callable[[argparse.Namespace], Made]], Any]:
    """Register a function as the stage of its name."""

    def register(function: Callable[[argparse.Namespace], Made]) -> Callable[[argparse.Namespace], Made]:
        STAGES[function.__name__.replace("_", "-")] = Stage(function, text, options)
        return function

    return register


@stage("write a collection's passages", code=CODE, source=TEXT, output=PATH)
def corpus(a: argparse.Namespace) -> Made:
    from robustdr.collections import write_corpus
    from robustdr.collections.rows import rows_of
    from robustdr.collections.settings import Source
    from robustdr.settings import read

    print(write_corpus(read(Source, a.source), a.output))
    return [(a.output, rows_of(a.output))]


@stage("write a split's queries and what judges them", code=CODE, source=TEXT, split=TEXT, output=MADES)
def split(a: argparse.Namespace) -> Made:
    from robustdr.collections import write_split
    from robustdr.collections.settings import Source
    from robustdr.settings import read

    print(write_split(read(Source, a.source), a.split, a.output))
    return None


@stage(
    "check a collection and describe it",
    source=TEXT,
    corpus_=READ,
    splits={**READS, "help": "all files of all splits"},
    output=MADE,
)
def card(a: argparse.Namespace) -> Made:
    from robustdr.collections.card import write_card
    from robustdr.collections.settings import Source
    from robustdr.settings import read

    splits: dict[str, list[Path]] = {}
    for path in a.splits:
        splits.setdefault(path.parent.name, []).append(path)
    write_card(read(Source, a.source), a.corpus, splits, a.output)
    return None


@stage(
    "vary the queries of a split",
    code=CODE,
    packages_=PACKAGES,
    settings=TEXT,
    tokenizer_={**READ, "help": "counts the changes that it sees"},
    queries=READ,
    output={**MADES, "help": "of a generator of several versions, one of each"},
    statistics=MADES,
    shards_={**READS, "help": "the queries varied already, in order; of a generator of one version"},
    split_={**MADES, "help": "which version of each query attacks, of a generator of several"},
    key_=TEXT,
)
def vary_split(a: argparse.Namespace) -> Made:
    from dataclasses import replace

    from robustdr.files import read_queries, write_json
    from robustdr.settings import read
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run
    from robustdr.variations.settings import VariationSettings

    settings = read(VariationSettings, a.settings)
    generator, queries = build(find(settings.generator), settings.parameters), read_queries(a.queries)
    generator.check()
    shards = a.shards or []
    if not shards:
        generator.fetch(queries)
    for version, (output, statistics) in enumerate(zip(a.output, a.statistics, strict=True)):
        versions: dict[str, Any] = {"version": version} if version else {}
        variation = replace(generator, **versions) if versions else generator
        run(queries, output, statistics, variation, settings.seed, a.tokenizer, shards=shards)
    for path in a.split or []:
        write_json(path, {"key": a.key, "attacks": generator.split(queries, settings.seed)})
    return None


@stage(
    "vary one shard of a split's queries",
    code=CODE,
    packages_=PACKAGES,
    settings=TEXT,
    queries=READ,
    shard=INT,
    shards=INT,
    output=MADE,
)
def vary_shard(a: argparse.Namespace) -> Made:
    from robustdr.files import read_queries
    from robustdr.settings import read
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run, shard_of
    from robustdr.variations.settings import VariationSettings

    settings = read(VariationSettings, a.settings)
    generator, queries = build(find(settings.generator), settings.parameters), read_queries(a.queries)
    generator.check()
    generator.fetch(queries)
    run(shard_of(queries, a.shard, a.shards), a.output, None, generator, settings.seed)
    return None


@stage("write an initial checkpoint", code=CODE, packages_=PACKAGES, settings=TEXT, key=TEXT, output=MADE)
def checkpoint(a: argparse.Namespace) -> Made:
    from robustdr.encoding.checkpoint import write_checkpoint
    from robustdr.encoding.settings import CheckpointSettings
    from robustdr.settings import read

    write_checkpoint(read(CheckpointSettings, a.settings), a.key, a.output)
    return None


@stage(
    "write a recipe's training file",
    settings=TEXT,
    seed=INT,
    corpus_=READ,
    qrels_=READ,
    run_={**READ, "help": "where hard negatives come from; without it, judged passages graded 0"},
    answers_={**READ, "help": "no passage of the run with one of these is a negative"},
    queries=READ,
    variations=READS,
    tokenizer=READ,
    output=MADE,
)
def training_data(a: argparse.Namespace) -> Made:
    from robustdr.settings import read
    from robustdr.training.data import write_training_data
    from robustdr.training.settings import TrainingDataSettings

    files = {name: getattr(a, name) for name in ("corpus", "qrels", "run", "answers") if getattr(a, name)}
    settings = read(TrainingDataSettings, a.settings)
    write_training_data(settings, a.seed, a.queries, a.variations, a.tokenizer, a.output, files)
    return None


@stage(
    "train a model",
    code=CODE,
    packages_=PACKAGES,
    trains={"help": "the module of what is trained"},
    settings=TEXT,
    seed=INT,
    key=TEXT,
    data=READ,
    initial=READ,
    resume=PATH,
    teacher_=READS,
    teacher_embeddings_=READS,
    teacher_scores_=READS,
    corpus_=READS,
    snapshots_=INTS,
    output=PATH,
)
def train(a: argparse.Namespace) -> Made:
    from importlib import import_module

    from robustdr.settings import read
    from robustdr.training.loop import train

    folder = a.output
    snapshots = {
        percent / 100: folder.parent.parent / f"{folder.parent.name}.at{percent}" / folder.name
        for percent in a.snapshots
    }
    files = {name: getattr(a, name) for name in ("teacher", "teacher_embeddings", "teacher_scores", "corpus")}
    settings = read(import_module(a.trains).Settings, a.settings)
    train(a.trains, settings, a.seed, a.key, a.data, a.initial, folder, a.resume, files, snapshots)
    writes = os.environ.get("RANK", "0") == "0"  # of the processes of torchrun
    return [(made,) for made in (folder, *snapshots.values())] if writes else None


@stage(
    "score a training file's passages as a teacher",
    code=CODE,
    settings=TEXT,
    model=READ,
    data=READ,
    corpus=READ,
    output=MADE,
)
def score(a: argparse.Namespace) -> Made:
    from robustdr.settings import read
    from robustdr.training.scoring import write_scores
    from robustdr.training.settings import ScoreSettings

    write_scores(read(ScoreSettings, a.settings), a.model, a.data, a.corpus, a.output)
    return None


@stage("compare queries with their variations", threads=INT, model=READ, queries=READ, varied=READS, output=MADE)
def similarity(a: argparse.Namespace) -> Made:
    from robustdr.variations.similarity import write_similarity

    write_similarity(a.threads, a.model, a.queries, a.varied, a.output)
    return None


@stage(
    "encode one shard of a corpus",
    settings=TEXT,
    model=READ,
    corpus=READ,
    card=READ,
    shard=INT,
    shards=INT,
    output=PATH,
)
def embed(a: argparse.Namespace) -> Made:
    from robustdr.retrieval.embeddings import write_embeddings
    from robustdr.retrieval.settings import EmbedSettings
    from robustdr.settings import read

    passages = json.loads(a.card.read_text(encoding="utf-8"))["passages"]["count"]
    settings = read(EmbedSettings, a.settings)
    write_embeddings(settings, a.model, a.corpus, passages, a.shard, a.shards, a.output)
    return [(a.output, a.output.with_suffix(".ids"))]


@stage("index a corpus for BM25", settings=TEXT, corpus=READ, output=MADE)
def index(a: argparse.Namespace) -> Made:
    from robustdr.retrieval.bm25_index import write_index
    from robustdr.retrieval.settings import BM25IndexSettings
    from robustdr.settings import read

    write_index(read(BM25IndexSettings, a.settings), a.corpus, a.output)
    return None


@stage("make the compressed index of one shard of vectors", factory=TEXT, vectors=READ, output=PATH)
def compress(a: argparse.Namespace) -> Made:
    from robustdr.retrieval.compressed import write_index

    write_index(a.factory, a.vectors, a.output)
    return [(a.output, a.output.with_suffix(".ids"), a.output.with_suffix(".json"))]


@stage(
    "rank the passages for all query sets of one system",
    code=CODE,
    ranks={"help": "the module that ranks"},
    settings=TEXT,
    keys=TEXTS,
    tag=TEXT,
    collection=TEXT,
    corpus=READ,
    model_=READS,
    embeddings_=READS,
    index_=READS,
    compressed_=READS,
    vectors_={**PATHS, "help": "what each compressed index is of: by its record, as it may be large"},
    candidates_=READS,
    judged_={**READS, "help": "qrels whose passages are ranked, and no others"},
    queries=READS,
    runs=PATHS,
    trec={**PATHS, "help": "the same runs as TREC files, for people"},
)
def rank(a: argparse.Namespace) -> Made:
    from robustdr.retrieval.rank import write_runs

    kinds = ("model", "embeddings", "index", "compressed", "vectors", "candidates", "judged")
    files = {name: getattr(a, name) or [] for name in kinds}
    write_runs(a.ranks, a.settings, a.keys, a.tag, a.collection, a.corpus, files, a.queries, a.runs, a.trec)
    return [(run, *a.trec[number : number + 1]) for number, run in enumerate(a.runs)]


@stage(
    "evaluate all runs of one model",
    settings=TEXT,
    key=TEXT,
    runs=READS,
    judgements=READS,
    corpus_=READ,
    output=MADE,
)
def evaluate(a: argparse.Namespace) -> Made:
    from robustdr.evaluation.measures import write_measures
    from robustdr.evaluation.settings import EvaluateSettings
    from robustdr.settings import read

    settings = read(EvaluateSettings, a.settings)
    runs = dict(zip(settings.measures, zip(a.runs, a.judgements, strict=True), strict=True))
    write_measures(settings, a.key, runs, a.output, a.corpus)
    return None


@stage(
    "write a table, reported beside reproduced",
    settings=TEXT,
    measures=READS,
    statistics=READS,
    queries=READS,
    costs=PATHS,
    reported_=PATH,
    output=MADE,
)
def table(a: argparse.Namespace) -> Made:
    from robustdr.reporting.settings import TableSettings
    from robustdr.reporting.tables import write_table
    from robustdr.settings import read

    write_table(read(TableSettings, a.settings), a.measures, a.statistics, a.queries, a.reported, a.costs, a.output)
    return None


@stage("draw a figure", settings=TEXT, measures=READS, reported_=PATH, output=MADE)
def figure(a: argparse.Namespace) -> Made:
    from robustdr.reporting.figures import write_figure
    from robustdr.reporting.settings import FigureSettings
    from robustdr.settings import read

    write_figure(read(FigureSettings, a.settings), a.measures, a.reported, a.output)
    return None


@stage("judge a paper's claims", settings=TEXT, measures=READS, claims=PATH, reported_=PATH, output=MADE)
def claims(a: argparse.Namespace) -> Made:
    from robustdr.reporting.claims import write_claims
    from robustdr.reporting.settings import ClaimsSettings
    from robustdr.settings import read

    write_claims(read(ClaimsSettings, a.settings), a.measures, a.claims, a.reported, a.output)
    return [(a.output.with_suffix(".json"),)]


@stage("count Table 2 or 3 of qvg from its released labels", table=TEXT, labels=PATH, reported=PATH, output=PATH)
def validate_labels(a: argparse.Namespace) -> Made:
    from robustdr.audit.validation import write_validation

    write_validation(a.table, a.labels, a.reported, a.output)
    return None


@stage(
    "write the queries behind a system's cells",
    settings=TEXT,
    measures=READS,
    runs=READS,
    judgements=READS,
    queries={**READS, "help": "the original ones of each split"},
    corpus_=READ,
    output=PATH,
)
def queries(a: argparse.Namespace) -> Made:
    from robustdr.reporting.queries import write_queries
    from robustdr.reporting.settings import QueriesSettings
    from robustdr.settings import read

    settings = read(QueriesSettings, a.settings)
    write_queries(settings, a.measures, a.runs, a.judgements, a.queries, a.corpus, a.output)
    return None


@stage(
    "write the texts of a collection's queries and of the passages that the report shows",
    explored={**PATHS, "help": "what the stage `queries` wrote"},
    queries={**READS, "help": "original and varied"},
    corpus=READ,
    output={**PATH, "help": "the texts of the queries"},
    passages={**PATHS, "help": "scripts that share the passages"},
)
def texts(a: argparse.Namespace) -> Made:
    from robustdr.reporting.texts import write_texts

    write_texts(a.explored, a.queries, a.corpus, a.output, a.passages)
    return None


@stage(
    "write the report",
    settings=TEXT,
    tables=READS,
    figures=READS,
    claims=READS,
    audits=PATHS,
    output={**PATH, "help": "its first page; the others lie beside it"},
)
def site(a: argparse.Namespace) -> Made:
    from robustdr.reporting.settings import SiteSettings
    from robustdr.reporting.site import write_site
    from robustdr.settings import read

    write_site(read(SiteSettings, a.settings), a.tables, a.figures, a.claims, a.audits, a.output)
    return None


@stage("write the verdicts on all claims in one document", commit=TEXT, claims=READS, output=PATH)
def findings(a: argparse.Namespace) -> Made:
    from robustdr.reporting.findings import write_findings

    write_findings(a.commit, a.claims, a.output)
    return None


@stage("write the headline measures of a scale", measures={"type": json.loads}, tables=READS, output=MADE, drops=MADE)
def headline(a: argparse.Namespace) -> Made:
    from robustdr.reporting.headline import write_headline

    write_headline(a.measures, a.tables, a.output, a.drops)
    return None


def run_stage(name: str, a: argparse.Namespace) -> None:
    """Run a stage between the check of what it reads and the record of what it made.

    Raises:
        UserError: an input is damaged, or a package is not the one that requirements.lock pins.
    """
    from robustdr.provenance import Code, installed

    function, _, options = STAGES[name]
    code = Code(getattr(a, "code", [function.__name__]), getattr(a, "packages", None) or [])

    def given(role: str) -> Iterator[Path]:
        for option in (option for option, kind in options.items() if kind.get("metavar") == role):
            value = getattr(a, option.rstrip("_")) or []
            yield from value if isinstance(value, list) else [value]

    versions, read = installed(code), list(given("INPUT"))
    verify(read)
    made = [*(function(a) or []), *((path,) for path in given("OUTPUT"))]
    computed_on = hardware(read)
    if "torch" in sys.modules:
        from robustdr.encoding.hardware import device, kind

        computed_on.add(kind(device()))
    for path, *beside in made:
        record(path, *beside, hardware=computed_on, installed=versions)
