# Models: checkpoints, training files, training.


rule checkpoint:
    output:
        expand("{{root}}/checkpoints/{{checkpoint}}/{file}", file=SHARED_FILES),
    log:
        "{root}/logs/checkpoint/{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/checkpoint/{checkpoint}.tsv"
    localrule: True
    conda:
        "../envs/train-gpu.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(60),
    params:
        settings=lambda w: as_json(plan(w).checkpoint_settings(w.checkpoint)),
        key=lambda w: plan(w).checkpoint_key(w.checkpoint),
        folder=lambda w: f"{w.root}/checkpoints/{w.checkpoint}",
    shell:
        "python -m robustdr stage checkpoint --settings {params.settings:q} --key {params.key}"
        " --output {params.folder:q} > {log:q} 2>&1"


rule training_data:
    input:
        unpack(mined),
        card="{root}/collections/{collection}/card.json",
        queries="{root}/collections/{collection}/train/queries.tsv",
        variations=lambda w: [
            plan(w).query_set(w.collection, "train", kind) for kind in plan(w).training_variations(w.system)
        ],
        tokenizer=lambda w: f"{w.root}/checkpoints/{plan(w).checkpoint_of(w.system)}/tokenizer.json",
    output:
        data="{root}/training/{collection}/{system}/seed{seed}.jsonl",
    log:
        "{root}/logs/training_data/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/training_data/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=retried(8000, full=128000),
        runtime=retried(120),
    params:
        settings=lambda w: as_json(plan(w).training_data_settings(w.system)),
        key=lambda w: plan(w).training_data_key(w.system, int(w.seed)),
        passages=mined_arguments,
    shell:
        "python -m robustdr stage training-data --settings {params.settings:q} --seed {wildcards.seed} {params.passages}"
        " --queries {input.queries:q} --variations {input.variations:q} --tokenizer {input.tokenizer:q}"
        " --output {output.data:q} > {log:q} 2>&1"


# One rule for each set of files that a training may leave behind: a system with separate encoders has two of them, and
# one whose learning is followed has snapshots beside it.
for (ROUTER, PERCENTS), SYSTEMS in train_kinds().items():

    rule:
        name:
            "_".join(["train", "separate" if ROUTER else "shared", *(f"at{percent}" for percent in PERCENTS)])
        input:
            unpack(teacher_files),
            data=rules.training_data.output.data,
            initial=initial_model,
        output:
            model=expand(
                "{{root}}/models/{{collection}}/{{system}}/seed{{seed}}/{file}",
                file=[*(ROUTER_FILES if ROUTER else SHARED_FILES), "training.csv", "cost.json"],
            ),
            snapshots=expand(
                "{{root}}/models/{{collection}}/{{system}}.at{percent}/seed{{seed}}/{file}",
                percent=PERCENTS,
                file=ROUTER_FILES if ROUTER else SHARED_FILES,
            ),
        log:
            "{root}/logs/train/{collection}.{system}.{seed}.log",
        benchmark:
            "{root}/benchmarks/train/{collection}.{system}.{seed}.tsv"
        wildcard_constraints:
            system="|".join(SYSTEMS),
        priority: 1  # the longest jobs first: what is left fills the gaps
        conda:
            "../envs/train-gpu.yaml"
        threads: cores
        resources:
            cpus_per_task=cores,
            mem_mb=lambda w, attempt: retried(3000, full=80000)(w, attempt) * plan(w).budget(w.system)["devices"],
            runtime=retried(1440),
            gpu=lambda w: plan(w).budget(w.system)["devices"],
        params:
            settings=lambda w: as_json(plan(w).train_settings(w.system)),
            key=lambda w: plan(w).model_key(w.system, int(w.seed)),
            launcher=lambda w: launcher(plan(w).budget(w.system)["devices"]),
            initial=initial_folder,
            folder=lambda w: plan(w).model_folder(w.system, w.seed),
            resume=lambda w: f"{w.root}/resume/{w.collection}/{w.system}/seed{w.seed}",
            teacher=teacher_arguments,
            snapshots=" ".join(["--snapshots", *map(str, PERCENTS)]) if PERCENTS else "",
        shell:
            "{params.launcher} -m robustdr stage train --settings {params.settings:q} --seed {wildcards.seed} --key {params.key}"
            " --data {input.data:q} --initial {params.initial:q} --resume {params.resume:q} {params.teacher}"
            " {params.snapshots} --output {params.folder:q} > {log:q} 2>&1"
