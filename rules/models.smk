# Models: checkpoints, training files, training.


# One rule for each form of checkpoint, because a rule's outputs are fixed.
for (ROOT, FORM), NAMES in checkpoints_by_form(GRAPHS).items():
    CHECKPOINT = Found(lambda w, g=GRAPHS[ROOT]: g.checkpoint(w.checkpoint))

    rule:
        name:
            "_".join(["checkpoint", GRAPHS[ROOT].lineage.scale_name, FORM])
        input:
            unpack(inputs(CHECKPOINT)),
        output:
            model=expand(f"{ROOT}/checkpoints/{{{{checkpoint}}}}/{{file}}", file=FORMS[FORM]),
            record=f"{ROOT}/checkpoints/{{checkpoint}}.sha256",
        log:
            f"{ROOT}/logs/checkpoint/{{checkpoint}}.log",
        benchmark:
            f"{ROOT}/benchmarks/checkpoint/{{checkpoint}}.tsv"
        wildcard_constraints:
            checkpoint="|".join(NAMES),
        localrule: True
        conda:
            "../envs/train-gpu.yaml"
        threads: 1
        resources:
            mem_mb=CHECKPOINT.memory,
            runtime=CHECKPOINT.minutes,
        params:
            command=CHECKPOINT.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


for SCALE, ROOT, GRAPH in SCALES:
    TRAINING_DATA = Found(lambda w, g=GRAPH: g.training_data(w.system, int(w.seed)))

    rule:
        name:
            f"training_data_{SCALE}"
        input:
            unpack(inputs(TRAINING_DATA)),
        output:
            data=f"{ROOT}/training/{{collection}}/{{system}}/seed{{seed}}.jsonl",
            record=f"{ROOT}/training/{{collection}}/{{system}}/seed{{seed}}.jsonl.sha256",
        log:
            f"{ROOT}/logs/training_data/{{collection}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/training_data/{{collection}}.{{system}}.{{seed}}.tsv"
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=TRAINING_DATA.memory,
            runtime=TRAINING_DATA.minutes,
        params:
            command=TRAINING_DATA.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    SCORE = Found(lambda w, g=GRAPH: g.teacher_scores(w.system, int(w.seed)))

    rule:
        name:
            f"score_{SCALE}"
        input:
            unpack(inputs(SCORE)),
        output:
            scores=f"{ROOT}/training/{{collection}}/{{system}}/seed{{seed}}.scores.jsonl",
            record=f"{ROOT}/training/{{collection}}/{{system}}/seed{{seed}}.scores.jsonl.sha256",
        log:
            f"{ROOT}/logs/score/{{collection}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/score/{{collection}}.{{system}}.{{seed}}.tsv"
        conda:
            "../envs/index-gpu.yaml"
        threads: SCORE.cores
        resources:
            cpus_per_task=SCORE.cores,
            mem_mb=SCORE.memory,
            runtime=SCORE.minutes,
            gpu=SCORE.gpus,
        params:
            command=SCORE.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# One rule for each set of files that a training may leave behind: kinds of models have their own, by what a scale starts
# them from, and one whose learning is followed has snapshots beside it.
for NUMBER, (LEFT, SYSTEMS) in enumerate(trained_by_files(GRAPHS).items()):
    ROOT = LEFT.graph.root
    MODEL = f"{ROOT}/models/{{{{collection}}}}/{{{{system}}}}"
    TRAIN = Found(lambda w, g=LEFT.graph: g.model(w.system, int(w.seed)))

    rule:
        name:
            "_".join(["train", LEFT.graph.lineage.scale_name, str(NUMBER), *(f"at{part}" for part in LEFT.percents)])
        input:
            unpack(inputs(TRAIN)),
        output:
            model=expand(f"{MODEL}/seed{{{{seed}}}}/{{file}}", file=[*LEFT.files, "training.csv", "cost.json"]),
            snapshots=expand(f"{MODEL}.at{{percent}}/seed{{{{seed}}}}/{{file}}", percent=LEFT.percents, file=LEFT.files),
            records=expand(
                f"{MODEL}{{snapshot}}/seed{{{{seed}}}}.sha256",
                snapshot=["", *(f".at{percent}" for percent in LEFT.percents)],
            ),
        log:
            f"{ROOT}/logs/train/{{collection}}.{{system}}.{{seed}}.log",
        benchmark:
            f"{ROOT}/benchmarks/train/{{collection}}.{{system}}.{{seed}}.tsv"
        wildcard_constraints:
            system="|".join(SYSTEMS),
        priority: 1  # the longest jobs first: what is left fills the gaps
        conda:
            "../envs/train-gpu.yaml"
        threads: TRAIN.cores
        resources:
            cpus_per_task=TRAIN.cores,
            mem_mb=TRAIN.memory,
            runtime=TRAIN.minutes,
            gpu=TRAIN.gpus,
        params:
            command=TRAIN.command,
            launcher=TRAIN.launcher,
        shell:
            "{params.launcher} -m robustdr.stages {params.command} > {log:q} 2>&1"
