# Pre-training: checkpoints made from a checkpoint and a corpus.
PRETRAIN = Found(lambda w: graph(w).pretrained(w.pretraining, int(w.seed)))


rule pretrain:
    input:
        unpack(inputs(PRETRAIN)),
    output:
        model=expand(
            "{{root}}/checkpoints/{{pretraining}}/seed{{seed}}/{file}",
            file=[*SHARED_FILES, "training.csv", "cost.json"],
        ),
        record="{root}/checkpoints/{pretraining}/seed{seed}.sha256",
    log:
        "{root}/logs/pretrain/{pretraining}.{seed}.log",
    benchmark:
        "{root}/benchmarks/pretrain/{pretraining}.{seed}.tsv"
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
        folder=PRETRAIN.path,
    shell:
        "{params.launcher} -m robustdr.stages {params.command} --output {params.folder:q} > {log:q} 2>&1"
