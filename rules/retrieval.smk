# Retrieval: passage vectors in shards, then all query sets of one model in one process.


rule embed:
    input:
        model=lambda w: model(w.root, w.system, w.seed),
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
    threads: lambda w: plan(w).bound["threads"]
    resources:
        mem_mb=retried(3000),
        runtime=lambda w, attempt: 240 * attempt,
        gpu=1,
    params:
        settings=lambda w: as_json(plan(w).embed_settings(w.system)),
        key=lambda w: plan(w).embeddings_key(w.system, int(w.seed), w.collection),
        shards=lambda w: plan(w).bound["embeddings"]["shards"],
    shell:
        "python -m robustdr embed --settings {params.settings:q} --model {input.model:q} --corpus {input.corpus:q}"
        " --card {input.card:q} --shard {wildcards.shard} --shards {params.shards} --output {output.vectors:q}"
        " > {log:q} 2>&1"


# One rule per split of a collection, because a rule's outputs are fixed: the query sets that the experiments need of it.
QUERY_SETS = {}
for p in PLANS.values():
    for at, kinds in p.query_sets().items():
        QUERY_SETS[at] = QUERY_SETS.get(at, []) + [kind for kind in kinds if kind not in QUERY_SETS.get(at, [])]

for (COLLECTION, SPLIT), KINDS in QUERY_SETS.items():

    rule:
        name:
            f"bm25_{COLLECTION}_{SPLIT}"
        input:
            corpus=f"{{root}}/collections/{COLLECTION}/corpus.jsonl",
            card=f"{{root}}/collections/{COLLECTION}/card.json",
            queries=[query_set("{root}", COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file("{root}", COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{{root}}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{{root}}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system=r"bm25",
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=retried(4000),
            runtime=240,
        params:
            settings=lambda w: as_json(plan(w).search_settings(w.system)),
            run_keys=lambda w, at=(COLLECTION, SPLIT), kinds=KINDS: [
                plan(w).run_key(w.system, 0, *at, k) for k in kinds
            ],
            collection=COLLECTION,
        shell:
            "python -m robustdr bm25 --settings {params.settings:q} --keys {params.run_keys} --tag {wildcards.system}"
            " --collection {params.collection:q} --corpus {input.corpus:q} --queries {input.queries:q}"
            " --runs {output.runs:q} > {log:q} 2>&1"

    rule:
        name:
            f"search_{COLLECTION}_{SPLIT}"
        input:
            model=lambda w: model(w.root, w.system, w.seed),
            corpus=f"{{root}}/collections/{COLLECTION}/corpus.jsonl",
            card=f"{{root}}/collections/{COLLECTION}/card.json",
            embeddings=lambda w, collection=COLLECTION: (
                embeddings(w.root, collection, w.system, w.seed)
                if plan(w).keeps_embeddings(w.system, collection)
                else []
            ),
            queries=[query_set("{root}", COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file("{root}", COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{{root}}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{{root}}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system=r"(?!bm25/)[a-z0-9_.]+",
        conda:
            "../envs/index-gpu.yaml"
        threads: lambda w: plan(w).bound["threads"]
        resources:
            mem_mb=retried(4000),
            runtime=lambda w, attempt: 120 * attempt,
            gpu=1,
        params:
            settings=lambda w: as_json(plan(w).search_settings(w.system)),
            run_keys=lambda w, at=(COLLECTION, SPLIT), kinds=KINDS: [
                plan(w).run_key(w.system, int(w.seed), *at, k) for k in kinds
            ],
            collection=COLLECTION,
        shell:
            "python -m robustdr search --settings {params.settings:q} --keys {params.run_keys}"
            " --tag {wildcards.system}-seed{wildcards.seed} --collection {params.collection:q} --model {input.model:q}"
            " --corpus {input.corpus:q} --embeddings {input.embeddings:q} --queries {input.queries:q} --runs {output.runs:q} > {log:q} 2>&1"
