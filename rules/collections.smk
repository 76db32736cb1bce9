# Collections: corpus, queries and judgements of every split, checked together and described by a card.
# What downloads runs on the host that submits: compute nodes often have no network.


rule corpus:
    input:
        files=lambda w: local_files(CONFIG.collections[w.collection]),
    output:
        corpus="{root}/collections/{collection}/corpus.jsonl",
    log:
        "{root}/logs/corpus/{collection}.log",
    benchmark:
        "{root}/benchmarks/corpus/{collection}.tsv"
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(240),
    params:
        source=lambda w: as_json(CONFIG.collections[w.collection]),
        key=lambda w: plan(w).corpus_key(w.collection),
    shell:
        "python -m robustdr corpus --source {params.source:q} --output {output.corpus:q} > {log:q} 2>&1"


rule split:
    input:
        files=lambda w: local_files(CONFIG.collections[w.collection]),
    output:
        queries="{root}/collections/{collection}/{split}/queries.tsv",
        qrels="{root}/collections/{collection}/{split}/qrels.txt",
    log:
        "{root}/logs/split/{collection}.{split}.log",
    benchmark:
        "{root}/benchmarks/split/{collection}.{split}.tsv"
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(60),
    params:
        source=lambda w: as_json(CONFIG.collections[w.collection]),
        key=lambda w: plan(w).split_key(w.collection, w.split),
    shell:
        "python -m robustdr split --source {params.source:q} --split {wildcards.split:q}"
        " --queries {output.queries:q} --qrels {output.qrels:q} > {log:q} 2>&1"


# The card is the check: whatever reads a collection waits for it.
rule card:
    input:
        corpus=lambda w: [] if plan(w).is_log(w.collection) else corpus(w.root, w.collection),
        queries=lambda w: [query_set(w.root, w.collection, s, "original") for s in plan(w).splits(w.collection)],
        qrels=lambda w: [f"{w.root}/collections/{w.collection}/{s}/qrels.txt" for s in plan(w).splits(w.collection)],
    output:
        card="{root}/collections/{collection}/card.json",
    log:
        "{root}/logs/card/{collection}.log",
    benchmark:
        "{root}/benchmarks/card/{collection}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=retried(8000),
        runtime=retried(60),
    params:
        source=lambda w: as_json(CONFIG.collections[w.collection]),
        splits=lambda w: plan(w).splits(w.collection),
        corpus=lambda w, input: f"--corpus {shlex.quote(input.corpus)}" if input.corpus else "",
        key=lambda w: plan(w).card_key(w.collection),
    shell:
        "python -m robustdr card --source {params.source:q} {params.corpus} --splits {params.splits:q}"
        " --queries {input.queries:q} --qrels {input.qrels:q} --output {output.card:q} > {log:q} 2>&1"
