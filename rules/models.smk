# Models: checkpoints, training files, training.


rule checkpoint:
    output:
        expand("{{root}}/checkpoints/{{checkpoint}}/{file}", file=MODEL_FILES),
    log:
        "{root}/logs/checkpoint/{checkpoint}.log",
    benchmark:
        "{root}/benchmarks/checkpoint/{checkpoint}.tsv"
    conda:
        "../envs/train-gpu.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=60,
    params:
        settings=lambda w: as_json(plan(w).checkpoint_settings(w.checkpoint)),
        key=lambda w: plan(w).checkpoint_key(w.checkpoint),
        folder=lambda w: f"{w.root}/checkpoints/{w.checkpoint}",
    shell:
        "python -m robustdr checkpoint --settings {params.settings:q} --key {params.key}"
        " --output {params.folder:q} > {log:q} 2>&1"


rule training_data:
    input:
        card="{root}/collections/{collection}/card.json",
        corpus="{root}/collections/{collection}/corpus.jsonl",
        queries="{root}/collections/{collection}/train/queries.tsv",
        qrels="{root}/collections/{collection}/train/qrels.txt",
        run=lambda w: run_file(
            w.root,
            w.collection,
            plan(w).recipe(w.system)["negatives"],
            plan(w).seed_of(plan(w).recipe(w.system)["negatives"], w.seed),
            "train",
            "original",
        ),
        variations=lambda w: [
            query_set(w.root, w.collection, "train", kind) for kind in plan(w).recipe(w.system).get("variations", [])
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
        mem_mb=retried(8000),
        runtime=120,
    params:
        settings=lambda w: as_json(plan(w).training_data_settings(w.system)),
        key=lambda w: plan(w).training_data_key(w.system, int(w.seed)),
    shell:
        "python -m robustdr training-data --settings {params.settings:q} --seed {wildcards.seed} --corpus {input.corpus:q}"
        " --queries {input.queries:q} --qrels {input.qrels:q} --run {input.run:q} --variations {input.variations:q}"
        " --tokenizer {input.tokenizer:q} --output {output.data:q} > {log:q} 2>&1"


# Systems whose learning curve a figure shows leave snapshots behind as well.
PERCENTS = sorted({p for taken in next(iter(PLANS.values())).snapshots().values() for p in taken})
CURVES = "|".join(next(iter(PLANS.values())).snapshots()) or "none"


rule train:
    input:
        unpack(teacher_files),
        data=rules.training_data.output.data,
        initial=initial_model,
    output:
        expand("{{root}}/models/{{collection}}/{{system}}/seed{{seed}}/{file}", file=[*MODEL_FILES, "training.csv"]),
    log:
        "{root}/logs/train/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/train/{collection}.{system}.{seed}.tsv"
    wildcard_constraints:
        system=f"(?!(?:{CURVES})/)[a-z0-9_]+",
    priority: 1  # the longest jobs first: what is left fills the gaps
    conda:
        "../envs/train-gpu.yaml"
    threads: lambda w: plan(w).bound["threads"]
    resources:
        mem_mb=retried(3000),
        runtime=lambda w, attempt: 1440 * attempt,
        gpu=lambda w: plan(w).budget(w.system)["devices"],
    params:
        settings=lambda w: as_json(plan(w).train_settings(w.system)),
        key=lambda w: plan(w).model_key(w.system, int(w.seed)),
        launcher=lambda w: launcher(plan(w).budget(w.system)["devices"]),
        folder=lambda w: model_folder(w.root, w.system, w.seed),
        resume=lambda w: f"{w.root}/resume/{w.collection}/{w.system}/seed{w.seed}",
        teacher=teacher_arguments,
        snapshots="",
    shell:
        "{params.launcher} -m robustdr train --settings {params.settings:q} --seed {wildcards.seed} --key {params.key}"
        " --data {input.data:q} --initial {input.initial:q} --resume {params.resume:q} {params.teacher}"
        " {params.snapshots} --output {params.folder:q} > {log:q} 2>&1"


use rule train as train_with_snapshots with:
    output:
        expand("{{root}}/models/{{collection}}/{{system}}/seed{{seed}}/{file}", file=[*MODEL_FILES, "training.csv"]),
        expand(
            "{{root}}/models/{{collection}}/{{system}}.at{percent}/seed{{seed}}/{file}",
            percent=PERCENTS,
            file=MODEL_FILES,
        ),
    log:
        "{root}/logs/train/{collection}.{system}.{seed}.snapshots.log",
    benchmark:
        "{root}/benchmarks/train/{collection}.{system}.{seed}.snapshots.tsv"
    wildcard_constraints:
        system=CURVES,
    params:
        settings=lambda w: as_json(plan(w).train_settings(w.system)),
        key=lambda w: plan(w).model_key(w.system, int(w.seed)),
        launcher=lambda w: launcher(plan(w).budget(w.system)["devices"]),
        folder=lambda w: model_folder(w.root, w.system, w.seed),
        resume=lambda w: f"{w.root}/resume/{w.collection}/{w.system}/seed{w.seed}",
        teacher=teacher_arguments,
        snapshots=f"--snapshots {' '.join(map(str, PERCENTS))}",
