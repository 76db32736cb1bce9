# Retrieval: passage vectors in shards and indexes of words, then the query sets of one system in groups, by one process each.
EMBED = node_at(
    "{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy",
    lambda graph, w: graph.vectors(w.system, int(w.seed), w.collection, int(w.shard)),
)


rule embed:
    input:
        unpack(inputs(EMBED)),
    output:
        vectors="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy",
        ids="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.ids",
        record=EMBED.record,
    log:
        "{root}/logs/embed/{collection}.{system}.{seed}.{shard}.log",
    benchmark:
        "{root}/benchmarks/embed/{collection}.{system}.{seed}.{shard}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: EMBED.cores
    resources:
        cpus_per_task=EMBED.cores,
        mem_mb=EMBED.memory,
        runtime=EMBED.minutes,
        gpu=EMBED.gpus,
    params:
        settings=EMBED.settings,
    message:
        "Encode part {wildcards.shard} of {wildcards.collection} by {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m robustdr.stages embed @{params.settings:q} > {log:q} 2>&1"


INDEX = node_at(
    "{root}/indexes/{collection}/{index}", lambda graph, w: graph.index(w.collection, graph.indexes()[w.index])
)


rule build_index:
    input:
        unpack(inputs(INDEX)),
    output:
        record=INDEX.record,
    log:
        "{root}/logs/build_index/{collection}.{index}.log",
    benchmark:
        "{root}/benchmarks/build_index/{collection}.{index}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: 1
    resources:
        mem_mb=INDEX.memory,
        runtime=INDEX.minutes,
    params:
        settings=INDEX.settings,
    message:
        "Index the words of {wildcards.collection}: {wildcards.index}"
    shell:
        "python -m robustdr.stages index @{params.settings:q} > {log:q} 2>&1"


# A compressed index of a shard's vectors, where the scale has one: every search of the model and collection reads it.
COMPRESS = node_at(
    "{root}/compressed/{collection}/{system}/seed{seed}/{shard}.faiss",
    lambda graph, w: graph.compressed_shard(w.system, int(w.seed), w.collection, int(w.shard)),
)


rule compress:
    input:
        unpack(inputs(COMPRESS)),
    output:
        index="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.faiss",
        ids="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.ids",
        settings="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.json",
        record=COMPRESS.record,
    log:
        "{root}/logs/compress/{collection}.{system}.{seed}.{shard}.log",
    benchmark:
        "{root}/benchmarks/compress/{collection}.{system}.{seed}.{shard}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: COMPRESS.cores
    resources:
        cpus_per_task=COMPRESS.cores,
        mem_mb=COMPRESS.memory,
        runtime=COMPRESS.minutes,
        gpu=COMPRESS.gpus,
    params:
        settings=COMPRESS.settings,
    message:
        "Compress the vectors of {wildcards.collection} by {wildcards.system}, seed {wildcards.seed}, part {wildcards.shard}"
    shell:
        "python -m robustdr.stages compress @{params.settings:q} > {log:q} 2>&1"


# One job ranks the query sets that the same tables, figures and claims need: the record of the first stands for all.
RANK = node_at(
    "{root}/runs/{collection}/{system}/seed{seed}/{split}.{variation}.arrow",
    lambda graph, w: graph.ranking_with(w.system, int(w.seed), (w.collection, w.split), w.variation),
)


rule retrieve:
    input:
        unpack(inputs(RANK)),
    output:
        run="{root}/runs/{collection}/{system}/seed{seed}/{split}.{variation}.arrow",
        record=RANK.record,
    log:
        "{root}/logs/retrieve/{collection}.{split}.{variation}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/retrieve/{collection}.{split}.{variation}.{system}.{seed}.tsv"
    wildcard_constraints:
        system=RANKED_BY.retrieve,
        split="(?!train[.])[a-z0-9-]+",
    conda:
        "../envs/index-gpu.yaml"
    threads: RANK.cores
    resources:
        cpus_per_task=RANK.cores,
        mem_mb=RANK.memory,
        runtime=RANK.minutes,
        gpu=RANK.gpus,
    params:
        settings=RANK.settings,
    message:
        "Rank passages by {wildcards.system}, seed {wildcards.seed} for {wildcards.split} queries of {wildcards.collection}"
    shell:
        "python -m robustdr.stages rank @{params.settings:q} > {log:q} 2>&1"


use rule retrieve as mine with:
    log:
        "{root}/logs/mine/{collection}.{split}.{variation}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/mine/{collection}.{split}.{variation}.{system}.{seed}.tsv"
    wildcard_constraints:
        system=f"{RANKED_BY.retrieve}|{RANKED_BY.rerank}",
        split="train",
    message:
        "Rank passages by {wildcards.system}, seed {wildcards.seed} for training queries of {wildcards.collection}"


use rule retrieve as rerank with:
    log:
        "{root}/logs/rerank/{collection}.{split}.{variation}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/rerank/{collection}.{split}.{variation}.{system}.{seed}.tsv"
    wildcard_constraints:
        system=RANKED_BY.rerank,
        split="(?!train[.])[a-z0-9-]+",
    message:
        "Rerank passages by {wildcards.system}, seed {wildcards.seed} for {wildcards.split} queries of {wildcards.collection}"


# A server may be asked from the host that submits alone.
use rule retrieve as retrieve_served with:
    log:
        "{root}/logs/retrieve_served/{collection}.{split}.{variation}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/retrieve_served/{collection}.{split}.{variation}.{system}.{seed}.tsv"
    wildcard_constraints:
        system=RANKED_BY.retrieve_served,
    localrule: True
    message:
        "Rank passages by the server of {wildcards.system} for {wildcards.split} queries of {wildcards.collection}"


# How much of an exact search a compressed index finds; tables print it.
RECALL = node_at(
    "{root}/recall/{collection}/{system}/seed{seed}/{split}.json",
    lambda graph, w: graph.recall(w.system, int(w.seed), (w.collection, w.split)),
)


rule recall:
    input:
        unpack(inputs(RECALL)),
    output:
        recall="{root}/recall/{collection}/{system}/seed{seed}/{split}.json",
        record=RECALL.record,
    log:
        "{root}/logs/recall/{collection}.{split}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/recall/{collection}.{split}.{system}.{seed}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: RECALL.cores
    resources:
        cpus_per_task=RECALL.cores,
        mem_mb=RECALL.memory,
        runtime=RECALL.minutes,
        gpu=RECALL.gpus,
    params:
        settings=RECALL.settings,
    message:
        "Compare the search of {wildcards.system}, seed {wildcards.seed} on {wildcards.collection}, {wildcards.split} with an exact one"
    shell:
        "python -m robustdr.stages recall @{params.settings:q} > {log:q} 2>&1"
