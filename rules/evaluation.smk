# Evaluation: those query sets of a model that the same tables, figures and claims need, in one process.


for SCALE, ROOT, GRAPH in SCALES:
    EVALUATE = Found(lambda w, g=GRAPH: g.measures(w.system, int(w.seed), (w.collection, w.split), w.variation))

    rule:
        name:
            f"evaluate_{SCALE}"
        input:
            unpack(inputs(EVALUATE)),
        output:
            measures=f"{ROOT}/measures/{{collection}}/{{system}}/seed{{seed}}/{{split}}.{{variation}}.parquet",
            record=f"{ROOT}/measures/{{collection}}/{{system}}/seed{{seed}}/{{split}}.{{variation}}.parquet.sha256",
        log:
            f"{ROOT}/logs/evaluate/{{collection}}.{{split}}.{{variation}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/evaluate/{{collection}}.{{split}}.{{variation}}.{{system}}.{{seed}}.tsv"
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
