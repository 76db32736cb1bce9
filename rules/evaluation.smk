# Evaluation: all query sets of one model in one process.
EVALUATE = Found(lambda w: graph(w).measures(w.system, int(w.seed), w.collection))


rule evaluate:
    input:
        unpack(inputs(EVALUATE)),
    output:
        measures="{root}/measures/{collection}/{system}/seed{seed}.parquet",
        record="{root}/measures/{collection}/{system}/seed{seed}.parquet.sha256",
    log:
        "{root}/logs/evaluate/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/evaluate/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=EVALUATE.memory,
        runtime=EVALUATE.minutes,
    params:
        command=EVALUATE.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.measures:q} > {log:q} 2>&1"
