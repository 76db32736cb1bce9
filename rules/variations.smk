# Query variations: every query of a split under one generator.
VERSIONED = versions(GRAPHS)
(VERSIONS,) = set(VERSIONED.values())
SEVERAL = "|".join(map(re.escape, VERSIONED))
ONE = rf"(?!(?:{SEVERAL})(?:\.version\d+)?\.(?:tsv|json|log)){VARIATION}"


# Files that authors released are downloaded on the host that submits: compute nodes often have no network.
for SCALE, ROOT, GRAPH in SCALES:
    RELEASE = Found(lambda w, g=GRAPH: g.released(w.release))

    rule:
        name:
            f"release_{SCALE}"
        input:
            unpack(inputs(RELEASE)),
        output:
            file=f"{ROOT}/releases/{{release}}",
            record=f"{ROOT}/releases/{{release}}.sha256",
        log:
            f"{ROOT}/logs/release/{{release}}.log",
        benchmark:
            f"{ROOT}/benchmarks/release/{{release}}.tsv"
        wildcard_constraints:
            release=r"[0-9a-f]{16}/[^/]+(?<!\.sha256)",
        localrule: True
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=RELEASE.memory,
            runtime=RELEASE.minutes,
        params:
            command=RELEASE.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# One rule for each number of query sets that a generator makes of a split, because a rule's outputs are fixed: one, or
# where it answers with several versions at once, the one that attacks and those that train.
for (SCALE, ROOT, GRAPH), (NAME, COUNT, GENERATORS) in product(
    SCALES, (("vary", 1, ONE), ("vary_versions", VERSIONS, SEVERAL))
):
    VARY = Found(lambda w, g=GRAPH: g.query_set((w.collection, w.split), w.variation))
    DRAWN = files_of_versions(ROOT, ".split.json") if COUNT > 1 else []  # which version of each query attacks

    rule:
        name:
            f"{NAME}_{SCALE}"
        input:
            unpack(inputs(VARY)),
        output:
            queries=files_of_versions(ROOT, ".tsv", COUNT),
            statistics=files_of_versions(ROOT, ".json", COUNT),
            split=DRAWN,
            records=[
                f"{made}.sha256"
                for made in (*files_of_versions(ROOT, ".tsv", COUNT), *files_of_versions(ROOT, ".json", COUNT), *DRAWN)
            ],
        log:
            f"{ROOT}/logs/vary/{{collection}}.{{split}}.{{variation}}.log",
        benchmark:
            f"{ROOT}/benchmarks/vary/{{collection}}.{{split}}.{{variation}}.tsv"
        wildcard_constraints:
            variation=GENERATORS,
        conda:
            "../envs/variations.yaml"
        threads: 1
        resources:
            mem_mb=VARY.memory,
            runtime=VARY.minutes,
            gpu=VARY.gpus,
        params:
            command=VARY.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# What a generator needs from the network: models of a hub, answers of a language model. Jobs that vary have no network.
for SCALE, ROOT, GRAPH in SCALES:
    FETCH = Found(lambda w, g=GRAPH: g.fetched((w.collection, w.split), w.variation))

    rule:
        name:
            f"fetch_{SCALE}"
        input:
            unpack(inputs(FETCH)),
        output:
            fetched=f"{ROOT}/fetched/{{collection}}/{{split}}/{{variation}}.json",
            record=f"{ROOT}/fetched/{{collection}}/{{split}}/{{variation}}.json.sha256",
        log:
            f"{ROOT}/logs/fetch/{{collection}}.{{split}}.{{variation}}.log",
        benchmark:
            f"{ROOT}/benchmarks/fetch/{{collection}}.{{split}}.{{variation}}.tsv"
        localrule: True
        conda:
            "../envs/variations.yaml"
        threads: 1
        resources:
            mem_mb=FETCH.memory,
            runtime=FETCH.minutes,
        params:
            command=FETCH.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    # A part of a split of millions of queries: `vary` gathers them.
    VARY_SHARD = Found(lambda w, g=GRAPH: g.shards((w.collection, w.split), w.variation)[int(w.shard)])

    rule:
        name:
            f"vary_shard_{SCALE}"
        input:
            unpack(inputs(VARY_SHARD)),
        output:
            queries=f"{ROOT}/variations/{{collection}}/{{split}}/{{variation}}/{{shard}}-of-{{shards}}.tsv",
            record=f"{ROOT}/variations/{{collection}}/{{split}}/{{variation}}/{{shard}}-of-{{shards}}.tsv.sha256",
        log:
            f"{ROOT}/logs/vary_shard/{{collection}}.{{split}}.{{variation}}.{{shard}}-of-{{shards}}.log",
        benchmark:
            f"{ROOT}/benchmarks/vary_shard/{{collection}}.{{split}}.{{variation}}.{{shard}}-of-{{shards}}.tsv"
        conda:
            "../envs/variations.yaml"
        threads: 1
        resources:
            mem_mb=VARY_SHARD.memory,
            runtime=VARY_SHARD.minutes,
            gpu=VARY_SHARD.gpus,
        params:
            command=VARY_SHARD.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    SIMILARITY = Found(lambda w, g=GRAPH: tables.similarity(g, w.checkpoint, (w.collection, w.split)))

    rule:
        name:
            f"similarity_{SCALE}"
        input:
            unpack(inputs(SIMILARITY)),
        output:
            similarity=f"{ROOT}/similarity/{{collection}}/{{split}}/{{checkpoint}}.json",
            record=f"{ROOT}/similarity/{{collection}}/{{split}}/{{checkpoint}}.json.sha256",
        log:
            f"{ROOT}/logs/similarity/{{collection}}.{{split}}.{{checkpoint}}.log",
        benchmark:
            f"{ROOT}/benchmarks/similarity/{{collection}}.{{split}}.{{checkpoint}}.tsv"
        conda:
            "../envs/train-gpu.yaml"
        threads: SIMILARITY.cores
        resources:
            cpus_per_task=SIMILARITY.cores,
            mem_mb=SIMILARITY.memory,
            runtime=SIMILARITY.minutes,
            gpu=SIMILARITY.gpus,
        params:
            command=SIMILARITY.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"
