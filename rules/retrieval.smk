# Retrieval: passage vectors in shards and indexes of words, then all query sets of one system in one process.
EMBED = Found(lambda w: graph(w).vectors(w.system, int(w.seed), w.collection, int(w.shard)))
INDEX = Found(lambda w: graph(w).index(w.collection, graph(w).indexes()[w.index]))
RECALL = Found(lambda w: graph(w).recall(w.system, int(w.seed), (w.collection, w.split)))
COMPRESS = Found(lambda w: graph(w).compressed_shard(w.system, int(w.seed), w.collection, int(w.shard)))


rule embed:
    input:
        unpack(inputs(EMBED)),
    output:
        vectors="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy",
        ids="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.ids",
        record="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy.sha256",
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
        command=EMBED.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.vectors:q} > {log:q} 2>&1"


rule index:
    input:
        unpack(inputs(INDEX)),
    output:
        index=expand("{{root}}/indexes/{{collection}}/{{index}}/{file}", file=INDEX_FILES),
        record="{root}/indexes/{collection}/{index}.sha256",
    log:
        "{root}/logs/index/{collection}.{index}.log",
    benchmark:
        "{root}/benchmarks/index/{collection}.{index}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: 1
    resources:
        mem_mb=INDEX.memory,
        runtime=INDEX.minutes,
    params:
        command=INDEX.command,
        folder=INDEX.path,
    shell:
        "python -m robustdr.stages {params.command} --output {params.folder:q} > {log:q} 2>&1"


# A compressed index of a shard's vectors, where the scale has one: every search of the model and collection reads it.
rule compress:
    input:
        unpack(inputs(COMPRESS)),
    output:
        index="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.faiss",
        ids="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.ids",
        settings="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.json",
        record="{root}/compressed/{collection}/{system}/seed{seed}/{shard}.faiss.sha256",
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
        command=COMPRESS.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.index:q} > {log:q} 2>&1"


# One rule for each list of query sets that systems rank passages of a collection for, because a rule's outputs are fixed: a
# change of what one paper needs touches its own systems alone. Their paths begin with the folder of their scale and
# collection, by which Snakemake finds the rule of a file among hundreds.
for NUMBER, RANKED in enumerate(rankings(GRAPHS)):
    COLLECTION, SPLIT_NAME = RANKED.split
    PLACE = f"{COLLECTION}.{SPLIT_NAME}.{{system}}.{{seed}}"
    RUN = f"{RANKED.graph.root}/runs/{COLLECTION}/{{{{system}}}}/seed{{{{seed}}}}/{SPLIT_NAME}.{{variation}}.{{suffix}}"
    RANK = Found(lambda w, r=RANKED: r.graph.ranking(w.system, int(w.seed), r.split, r.variations))

    rule:
        name:
            f"rank_{RANKED.graph.lineage.scale_name}_{COLLECTION}_{SPLIT_NAME}_{NUMBER}"
        input:
            unpack(inputs(RANK)),
        output:
            runs=expand(RUN, variation=RANKED.variations, suffix="arrow"),
            # Runs of training queries are mined, not read by people.
            trec=expand(RUN, variation=RANKED.variations, suffix="trec.gz") if SPLIT_NAME != "train" else [],
            records=expand(RUN, variation=RANKED.variations, suffix="arrow.sha256"),
        log:
            f"{RANKED.graph.root}/logs/rank/{PLACE}.log",
        benchmark:
            f"{RANKED.graph.root}/benchmarks/rank/{PLACE}.tsv"
        wildcard_constraints:
            system=RANKED.pattern,
        conda:
            "../envs/index-gpu.yaml"
        threads: RANK.cores
        resources:
            cpus_per_task=RANK.cores,
            mem_mb=RANK.memory,
            runtime=RANK.minutes,
            gpu=RANK.gpus,
        params:
            command=RANK.command,
        shell:
            "python -m robustdr.stages {params.command}"
            " --tag {wildcards.system}-seed{wildcards.seed} --runs {output.runs:q} --trec {output.trec:q} > {log:q} 2>&1"


# How much of an exact search a compressed index finds; tables print it.
rule recall:
    input:
        unpack(inputs(RECALL)),
    output:
        recall="{root}/recall/{collection}/{system}/seed{seed}/{split}.json",
        record="{root}/recall/{collection}/{system}/seed{seed}/{split}.json.sha256",
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
        command=RECALL.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.recall:q} > {log:q} 2>&1"
