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
