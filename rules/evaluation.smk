# Evaluation: those query sets of a model that the same tables, figures and claims need, in one process.
EVALUATE = node_at(
    "{root}/measures/{collection}/{system}/seed{seed}/{split}.{variation}.parquet",
    lambda graph, w: graph.measures(w.system, int(w.seed), (w.collection, w.split), w.variation),
)


rule evaluate:
    input:
        unpack(inputs(EVALUATE)),
    output:
        measures="{root}/measures/{collection}/{system}/seed{seed}/{split}.{variation}.parquet",
        record=EVALUATE.record,
    log:
        "{root}/logs/evaluate/{collection}.{split}.{variation}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/evaluate/{collection}.{split}.{variation}.{system}.{seed}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=EVALUATE.memory,
        runtime=EVALUATE.minutes,
    params:
        settings=EVALUATE.settings,
    message:
        "Measure {wildcards.system}, seed {wildcards.seed} on {wildcards.split} queries of {wildcards.collection}"
    shell:
        "python -m robustdr.stages evaluate @{params.settings:q} > {log:q} 2>&1"


# A released checkpoint that misses its published score was read wrongly: what stands on it waits for this check.
PUBLISHED = node_at("{root}/published/{checkpoint}.json", lambda graph, w: graph.published(w.checkpoint))


rule published:
    input:
        unpack(inputs(PUBLISHED)),
    output:
        check="{root}/published/{checkpoint}.json",
        record=PUBLISHED.record,
    log:
        "{root}/logs/published/{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/published/{checkpoint}.tsv"
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=PUBLISHED.memory,
        runtime=PUBLISHED.minutes,
    params:
        settings=PUBLISHED.settings,
    message:
        "Compare {wildcards.checkpoint} with its published score"
    shell:
        "python -m robustdr.stages published @{params.settings:q} > {log:q} 2>&1"
