# Pre-training: checkpoints made from a checkpoint and a corpus.


for SCALE, ROOT, GRAPH in SCALES:
    PRETRAIN = Found(lambda w, g=GRAPH: g.pretrained(w.pretraining, int(w.seed)))

    rule:
        name:
            f"pretrain_{SCALE}"
        input:
            unpack(inputs(PRETRAIN)),
        output:
            model=expand(
                f"{ROOT}/checkpoints/{{{{pretraining}}}}/seed{{{{seed}}}}/{{file}}",
                file=[*SHARED_FILES, "training.csv", "cost.json"],
            ),
            record=f"{ROOT}/checkpoints/{{pretraining}}/seed{{seed}}.sha256",
        log:
            f"{ROOT}/logs/pretrain/{{pretraining}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/pretrain/{{pretraining}}.{{seed}}.tsv"
        priority: 2  # everything that starts from it waits
        conda:
            "../envs/train-gpu.yaml"
        threads: PRETRAIN.cores
        resources:
            cpus_per_task=PRETRAIN.cores,
            mem_mb=PRETRAIN.memory,
            runtime=PRETRAIN.minutes,
            gpu=PRETRAIN.gpus,
        params:
            command=PRETRAIN.command,
            launcher=PRETRAIN.launcher,
        shell:
            "{params.launcher} -m robustdr.stages {params.command} > {log:q} 2>&1"
