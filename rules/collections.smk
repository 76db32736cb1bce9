# Collections: corpus, queries and judgements of every split, checked together and described by a card.
# What downloads runs on the host that submits: compute nodes often have no network.


rule corpus:
    input:
        files=lambda w: own_files(w.collection, None, plan(w).corpus(w.collection)),
    output:
        corpus="{root}/collections/{collection}/corpus.jsonl",
        rows="{root}/collections/{collection}/corpus.rows.arrow",
        record="{root}/collections/{collection}/corpus.jsonl.sha256",
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
        source=lambda w: as_json(part(CONFIG.collections[w.collection], None)),
        key=lambda w: plan(w).corpus_key(w.collection),
        loads=lambda w: loads(plan(w).corpus_code(w.collection)),
    shell:
        "python -m robustdr stage corpus {params.loads} --source {params.source:q} --output {output.corpus:q}"
        " > {log:q} 2>&1"


# One rule for each set of files that judge a split: qrels, answers, or both.
for JUDGED_BY, PLACES in judged_places().items():

    rule:
        name:
            "_".join(["split", *JUDGED_BY])
        input:
            files=lambda w: own_files(collection_at(w), split_at(w), plan(w).split_files(*w.place.split("/"))[0]),
        output:
            queries="{root}/collections/{place}/queries.tsv",
            judgements=expand("{{root}}/collections/{{place}}/{file}", file=[JUDGEMENTS[how] for how in JUDGED_BY]),
            records=expand(
                "{{root}}/collections/{{place}}/{file}.sha256",
                file=["queries.tsv", *(JUDGEMENTS[how] for how in JUDGED_BY)],
            ),
        log:
            "{root}/logs/split/{place}.log",
        benchmark:
            "{root}/benchmarks/split/{place}.tsv"
        wildcard_constraints:
            place="|".join(PLACES),
        localrule: True
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=retried(4000),
            runtime=retried(60),
        params:
            source=lambda w: as_json(part(CONFIG.collections[collection_at(w)], split_at(w))),
            split=split_at,
            key=lambda w: plan(w).split_key(*w.place.split("/")),
            loads=lambda w: loads(plan(w).split_code(*w.place.split("/"))),
        shell:
            "python -m robustdr stage split {params.loads} --source {params.source:q} --split {params.split:q}"
            " --output {output.queries:q} {output.judgements:q} > {log:q} 2>&1"


# The card is the check: whatever reads a collection waits for it.
rule card:
    input:
        unpack(
            lambda w: artifacts(
                corpus=[] if plan(w).is_log(w.collection) else plan(w).corpus(w.collection),
                splits=[
                    file for split in plan(w).splits(w.collection) for file in plan(w).split_files(w.collection, split)
                ],
            )
        ),
    output:
        card="{root}/collections/{collection}/card.json",
        record="{root}/collections/{collection}/card.json.sha256",
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
        corpus=lambda w, input: f"--corpus {shlex.quote(input.corpus)}" if input.corpus else "",
        key=lambda w: plan(w).card_key(w.collection),
    shell:
        "python -m robustdr stage card --source {params.source:q} {params.corpus} --splits {input.splits:q}"
        " --output {output.card:q} > {log:q} 2>&1"
