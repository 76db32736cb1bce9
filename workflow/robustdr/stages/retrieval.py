"""Vectors, indexes and rankings."""

import argparse
import json

from robustdr.retrieval.settings import IDENTICAL_IDS
from robustdr.stages.options import INT, MADE, PATH, PATHS, READ, READS, TEXT, stage


@stage(
    "encode one shard of a corpus",
    makes=lambda a: [(a.output, a.output.with_suffix(".ids"))],
    settings=TEXT,
    model=READ,
    corpus=READ,
    card=READ,
    shard=INT,
    shards=INT,
    output=PATH,
)
def embed(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.retrieval.embeddings import write_embeddings
    from robustdr.retrieval.settings import EmbedSettings

    passages = json.loads(a.card.read_text(encoding="utf-8"))["passages"]["count"]
    settings = read_settings(EmbedSettings, a.settings)
    write_embeddings(settings, a.model, a.corpus, passages, a.shard, a.shards, a.output)


@stage("index a corpus for BM25", settings=TEXT, corpus=READ, output=MADE)
def index(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.retrieval.bm25_index import write_index
    from robustdr.retrieval.settings import BM25IndexSettings

    write_index(read_settings(BM25IndexSettings, a.settings), a.corpus, a.output)


@stage(
    "make the compressed index of one shard of vectors",
    makes=lambda a: [(a.output, a.output.with_suffix(".ids"), a.output.with_suffix(".json"))],
    factory=TEXT,
    vectors=READ,
    output=PATH,
)
def compress(a: argparse.Namespace) -> None:
    from robustdr.retrieval.compressed import write_index

    write_index(a.factory, a.vectors, a.output)


@stage(
    "compare a ranking by compressed indexes with an exact search",
    settings=TEXT,
    model=READ,
    corpus=READ,
    queries=READ,
    vectors=READS,
    run=READ,
    output=MADE,
)
def recall(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.retrieval.recall import write_recall
    from robustdr.retrieval.settings import SearchSettings

    settings = read_settings(SearchSettings, a.settings)
    write_recall(settings, a.model, a.corpus, a.queries, a.vectors, a.run, a.output)


@stage(
    "rank the passages for all query sets of one system",
    makes=lambda a: [
        (run, *a.trec[number : number + 1], *a.query_vectors[number : number + 1]) for number, run in enumerate(a.runs)
    ],
    ranks={"help": "the module that ranks"},
    settings=TEXT,
    tag=TEXT,
    collection=TEXT,
    corpus=READ,
    model_=READS,
    embeddings_=READS,
    index_=READS,
    compressed_=READS,
    vectors_={**PATHS, "help": "the vectors of each compressed index; only their records are read"},
    candidates_=READS,
    judged_={**READS, "help": "qrels; only their passages are ranked"},
    corrected_={**READS, "help": "the query sets as a released spell checker corrected them"},
    ignore_={"choices": [IDENTICAL_IDS], "help": "leave out the passage with the id of its query"},
    queries=READS,
    runs=PATHS,
    trec={**PATHS, "help": "the same runs as TREC files"},
    query_vectors_={**PATHS, "help": "the vectors of the queries: one file, which belongs to the first run"},
)
def rank(a: argparse.Namespace) -> None:
    from robustdr.retrieval.rank import write_runs

    inputs = ("model", "embeddings", "index", "compressed", "vectors", "candidates", "judged", "corrected")
    files = {name: getattr(a, name) for name in (*inputs, "query_vectors")}
    ignored = a.ignore == IDENTICAL_IDS
    write_runs(a.ranks, a.settings, a.tag, a.collection, a.corpus, files, a.queries, a.runs, a.trec, ignored)
