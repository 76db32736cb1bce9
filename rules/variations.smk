# Query variations: every query of a split under one generator.


# Files that authors released are downloaded on the host that submits: compute nodes often have no network.
RELEASE = node_at("{root}/releases/{release}", lambda graph, w: graph.released(w.release))


rule download_release:
    input:
        unpack(inputs(RELEASE)),
    output:
        file="{root}/releases/{release}",
        record=RELEASE.record,
    log:
        "{root}/logs/download_release/{release}.log",
    benchmark:
        "{root}/benchmarks/download_release/{release}.tsv"
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
        settings=RELEASE.settings,
    message:
        "Bring the released file {wildcards.release}"
    shell:
        "python -m robustdr.stages release @{params.settings:q} > {log:q} 2>&1"


# What a generator needs from the network: models of a hub, answers of a language model. Jobs that vary have no network.
FETCH = node_at(
    "{root}/fetched/{collection}/{split}/{variation}.json",
    lambda graph, w: graph.fetched((w.collection, w.split), w.variation),
)


rule fetch:
    input:
        unpack(inputs(FETCH)),
    output:
        fetched="{root}/fetched/{collection}/{split}/{variation}.json",
        record=FETCH.record,
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
        settings=FETCH.settings,
    message:
        "Fetch what {wildcards.variation} of {wildcards.collection}, {wildcards.split} needs"
    shell:
        "python -m robustdr.stages fetch @{params.settings:q} > {log:q} 2>&1"


# A generator of several versions makes them all in one job: the record of the one that attacks stands for all.
VARY = node_at(
    "{root}/variations/{collection}/{split}/{variation}.tsv",
    lambda graph, w: graph.query_set((w.collection, w.split), w.variation),
)


rule vary:
    input:
        unpack(inputs(VARY)),
    output:
        queries="{root}/variations/{collection}/{split}/{variation}.tsv",
        statistics="{root}/variations/{collection}/{split}/{variation}.json",
        record=VARY.record,
    log:
        "{root}/logs/vary/{collection}.{split}.{variation}.log",
    benchmark:
        "{root}/benchmarks/vary/{collection}.{split}.{variation}.tsv"
    conda:
        "../envs/variations.yaml"
    threads: 1
    resources:
        mem_mb=VARY.memory,
        runtime=VARY.minutes,
        gpu=VARY.gpus,
    params:
        settings=VARY.settings,
    message:
        "Vary the {wildcards.split} queries of {wildcards.collection} by {wildcards.variation}"
    shell:
        "python -m robustdr.stages vary @{params.settings:q} > {log:q} 2>&1"


# A part of a split of millions of queries: `vary` gathers them.
VARY_SHARD = node_at(
    "{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv",
    lambda graph, w: graph.shards((w.collection, w.split), w.variation)[int(w.shard)],
)


rule vary_shard:
    input:
        unpack(inputs(VARY_SHARD)),
    output:
        queries="{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv",
        record=VARY_SHARD.record,
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
        settings=VARY_SHARD.settings,
    message:
        "Vary part {wildcards.shard} of {wildcards.shards} of {wildcards.collection}, {wildcards.split} by {wildcards.variation}"
    shell:
        "python -m robustdr.stages vary-shard @{params.settings:q} > {log:q} 2>&1"


# How alike queries and their variations are to a sentence encoder.
SIMILARITY = node_at(
    "{root}/similarity/{collection}/{split}/{checkpoint}.json",
    lambda graph, w: tables.similarity(graph, w.checkpoint, (w.collection, w.split)),
)


rule similarity:
    input:
        unpack(inputs(SIMILARITY)),
    output:
        similarity="{root}/similarity/{collection}/{split}/{checkpoint}.json",
        record=SIMILARITY.record,
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
        settings=SIMILARITY.settings,
    message:
        "Compare the {wildcards.split} queries of {wildcards.collection} with their variations by {wildcards.checkpoint}"
    shell:
        "python -m robustdr.stages similarity @{params.settings:q} > {log:q} 2>&1"
