"""Variations of queries."""

import argparse
from typing import Any

from robustdr.stages.options import CODE, INT, MADE, MADES, PACKAGES, READ, READS, TEXT, Made, stage


@stage(
    "vary the queries of a split",
    code_=CODE,
    packages_=PACKAGES,
    settings=TEXT,
    tokenizer_={**READ, "help": "to count queries whose tokens change"},
    queries=READ,
    output={**MADES, "help": "one file for each version of the generator"},
    statistics=MADES,
    shards_={**READS, "help": "files of queries that are already varied, in order; for a generator with one version"},
    split_={**MADES, "help": "the version for evaluation of each query, for a generator with several"},
    key_=TEXT,
)
def vary(a: argparse.Namespace) -> Made:
    from dataclasses import replace

    from robustdr.core.files import read_queries, write_json
    from robustdr.core.settings import read
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run
    from robustdr.variations.settings import VariationSettings

    settings = read(VariationSettings, a.settings)
    generator, queries = build(find(settings.generator), settings.parameters), read_queries(a.queries)
    generator.check()
    if not a.shards:
        generator.fetch(queries)
    for version, (output, statistics) in enumerate(zip(a.output, a.statistics, strict=True)):
        versions: dict[str, Any] = {"version": version} if version else {}
        variation = replace(generator, **versions) if versions else generator
        run(queries, output, statistics, variation, settings.seed, a.tokenizer, shards=a.shards)
    for path in a.split:
        write_json(path, {"key": a.key, "attacks": generator.split(queries, settings.seed)})
    return None


@stage(
    "vary one shard of a split's queries",
    code_=CODE,
    packages_=PACKAGES,
    settings=TEXT,
    queries=READ,
    shard=INT,
    shards=INT,
    output=MADE,
)
def vary_shard(a: argparse.Namespace) -> Made:
    from robustdr.core.files import read_queries
    from robustdr.core.settings import read
    from robustdr.variations.base import build, find
    from robustdr.variations.runner import run, shard_of
    from robustdr.variations.settings import VariationSettings

    settings = read(VariationSettings, a.settings)
    generator, queries = build(find(settings.generator), settings.parameters), read_queries(a.queries)
    generator.check()
    generator.fetch(queries)
    run(shard_of(queries, a.shard, a.shards), a.output, None, generator, settings.seed)
    return None


@stage("compare queries with their variations", threads=INT, model=READ, queries=READ, varied=READS, output=MADE)
def similarity(a: argparse.Namespace) -> Made:
    from robustdr.variations.similarity import write_similarity

    write_similarity(a.threads, a.model, a.queries, a.varied, a.output)
    return None
