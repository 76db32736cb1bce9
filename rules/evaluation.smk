# Evaluation: all query sets of one model in one process.


for SCALE, ROOT, GRAPH in SCALES:
    EVALUATE = Found(lambda w, g=GRAPH: g.measures(w.system, int(w.seed), w.collection))

    rule:
        name:
            f"evaluate_{SCALE}"
        input:
            unpack(inputs(EVALUATE)),
        output:
            measures=f"{ROOT}/measures/{{collection}}/{{system}}/seed{{seed}}.parquet",
            record=f"{ROOT}/measures/{{collection}}/{{system}}/seed{{seed}}.parquet.sha256",
        log:
            f"{ROOT}/logs/evaluate/{{collection}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/evaluate/{{collection}}.{{system}}.{{seed}}.tsv"
        conda:
            "../envs/evaluate.yaml"
        threads: 1
        resources:
            mem_mb=EVALUATE.memory,
            runtime=EVALUATE.minutes,
        params:
            command=EVALUATE.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"
