# Query variations: every query of a split under one generator.


ruleorder: vary_versions > vary


# One rule for each number of query sets that a generator makes of a split, because a rule's outputs are fixed: one, or
# where it answers with several versions at once, the one that attacks and those that train.
for NAME, COUNT, GENERATORS in (("vary", 1, VARIATION), ("vary_versions", VERSIONS, "|".join(VERSIONED))):

    rule:
        name:
            NAME
        input:
            unpack(varied_from),
        output:
            queries=versions("{root}/variations/{collection}/{split}/{variation}", ".tsv", COUNT),
            statistics=versions("{root}/variations/{collection}/{split}/{variation}", ".json", COUNT),
            split=split_of_versions(COUNT),
            records=[
                *versions("{root}/variations/{collection}/{split}/{variation}", ".tsv.sha256", COUNT),
                *versions("{root}/variations/{collection}/{split}/{variation}", ".json.sha256", COUNT),
                *split_of_versions(COUNT, ".sha256"),
            ],
        log:
            "{root}/logs/vary/{collection}.{split}.{variation}.log",
        benchmark:
            "{root}/benchmarks/vary/{collection}.{split}.{variation}.tsv"
        wildcard_constraints:
            variation=GENERATORS,
        conda:
            "../envs/variations.yaml"
        threads: 1
        resources:
            mem_mb=retried(6000, full=12000),
            runtime=retried(240),
            gpu=lambda w: 0 if variation_shards(w) else variation_devices(w),
        params:
            settings=lambda w: as_json(plan(w).variation_settings(w.collection, w.split, w.variation)),
            key=lambda w: plan(w).variation_key(w.collection, w.split, w.variation),
            loads=lambda w: loads(plan(w).variation_code(w.collection, w.split, w.variation)),
            tokenizer=tokenizer_argument,
        shell:
            "python -m robustdr stage vary-split {params.loads}"
            " --settings {params.settings:q} {params.tokenizer}"
            " --queries {input.queries:q} --shards {input.shards:q} --output {output.queries:q}"
            " --statistics {output.statistics:q} --split {output.split:q} --key {params.key:q} > {log:q} 2>&1"


# A part of a split of millions of queries: `vary` gathers them.
rule vary_shard:
    input:
        unpack(
            lambda w: artifacts(
                card=plan(w).card(w.collection), queries=plan(w).query_set(w.collection, w.split, "original")
            )
        ),
    output:
        queries="{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv",
        record="{root}/variations/{collection}/{split}/{variation}/{shard}-of-{shards}.tsv.sha256",
    log:
        "{root}/logs/vary_shard/{collection}.{split}.{variation}.{shard}-of-{shards}.log",
    benchmark:
        "{root}/benchmarks/vary_shard/{collection}.{split}.{variation}.{shard}-of-{shards}.tsv"
    conda:
        "../envs/variations.yaml"
    threads: 1
    resources:
        mem_mb=retried(6000),
        runtime=retried(240),
        gpu=variation_devices,
    params:
        settings=lambda w: as_json(plan(w).variation_settings(w.collection, w.split, w.variation)),
        key=lambda w: plan(w).variation_key(w.collection, w.split, w.variation),
        loads=lambda w: loads(plan(w).variation_code(w.collection, w.split, w.variation)),
    shell:
        "python -m robustdr stage vary-shard {params.loads}"
        " --settings {params.settings:q} --queries {input.queries:q}"
        " --shard {wildcards.shard} --shards {wildcards.shards} --output {output.queries:q} > {log:q} 2>&1"


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
        threads=lambda w: plan(w).computing["threads"],
    shell:
        "python -m robustdr stage similarity --threads {params.threads} --model {params.model:q}"
        " --queries {input.queries:q} --varied {input.varied:q} --output {output.similarity:q} > {log:q} 2>&1"
