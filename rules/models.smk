# Models: checkpoints, pre-training, training files, training. The record of a folder lists its files: kinds of models have
# their own.
CHECKPOINT = node_at("{root}/checkpoints/{checkpoint}", lambda graph, w: graph.checkpoint(w.checkpoint))


rule download_checkpoint:
    input:
        unpack(inputs(CHECKPOINT)),
    output:
        record=CHECKPOINT.record,
    log:
        "{root}/logs/download_checkpoint/{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/download_checkpoint/{checkpoint}.tsv"
    localrule: True
    conda:
        "../envs/train-gpu.yaml"
    threads: 1
    resources:
        mem_mb=CHECKPOINT.memory,
        runtime=CHECKPOINT.minutes,
    params:
        settings=CHECKPOINT.settings,
    message:
        "Bring the checkpoint {wildcards.checkpoint}"
    shell:
        "python -m robustdr.stages checkpoint @{params.settings:q} > {log:q} 2>&1"


# A corpus is tokenised once, on a processor: no GPU waits for it.
TOKENS = node_at(
    "{root}/tokens/{collection}/{checkpoint}/{length}",
    lambda graph, w: graph.tokens(w.collection, w.checkpoint, int(w.length)),
)


rule tokenise:
    input:
        unpack(inputs(TOKENS)),
    output:
        record=TOKENS.record,
    log:
        "{root}/logs/tokenise/{collection}.{checkpoint}.{length}.log",
    benchmark:
        "{root}/benchmarks/tokenise/{collection}.{checkpoint}.{length}.tsv"
    conda:
        "../envs/train-gpu.yaml"
    threads: TOKENS.cores
    resources:
        cpus_per_task=TOKENS.cores,
        mem_mb=TOKENS.memory,
        runtime=TOKENS.minutes,
    params:
        settings=TOKENS.settings,
    message:
        "Tokenise {wildcards.collection} for {wildcards.checkpoint}"
    shell:
        "python -m robustdr.stages tokenise @{params.settings:q} > {log:q} 2>&1"


PRETRAIN = node_at(
    "{root}/checkpoints/{pretraining}/seed{seed}", lambda graph, w: graph.pretrained(w.pretraining, int(w.seed))
)


rule pretrain:
    input:
        unpack(inputs(PRETRAIN)),
    output:
        log="{root}/checkpoints/{pretraining}/seed{seed}/training.csv",
        cost=multiext("{root}/costs/checkpoints/{pretraining}/seed{seed}.json", "", ".sha256"),
        record=PRETRAIN.record,
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
        nodes=PRETRAIN.nodes,
        tasks=PRETRAIN.tasks,
        tasks_per_gpu=0,  # else the executor asks for `tasks` on each GPU
        mpi=PRETRAIN.mpi,
    params:
        settings=PRETRAIN.settings,
        launcher=PRETRAIN.launcher,
    message:
        "Pre-train {wildcards.pretraining}, seed {wildcards.seed}"
    # The scores of all word pieces differ in size at each step. From this size on, freed memory goes back to the system.
    shell:
        "MALLOC_MMAP_THRESHOLD_=16777216 "
        "{params.launcher} -m robustdr.stages train @{params.settings:q} > {log:q} 2>&1"


TRAINING_DATA = node_at(
    "{root}/training/{collection}/{system}/seed{seed}.jsonl",
    lambda graph, w: graph.training_data(w.system, int(w.seed)),
)


rule training_data:
    input:
        unpack(inputs(TRAINING_DATA)),
    output:
        data="{root}/training/{collection}/{system}/seed{seed}.jsonl",
        record=TRAINING_DATA.record,
    log:
        "{root}/logs/training_data/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/training_data/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=TRAINING_DATA.memory,
        runtime=TRAINING_DATA.minutes,
    params:
        settings=TRAINING_DATA.settings,
    message:
        "Write the training data of {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m robustdr.stages training-data @{params.settings:q} > {log:q} 2>&1"


SCORE = node_at(
    "{root}/training/{collection}/{system}/seed{seed}.scores.jsonl",
    lambda graph, w: graph.teacher_scores(w.system, int(w.seed)),
)


rule score:
    input:
        unpack(inputs(SCORE)),
    output:
        scores="{root}/training/{collection}/{system}/seed{seed}.scores.jsonl",
        record=SCORE.record,
    log:
        "{root}/logs/score/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/score/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: SCORE.cores
    resources:
        cpus_per_task=SCORE.cores,
        mem_mb=SCORE.memory,
        runtime=SCORE.minutes,
        gpu=SCORE.gpus,
    params:
        settings=SCORE.settings,
    message:
        "Score the training data of {wildcards.system} by its teacher, seed {wildcards.seed}"
    shell:
        "python -m robustdr.stages score @{params.settings:q} > {log:q} 2>&1"


# Snapshots of a training lie beside the model; its record stands for them.
TRAIN = node_at("{root}/models/{collection}/{system}/seed{seed}", lambda graph, w: graph.model(w.system, int(w.seed)))


rule train:
    input:
        unpack(inputs(TRAIN)),
    output:
        log="{root}/models/{collection}/{system}/seed{seed}/training.csv",
        cost=multiext("{root}/costs/models/{collection}/{system}/seed{seed}.json", "", ".sha256"),
        record=TRAIN.record,
    log:
        "{root}/logs/train/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/train/{collection}.{system}.{seed}.tsv"
    priority: 1  # the longest jobs first: what is left fills the gaps
    conda:
        "../envs/train-gpu.yaml"
    threads: TRAIN.cores
    resources:
        cpus_per_task=TRAIN.cores,
        mem_mb=TRAIN.memory,
        runtime=TRAIN.minutes,
        gpu=TRAIN.gpus,
        nodes=TRAIN.nodes,
        tasks=TRAIN.tasks,
        tasks_per_gpu=0,  # else the executor asks for `tasks` on each GPU
        mpi=TRAIN.mpi,
    params:
        settings=TRAIN.settings,
        launcher=TRAIN.launcher,
    message:
        "Train {wildcards.system}, seed {wildcards.seed}"
    shell:
        "{params.launcher} -m robustdr.stages train @{params.settings:q} > {log:q} 2>&1"
