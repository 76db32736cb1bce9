# Query variations: every query of a split under one generator.


ruleorder: vary_versions > vary


# Of a generator that answers with several versions at once: the one that attacks and those that train.
rule vary_versions:
    input:
        unpack(varied_from),
    output:
        queries=versions("{root}/variations/{collection}/{split}/{variation}", ".tsv"),
        statistics=versions("{root}/variations/{collection}/{split}/{variation}", ".json"),
        split="{root}/variations/{collection}/{split}/{variation}.split.json",
        records=[
            *versions("{root}/variations/{collection}/{split}/{variation}", ".tsv.sha256"),
            *versions("{root}/variations/{collection}/{split}/{variation}", ".json.sha256"),
            "{root}/variations/{collection}/{split}/{variation}.split.json.sha256",
        ],
    log:
        "{root}/logs/vary/{collection}.{split}.{variation}.log",
    benchmark:
        "{root}/benchmarks/vary/{collection}.{split}.{variation}.tsv"
    wildcard_constraints:
        variation="|".join(VERSIONED),
    conda:
        "../envs/variations.yaml"
    threads: 1
    resources:
        mem_mb=retried(6000, full=12000),
        runtime=retried(240),
        gpu=lambda w: plan(w).variation(w.collection, w.split, w.variation).get("devices", 0),
    params:
        settings=lambda w: as_json(plan(w).variation_settings(w.collection, w.split, w.variation)),
        key=lambda w: plan(w).variation_key(w.collection, w.split, w.variation),
        tokenizer=tokenizer_argument,
    shell:
        "python -m robustdr stage vary-split --settings {params.settings:q} {params.tokenizer}"
        " --queries {input.queries:q} --output {output.queries:q} --statistics {output.statistics:q}"
        " --split {output.split:q} --key {params.key:q} > {log:q} 2>&1"


rule vary:
    input:
        unpack(varied_from),
    output:
        queries="{root}/variations/{collection}/{split}/{variation}.tsv",
        statistics="{root}/variations/{collection}/{split}/{variation}.json",
        records=expand("{{root}}/variations/{{collection}}/{{split}}/{{variation}}.{part}.sha256", part=["tsv", "json"]),
    log:
        "{root}/logs/vary/{collection}.{split}.{variation}.log",
    benchmark:
        "{root}/benchmarks/vary/{collection}.{split}.{variation}.tsv"
    conda:
        "../envs/variations.yaml"
    threads: 1
    resources:
        mem_mb=retried(6000, full=12000),
        runtime=retried(240),
        gpu=lambda w: plan(w).variation(w.collection, w.split, w.variation).get("devices", 0),
    params:
        settings=lambda w: as_json(plan(w).variation_settings(w.collection, w.split, w.variation)),
        key=lambda w: plan(w).variation_key(w.collection, w.split, w.variation),
        tokenizer=tokenizer_argument,
    shell:
        "python -m robustdr stage vary-split --settings {params.settings:q} {params.tokenizer}"
        " --queries {input.queries:q} --output {output.queries:q} --statistics {output.statistics:q} > {log:q} 2>&1"


rule similarity:
    input:
        unpack(
            lambda w: artifacts(
                model=plan(w).checkpoint_mark(w.checkpoint),
                queries=plan(w).query_set(w.collection, w.split, "original"),
                varied=[plan(w).query_set(w.collection, w.split, kind) for kind in compared_sets(w)],
            )
        ),
    output:
        similarity="{root}/similarity/{collection}/{split}/{checkpoint}.json",
        record="{root}/similarity/{collection}/{split}/{checkpoint}.json.sha256",
    log:
        "{root}/logs/similarity/{collection}.{split}.{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/similarity/{collection}.{split}.{checkpoint}.tsv"
    conda:
        "../envs/train-gpu.yaml"
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=retried(3000, full=12000),
        runtime=retried(60),
        gpu=1,
    params:
        key=lambda w: plan(w).similarity_key(w.checkpoint, w.collection, w.split, compared_sets(w)),
        model=lambda w: f"{w.root}/checkpoints/{w.checkpoint}",
    shell:
        "python -m robustdr stage similarity --model {params.model:q} --queries {input.queries:q}"
        " --varied {input.varied:q} --output {output.similarity:q} > {log:q} 2>&1"
