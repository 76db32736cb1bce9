# Retrieval: passage vectors in shards and indexes of words, then all query sets of one system in one process.


for SCALE, ROOT, GRAPH in SCALES:
    EMBED = Found(lambda w, g=GRAPH: g.vectors(w.system, int(w.seed), w.collection, int(w.shard)))

    rule:
        name:
            f"embed_{SCALE}"
        input:
            unpack(inputs(EMBED)),
        output:
            vectors=f"{ROOT}/embeddings/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.npy",
            ids=f"{ROOT}/embeddings/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.ids",
            record=f"{ROOT}/embeddings/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.npy.sha256",
        log:
            f"{ROOT}/logs/embed/{{collection}}.{{system}}.{{seed}}.{{shard}}.log",
        benchmark:
            f"{ROOT}/benchmarks/embed/{{collection}}.{{system}}.{{seed}}.{{shard}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    INDEX = Found(lambda w, g=GRAPH: g.index(w.collection, g.indexes()[w.index]))

    rule:
        name:
            f"index_{SCALE}"
        input:
            unpack(inputs(INDEX)),
        output:
            index=expand(f"{ROOT}/indexes/{{{{collection}}}}/{{{{index}}}}/{{file}}", file=INDEX_FILES),
            record=f"{ROOT}/indexes/{{collection}}/{{index}}.sha256",
        log:
            f"{ROOT}/logs/index/{{collection}}.{{index}}.log",
        benchmark:
            f"{ROOT}/benchmarks/index/{{collection}}.{{index}}.tsv"
        conda:
            "../envs/index-gpu.yaml"
        threads: 1
        resources:
            mem_mb=INDEX.memory,
            runtime=INDEX.minutes,
        params:
            command=INDEX.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    # A compressed index of a shard's vectors, where the scale has one: every search of the model and collection reads it.
    COMPRESS = Found(lambda w, g=GRAPH: g.compressed_shard(w.system, int(w.seed), w.collection, int(w.shard)))

    rule:
        name:
            f"compress_{SCALE}"
        input:
            unpack(inputs(COMPRESS)),
        output:
            index=f"{ROOT}/compressed/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.faiss",
            ids=f"{ROOT}/compressed/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.ids",
            settings=f"{ROOT}/compressed/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.json",
            record=f"{ROOT}/compressed/{{collection}}/{{system}}/seed{{seed}}/{{shard}}.faiss.sha256",
        log:
            f"{ROOT}/logs/compress/{{collection}}.{{system}}.{{seed}}.{{shard}}.log",
        benchmark:
            f"{ROOT}/benchmarks/compress/{{collection}}.{{system}}.{{seed}}.{{shard}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# One rule for each group of query sets that systems rank passages of a collection for, because a rule's outputs are fixed.
for NUMBER, RANKED in enumerate(rankings(GRAPHS)):
    COLLECTION, SPLIT_NAME = RANKED.split
    PLACE = f"{COLLECTION}.{SPLIT_NAME}.{RANKED.variations[0]}.{{system}}.{{seed}}"
    RUN = f"{RANKED.graph.root}/runs/{COLLECTION}/{{{{system}}}}/seed{{{{seed}}}}/{SPLIT_NAME}.{{variation}}.{{suffix}}"
    RANK = Found(lambda w, r=RANKED: r.graph.ranking(w.system, int(w.seed), r.split, r.variations))

    rule:
        name:
            f"rank_{RANKED.graph.lineage.scale_name}_{COLLECTION}_{SPLIT_NAME}_{NUMBER}"
        input:
            unpack(inputs(RANK)),
        output:
            runs=expand(RUN, variation=RANKED.variations, suffix="arrow"),
            records=expand(RUN, variation=RANKED.variations, suffix="arrow.sha256"),
            # Runs of training queries are mined, not read by people.
            trec=expand(RUN, variation=RANKED.variations, suffix="trec.gz") if SPLIT_NAME != "train" else [],
        log:
            f"{RANKED.graph.root}/logs/rank/{PLACE}.log",
        benchmark:
            f"{RANKED.graph.root}/benchmarks/rank/{PLACE}.tsv"
        wildcard_constraints:
            system=RANKED.pattern,
        localrule: RANKED.network
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# How much of an exact search a compressed index finds; tables print it.
for SCALE, ROOT, GRAPH in SCALES:
    RECALL = Found(lambda w, g=GRAPH: g.recall(w.system, int(w.seed), (w.collection, w.split)))

    rule:
        name:
            f"recall_{SCALE}"
        input:
            unpack(inputs(RECALL)),
        output:
            recall=f"{ROOT}/recall/{{collection}}/{{system}}/seed{{seed}}/{{split}}.json",
            record=f"{ROOT}/recall/{{collection}}/{{system}}/seed{{seed}}/{{split}}.json.sha256",
        log:
            f"{ROOT}/logs/recall/{{collection}}.{{split}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/recall/{{collection}}.{{split}}.{{system}}.{{seed}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"
