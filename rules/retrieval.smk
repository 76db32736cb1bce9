# Retrieval: passage vectors in shards and indexes of words, then all query sets of one system in one process.


rule embed:
    input:
        unpack(
            lambda w: artifacts(
                weights=plan(w).weights(w.system, w.seed, DOCUMENT),
                corpus=plan(w).corpus(w.collection),
                card=plan(w).card(w.collection),
            )
        ),
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
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=retried(3000, full=16000),
        runtime=retried(60),
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


rule index:
    input:
        unpack(lambda w: artifacts(corpus=plan(w).corpus(w.collection), card=plan(w).card(w.collection))),
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
        mem_mb=retried(2000, full=16000),
        runtime=retried(120),
    params:
        settings=lambda w: as_json(plan(w).indexes()[w.index]),
        key=lambda w: plan(w).index_key(w.collection, plan(w).indexes()[w.index]),
        folder=lambda w: plan(w).index(w.collection, w.index),
    shell:
        "python -m robustdr stage index --settings {params.settings:q} --corpus {input.corpus:q} --output {params.folder:q}"
        " > {log:q} 2>&1"


# A compressed index of a shard's vectors, where the scale has one: every search of the model and collection reads it.
rule compress:
    input:
        unpack(lambda w: artifacts(vectors=f"{w.root}/embeddings/{w.collection}/{w.system}/seed{w.seed}/{w.shard}.npy")),
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
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=retried(3000, full=24000),
        runtime=retried(240),
        gpu=1,
    params:
        factory=lambda w: plan(w).bound["retrieval"]["index"]["factory"],
        key=lambda w: plan(w).compressed_key(w.system, int(w.seed), w.collection),
    shell:
        "python -m robustdr stage compress --factory {params.factory:q} --vectors {input.vectors:q} --output {output.index:q}"
        " > {log:q} 2>&1"


# One rule for each list of query sets that systems rank passages of a collection for, because a rule's outputs are fixed: a
# change of what one paper needs touches its own systems alone. Their paths begin with the folder of their scale and
# collection, by which Snakemake finds the rule of a file among hundreds.
for NUMBER, (P, COLLECTION, SPLIT, VARIATIONS, SYSTEMS) in enumerate(rankings()):
    RUN = f"{P.root}/runs/{COLLECTION}/{{{{system}}}}/seed{{{{seed}}}}/{SPLIT}.{{kind}}.{{suffix}}"

    rule:
        name:
            f"rank_{P.scale}_{COLLECTION}_{SPLIT}_{NUMBER}"
        input:
            unpack(
                lambda w, p=P, at=(COLLECTION, SPLIT), kinds=VARIATIONS: artifacts(
                    reads=ranking(p, w, at, kinds).files,
                    corpus=p.corpus(at[0]),
                    card=p.card(at[0]),
                    queries=[p.query_set(*at, kind) for kind in kinds],
                )
            ),
        output:
            runs=expand(RUN, kind=VARIATIONS, suffix="arrow"),
            trec=expand(RUN, kind=VARIATIONS, suffix="trec.gz") if SPLIT != "train" else [],  # the others are mined
            records=expand(RUN, kind=VARIATIONS, suffix="arrow.sha256"),
        log:
            f"{P.root}/logs/rank/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.log",
        benchmark:
            f"{P.root}/benchmarks/rank/{COLLECTION}.{SPLIT}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system="|".join(map(re.escape, SYSTEMS)),
        conda:
            "../envs/index-gpu.yaml"
        threads: lambda w, p=P: needed(p, w).cores
        resources:
            cpus_per_task=lambda w, p=P: needed(p, w).cores,
            mem_mb=lambda w, attempt, p=P, split=SPLIT: needed(p, w, split).memory * 2 ** (attempt - 1),
            runtime=lambda w, attempt, p=P, split=SPLIT: needed(p, w, split).minutes * 2 ** (attempt - 1),
            gpu=lambda w, p=P: needed(p, w).gpus,
        params:
            ranks=lambda w, p=P: p.kind(w.system).ranks,
            settings=lambda w, p=P, at=(COLLECTION, SPLIT): as_json(p.rank_settings(w.system, at)),
            run_keys=lambda w, p=P, at=(COLLECTION, SPLIT), kinds=VARIATIONS: [
                p.run_key(w.system, int(w.seed), *at, kind) for kind in kinds
            ],
            loads=lambda w, p=P: loads(p.run_code(w.system)),
            collection=COLLECTION,
            reads=lambda w, p=P, at=(COLLECTION, SPLIT), kinds=VARIATIONS: options(ranking(p, w, at, kinds)),
        shell:
            "python -m robustdr stage rank {params.loads} --ranks {params.ranks} --settings {params.settings:q}"
            " --keys {params.run_keys} --tag {wildcards.system}-seed{wildcards.seed} --collection {params.collection:q}"
            " --corpus {input.corpus:q} {params.reads} --queries {input.queries:q} --runs {output.runs:q}"
            " --trec {output.trec:q} > {log:q} 2>&1"
