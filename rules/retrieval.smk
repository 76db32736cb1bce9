# Retrieval: passage vectors in shards, then all query sets of one model in one process.


rule embed:
    input:
        weights=lambda w: plan(w).weights(w.system, w.seed, DOCUMENT),
        corpus="{root}/collections/{collection}/corpus.jsonl",
        card=ancient("{root}/collections/{collection}/card.json"),
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
        model=lambda w: plan(w).model_folder(w.system, w.seed),
        shards=lambda w: plan(w).bound["embeddings"]["shards"],
    shell:
        "python -m robustdr stage embed --settings {params.settings:q} --model {params.model:q} --corpus {input.corpus:q}"
        " --card {input.card:q} --shard {wildcards.shard} --shards {params.shards} --output {output.vectors:q}"
        " > {log:q} 2>&1"


# One rule for each list of query sets that systems rank passages of a collection for, because a rule's outputs are fixed: a
# change of what one paper needs touches its own systems alone.
for NUMBER, (P, COLLECTION, SPLIT, VARIATIONS, SYSTEMS) in enumerate(rankings()):

    rule:
        name:
            f"rank_{P.scale}_{COLLECTION}_{SPLIT}_{NUMBER}"
        input:
            reads=lambda w, at=(COLLECTION, SPLIT), kinds=VARIATIONS: ranking(w, at, kinds).files,
            corpus=P.corpus(COLLECTION),
            card=ancient(P.card(COLLECTION)),
            queries=[P.query_set(COLLECTION, SPLIT, kind) for kind in VARIATIONS],
        output:
            runs=[f"{{root}}/runs/{COLLECTION}/{{system}}/seed{{seed}}/{SPLIT}.{kind}.trec.gz" for kind in VARIATIONS],
        log:
            f"{{root}}/logs/rank/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{{root}}/benchmarks/rank/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            root=P.root,
            system="|".join(map(re.escape, SYSTEMS)),
        conda:
            "../envs/index-gpu.yaml"
        threads: lambda w: needed(w).cores or cores(w)
        resources:
            cpus_per_task=lambda w: needed(w).cores or cores(w),
            mem_mb=lambda w, attempt, split=SPLIT: needed(w, split).memory * 2 ** (attempt - 1),
            runtime=lambda w, attempt, split=SPLIT: needed(w, split).minutes * 2 ** (attempt - 1),
            gpu=lambda w: needed(w).gpus,
        params:
            ranks=lambda w: plan(w).kind(w.system).ranks,
            settings=lambda w, at=COLLECTION: as_json(plan(w).rank_settings(w.system, at)),
            run_keys=lambda w, at=(COLLECTION, SPLIT), kinds=VARIATIONS: [
                plan(w).run_key(w.system, int(w.seed), *at, kind) for kind in kinds
            ],
            collection=COLLECTION,
            reads=lambda w, at=(COLLECTION, SPLIT), kinds=VARIATIONS: options(ranking(w, at, kinds)),
        shell:
            "python -m robustdr stage rank --ranks {params.ranks} --settings {params.settings:q} --keys {params.run_keys}"
            " --tag {wildcards.system}-seed{wildcards.seed} --collection {params.collection:q} --corpus {input.corpus:q}"
            " {params.reads} --queries {input.queries:q} --runs {output.runs:q} > {log:q} 2>&1"
