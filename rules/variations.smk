# Query variations: every query of a split under one generator.
RELEASE = Found(lambda w: graph(w).released(w.release))
VARY = Found(lambda w: graph(w).query_set((w.collection, w.split), w.variation))
FETCH = Found(lambda w: graph(w).fetched((w.collection, w.split), w.variation))
VARY_SHARD = Found(lambda w: graph(w).shards((w.collection, w.split), w.variation)[int(w.shard)])
SIMILARITY = Found(lambda w: tables.similarity(graph(w), w.checkpoint, (w.collection, w.split)))
VERSIONED = versions(GRAPHS)
(VERSIONS,) = set(VERSIONED.values())


ruleorder: vary_versions > vary


# Files that authors released are downloaded on the host that submits: compute nodes often have no network.
rule release:
    input:
        unpack(inputs(RELEASE)),
    output:
        file="{root}/releases/{release}",
        record="{root}/releases/{release}.sha256",
    log:
        "{root}/logs/release/{release}.log",
    benchmark:
        "{root}/benchmarks/release/{release}.tsv"
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
        "python -m robustdr.stages {params.command} --output {output.file:q} > {log:q} 2>&1"


# One rule for each number of query sets that a generator makes of a split, because a rule's outputs are fixed: one, or
# where it answers with several versions at once, the one that attacks and those that train.
for NAME, COUNT, GENERATORS in (("vary", 1, VARIATION), ("vary_versions", VERSIONS, "|".join(VERSIONED))):
    DRAWN = files_of_versions(".split.json") if COUNT > 1 else []  # which version of each query attacks

    rule:
        name:
            NAME
        input:
            unpack(inputs(VARY)),
        output:
            queries=files_of_versions(".tsv", COUNT),
            statistics=files_of_versions(".json", COUNT),
            split=DRAWN,
            records=[
                f"{made}.sha256"
                for made in (*files_of_versions(".tsv", COUNT), *files_of_versions(".json", COUNT), *DRAWN)
            ],
        log:
            "{root}/logs/vary/{collection}.{split}.{variation}.log",
        benchmark:
            "{root}/benchmarks/vary/{collection}.{split}.{variation}.tsv"
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
            "python -m robustdr.stages {params.command} --output {output.queries:q} --statistics {output.statistics:q}"
            " --split {output.split:q} > {log:q} 2>&1"


# What a generator needs from the network: models of a hub, answers of a language model. Jobs that vary have no network.
rule fetch:
    input:
        unpack(inputs(FETCH)),
    output:
        fetched="{root}/fetched/{collection}/{split}/{variation}.json",
        record="{root}/fetched/{collection}/{split}/{variation}.json.sha256",
    log:
        "{root}/logs/fetch/{collection}.{split}.{variation}.log",
    benchmark:
        "{root}/benchmarks/fetch/{collection}.{split}.{variation}.tsv"
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
        "python -m robustdr.stages {params.command} --output {output.fetched:q} > {log:q} 2>&1"


# A part of a split of millions of queries: `vary` gathers them.
rule vary_shard:
    input:
        unpack(inputs(VARY_SHARD)),
    output:
        queries="{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv",
        record="{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv.sha256",
    log:
        "{root}/logs/vary_shard/{collection}.{split}.{variation}.{shard}-of-{shards}.log",
    benchmark:
        "{root}/benchmarks/vary_shard/{collection}.{split}.{variation}.{shard}-of-{shards}.tsv"
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
        "python -m robustdr.stages {params.command} --output {output.queries:q} > {log:q} 2>&1"


rule similarity:
    input:
        unpack(inputs(SIMILARITY)),
    output:
        similarity="{root}/similarity/{collection}/{split}/{checkpoint}.json",
        record="{root}/similarity/{collection}/{split}/{checkpoint}.json.sha256",
    log:
        "{root}/logs/similarity/{collection}.{split}.{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/similarity/{collection}.{split}.{checkpoint}.tsv"
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
        "python -m robustdr.stages {params.command} --output {output.similarity:q} > {log:q} 2>&1"
