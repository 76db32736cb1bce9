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
    threads: lambda w: plan(w).bound["threads"]
    resources:
        mem_mb=retried(3000),
        runtime=lambda w, attempt: 240 * attempt,
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
            corpus=corpus(ROOT, COLLECTION),
            card=card(ROOT, COLLECTION),
            queries=[query_set(ROOT, COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file(ROOT, COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{ROOT}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system="|".join(SYSTEMS),
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=retried(4000),
            runtime=240,
        params:
            settings=lambda w, p=PLANS[ROOT]: as_json(p.search_settings(w.system)),
            run_keys=lambda w, p=PLANS[ROOT], at=(COLLECTION, SPLIT), kinds=KINDS: [
                p.run_key(w.system, 0, *at, kind) for kind in kinds
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
            weights=lambda w, root=ROOT: weights(root, w.system, w.seed, QUERY),
            corpus=corpus(ROOT, COLLECTION),
            card=card(ROOT, COLLECTION),
            embeddings=lambda w, root=ROOT, collection=COLLECTION: embeddings(root, collection, w.system, w.seed),
            queries=[query_set(ROOT, COLLECTION, SPLIT, kind) for kind in KINDS],
        output:
            runs=[run_file(ROOT, COLLECTION, "{system}", "{seed}", SPLIT, kind) for kind in KINDS],
        log:
            f"{ROOT}/logs/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/search/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system="|".join(map(re.escape, SYSTEMS)),
        conda:
            "../envs/index-gpu.yaml"
        threads: PLANS[ROOT].bound["threads"]
        resources:
            mem_mb=retried(4000),
            runtime=lambda w, attempt: 120 * attempt,
            gpu=1,
        params:
            settings=lambda w, p=PLANS[ROOT]: as_json(p.search_settings(w.system)),
            run_keys=lambda w, p=PLANS[ROOT], at=(COLLECTION, SPLIT), kinds=KINDS: [
                p.run_key(w.system, int(w.seed), *at, kind) for kind in kinds
            ],
            model=lambda w, root=ROOT: model_folder(root, w.system, w.seed),
            collection=COLLECTION,
        shell:
            "python -m robustdr search --settings {params.settings:q} --keys {params.run_keys}"
            " --tag {wildcards.system}-seed{wildcards.seed} --collection {params.collection:q} --model {params.model:q}"
            " --corpus {input.corpus:q} --embeddings {input.embeddings:q} --queries {input.queries:q} --runs {output.runs:q} > {log:q} 2>&1"
