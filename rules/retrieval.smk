# Retrieval: passage vectors in shards, then all query sets of one model in one process.


rule embed:
    input:
        weights=lambda w: weights(w.root, w.system, w.seed, DOCUMENT),
        corpus="{root}/collections/{collection}/corpus.jsonl",
        card="{root}/collections/{collection}/card.json",
    output:
        vectors="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.npy",
        ids="{root}/embeddings/{collection}/{system}/seed{seed}/{shard}.ids",
    log:
        "{root}/logs/embed/{collection}.{system}.{seed}.{shard}.log",
    benchmark:
        "{root}/benchmarks/embed/{collection}.{system}.{seed}.{shard}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=retried(3000, full=16000),
        runtime=retried(240),
        gpu=1,
    params:
        settings=lambda w: as_json(plan(w).embed_settings(w.system)),
        key=lambda w: plan(w).embeddings_key(w.system, int(w.seed), w.collection),
        model=lambda w: model_folder(w.root, w.system, w.seed),
        shards=lambda w: plan(w).bound["embeddings"]["shards"],
    shell:
        "python -m robustdr embed --settings {params.settings:q} --model {params.model:q} --corpus {input.corpus:q}"
        " --card {input.card:q} --shard {wildcards.shard} --shards {params.shards} --output {output.vectors:q}"
        " > {log:q} 2>&1"


# One rule for each list of query sets that systems search of a split, because a rule's outputs are fixed: a change of what
# one paper needs touches its own systems alone.
for NUMBER, (SCALE, ROOT, COLLECTION, SPLIT, KINDS, SYSTEMS) in enumerate(searches(bm25=True)):

    rule:
        name:
            f"bm25_{SCALE}_{COLLECTION}_{SPLIT}_{NUMBER}"
        input:
            corpus=corpus("{root}", COLLECTION),
            card=card("{root}", COLLECTION),
            queries=[query_set("{root}", COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file("{root}", COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{{root}}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{{root}}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            root=ROOT,
            system="|".join(SYSTEMS),
        conda:
            "../envs/index-gpu.yaml"
        threads: 1
        resources:
            mem_mb=retried(4000, full=256000 if SPLIT == "train" else 80000),
            runtime=retried(240, full=2400 if SPLIT == "train" else 240),
        params:
            settings=lambda w: as_json(plan(w).bm25_settings()),
            run_keys=lambda w, at=(COLLECTION, SPLIT), kinds=KINDS: [
                plan(w).run_key(w.system, 0, *at, kind) for kind in kinds
            ],
            collection=COLLECTION,
        shell:
            "python -m robustdr bm25 --settings {params.settings:q} --keys {params.run_keys} --tag {wildcards.system}"
            " --collection {params.collection:q} --corpus {input.corpus:q} --queries {input.queries:q}"
            " --runs {output.runs:q} > {log:q} 2>&1"


for NUMBER, (SCALE, ROOT, COLLECTION, SPLIT, KINDS, SYSTEMS) in enumerate(searches(bm25=False)):

    rule:
        name:
            f"search_{SCALE}_{COLLECTION}_{SPLIT}_{NUMBER}"
        input:
            weights=lambda w: weights(w.root, w.system, w.seed, QUERY),
            corpus=corpus("{root}", COLLECTION),
            card=card("{root}", COLLECTION),
            embeddings=lambda w, collection=COLLECTION: embeddings(w.root, collection, w.system, w.seed),
            queries=[query_set("{root}", COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file("{root}", COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{{root}}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{{root}}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            root=ROOT,
            system="|".join(map(re.escape, SYSTEMS)),
        conda:
            "../envs/index-gpu.yaml"
        threads: cores
        resources:
            cpus_per_task=cores,
            mem_mb=retried(4000, full=256000 if SPLIT == "train" else 80000),
            runtime=retried(120),
            gpu=1,
        params:
            settings=lambda w, at=COLLECTION: as_json(plan(w).search_settings(w.system, at)),
            run_keys=lambda w, at=(COLLECTION, SPLIT), kinds=KINDS: [
                plan(w).run_key(w.system, int(w.seed), *at, kind) for kind in kinds
            ],
            model=lambda w: model_folder(w.root, w.system, w.seed),
            collection=COLLECTION,
        shell:
            "python -m robustdr search --settings {params.settings:q} --keys {params.run_keys}"
            " --tag {wildcards.system}-seed{wildcards.seed} --collection {params.collection:q} --model {params.model:q}"
            " --corpus {input.corpus:q} --embeddings {input.embeddings:q} --queries {input.queries:q} --runs {output.runs:q} > {log:q} 2>&1"
