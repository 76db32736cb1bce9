# Models: checkpoints, training files, training.


# One rule for each form of checkpoint, because a rule's outputs are fixed.
for (SCALE, FORM), NAMES in checkpoint_forms().items():

    rule:
        name:
            "_".join(["checkpoint", SCALE, FORM])
        output:
            model=expand("{{root}}/checkpoints/{{checkpoint}}/{file}", file=FORMS[FORM]),
            record="{root}/checkpoints/{checkpoint}.sha256",
        log:
            "{root}/logs/checkpoint/{checkpoint}.log",
        benchmark:
            "{root}/benchmarks/checkpoint/{checkpoint}.tsv"
        wildcard_constraints:
            root=root_of(SCALE),
            checkpoint="|".join(NAMES),
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
            loads=lambda w: loads(plan(w).checkpoint_code(w.checkpoint)),
            folder=lambda w: f"{w.root}/checkpoints/{w.checkpoint}",
        shell:
            "python -m robustdr stage checkpoint {params.loads}"
            " --settings {params.settings:q} --key {params.key} --output {params.folder:q} > {log:q} 2>&1"


rule training_data:
    input:
        unpack(
            lambda w: artifacts(
                **mined(w),
                card=plan(w).card(w.collection),
                queries=plan(w).query_set(w.collection, "train", "original"),
                variations=[
                    plan(w).query_set(w.collection, "train", kind) for kind in plan(w).training_variations(w.system)
                ],
                tokenizer=f"{w.root}/checkpoints/{plan(w).checkpoint_of(w.system)}/tokenizer.json",
            )
        ),
    output:
        data="{root}/training/{collection}/{system}/seed{seed}.jsonl",
        record="{root}/training/{collection}/{system}/seed{seed}.jsonl.sha256",
    log:
        "{root}/logs/training_data/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/training_data/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=retried(8000, full=24000),
        runtime=retried(120),
    params:
        settings=lambda w: as_json(plan(w).training_data_settings(w.system)),
        key=lambda w: plan(w).training_data_key(w.system, int(w.seed)),
        passages=mined_arguments,
    shell:
        "python -m robustdr stage training-data --settings {params.settings:q} --seed {wildcards.seed} {params.passages}"
        " --queries {input.queries:q} --variations {input.variations:q} --tokenizer {input.tokenizer:q}"
        " --output {output.data:q} > {log:q} 2>&1"


rule score:
    input:
        unpack(
            lambda w: artifacts(
                data=plan(w).training_data(w.system, w.seed),
                corpus=plan(w).corpus(w.collection),
                model=plan(w).model(teacher(w), plan(w).seed_of(teacher(w), int(w.seed))),
            )
        ),
    output:
        scores="{root}/training/{collection}/{system}/seed{seed}.scores.jsonl",
        record="{root}/training/{collection}/{system}/seed{seed}.scores.jsonl.sha256",
    log:
        "{root}/logs/score/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/score/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/index-gpu.yaml"
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=retried(4000, full=24000),
        runtime=retried(240),
        gpu=1,
    params:
        settings=lambda w: as_json(plan(w).score_settings(w.system)),
        key=lambda w: plan(w).teacher_scores_key(w.system, int(w.seed)),
        loads=lambda w: loads(plan(w).teacher_scores_code(w.system)),
        model=lambda w: plan(w).model_folder(teacher(w), plan(w).seed_of(teacher(w), int(w.seed))),
    shell:
        "python -m robustdr stage score {params.loads} --settings {params.settings:q} --model {params.model:q}"
        " --data {input.data:q} --corpus {input.corpus:q} --output {output.scores:q} > {log:q} 2>&1"


# One rule for each set of files that a training may leave behind: kinds of models have their own, by what a scale starts
# them from, and one whose learning is followed has snapshots beside it.
for NUMBER, ((ROOTS, FILES, PERCENTS), SYSTEMS) in enumerate(train_kinds().items()):

    rule:
        name:
            "_".join(["train", str(NUMBER), *(f"at{percent}" for percent in PERCENTS)])
        input:
            unpack(
                lambda w: artifacts(
                    learns_from=learns_from(w).files,
                    data=plan(w).training_data(w.system, w.seed),
                    initial=initial_model(w),
                )
            ),
        output:
            model=expand(
                "{{root}}/models/{{collection}}/{{system}}/seed{{seed}}/{file}",
                file=[*FILES, "training.csv", "cost.json"],
            ),
            snapshots=expand(
                "{{root}}/models/{{collection}}/{{system}}.at{percent}/seed{{seed}}/{file}",
                percent=PERCENTS,
                file=FILES,
            ),
            records=expand(
                "{{root}}/models/{{collection}}/{{system}}{snapshot}/seed{{seed}}.sha256",
                snapshot=["", *(f".at{percent}" for percent in PERCENTS)],
            ),
        log:
            "{root}/logs/train/{collection}.{system}.{seed}.log",
        benchmark:
            "{root}/benchmarks/train/{collection}.{system}.{seed}.tsv"
        wildcard_constraints:
            root="|".join(ROOTS),
            system="|".join(SYSTEMS),
        priority: 1  # the longest jobs first: what is left fills the gaps
        conda:
            "../envs/train-gpu.yaml"
        threads: cores
        resources:
            cpus_per_task=cores,
            mem_mb=lambda w, attempt: retried(3000, full=24000)(w, attempt) * plan(w).budget(w.system)["devices"],
            runtime=retried(360),
            gpu=lambda w: plan(w).budget(w.system)["devices"],
        params:
            settings=lambda w: as_json(plan(w).train_settings(w.system)),
            key=lambda w: plan(w).model_key(w.system, int(w.seed)),
            loads=lambda w: loads(plan(w).model_code(w.system)),
            launcher=lambda w: launcher(plan(w).budget(w.system)["devices"]),
            initial=initial_folder,
            folder=lambda w: plan(w).model_folder(w.system, w.seed),
            resume=lambda w: f"{w.root}/resume/{w.collection}/{w.system}/seed{w.seed}",
            trains=lambda w: plan(w).kind(w.system).trains,
            learns_from=lambda w: options(learns_from(w)),
            snapshots=" ".join(["--snapshots", *map(str, PERCENTS)]) if PERCENTS else "",
        shell:
            "{params.launcher} -m robustdr stage train {params.loads}"
            " --trains {params.trains} --settings {params.settings:q} --seed {wildcards.seed} --key {params.key}"
            " --data {input.data:q} --initial {params.initial:q} --resume {params.resume:q} {params.learns_from}"
            " {params.snapshots} --output {params.folder:q} > {log:q} 2>&1"
