"""Variations of queries."""

import argparse
from typing import Any

from robustdr.stages.options import INT, MADE, MADES, READ, READS, TEXT, stage


@stage("bring a released file of queries", settings=TEXT, output=MADE)
def release(a: argparse.Namespace) -> None:
    from robustdr.core.settings import read_settings
    from robustdr.variations.release import bring
    from robustdr.variations.settings import Release

    bring(read_settings(Release, a.settings), a.output)


@stage(
    "vary the queries of a split",
    settings=TEXT,
    released_={**READ, "help": "of a generator that reads a released file: the file"},
    tokenizer_={**READ, "help": "counts the changes that it sees"},
    queries=READ,
    output={**MADES, "help": "of a generator of several versions, one of each"},
    statistics=MADES,
    shards_={**READS, "help": "the queries varied already, in order; of a generator of one version"},
    split_={**MADES, "help": "which version of each query attacks, of a generator of several"},
)
def vary(a: argparse.Namespace) -> None:
    from dataclasses import replace

    from robustdr.core.files import read_queries, write_json
    from robustdr.core.settings import read_settings
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run
    from robustdr.variations.settings import VariationSettings

    settings = read_settings(VariationSettings, a.settings)
    file = {"file": str(a.released)} if a.released else {}
    generator = build(find(settings.generator), {**settings.parameters, **file})
    generator.check()
    queries = read_queries(a.queries)
    if not a.shards:
        generator.ready(queries)
    for version, (output, statistics) in enumerate(zip(a.output, a.statistics, strict=True)):
        versions: dict[str, Any] = {"version": version} if version else {}
        variation = replace(generator, **versions) if versions else generator
        run(queries, output, statistics, variation, settings.seed, a.tokenizer, shards=a.shards)
    for path in a.split:
        write_json(path, {"attacks": generator.split(queries, settings.seed)})


@stage("bring what varying a split's queries needs from the network", settings=TEXT, queries=READ, output=MADE)
def fetch(a: argparse.Namespace) -> None:
    from robustdr.core.files import read_queries, write_json
    from robustdr.core.settings import read_settings
    from robustdr.variations.base import build, find
    from robustdr.variations.settings import VariationSettings

    settings, queries = read_settings(VariationSettings, a.settings), read_queries(a.queries)
    generator = build(find(settings.generator), settings.parameters)
    generator.check()
    generator.fetch(queries)
    write_json(a.output, {"fetched": generator.resource, "queries": len(queries)})


@stage(
    "vary one shard of a split's queries",
    settings=TEXT,
    queries=READ,
    shard=INT,
    shards=INT,
    output=MADE,
)
def vary_shard(a: argparse.Namespace) -> None:
    from robustdr.core.files import read_queries
    from robustdr.core.settings import read_settings
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run, shard_of
    from robustdr.variations.settings import VariationSettings

    settings = read_settings(VariationSettings, a.settings)
    generator, queries = build(find(settings.generator), settings.parameters), read_queries(a.queries)
    generator.check()
    generator.ready(queries)
    run(shard_of(queries, a.shard, a.shards), a.output, None, generator, settings.seed)


@stage("compare queries with their variations", threads=INT, model=READ, queries=READ, varied=READS, output=MADE)
def similarity(a: argparse.Namespace) -> None:
    from robustdr.variations.similarity import write_similarity

    write_similarity(a.threads, a.model, a.queries, a.varied, a.output)
