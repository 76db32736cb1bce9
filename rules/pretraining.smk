# Pre-training: checkpoints made from a checkpoint and a corpus.


rule pretrain:
    input:
        unpack(
            lambda w: artifacts(
                corpus=plan(w).corpus(plan(w).texts_of(w.pretraining)),
                initial=f"{w.root}/checkpoints/{pretraining(w)['initial']}/model.safetensors",
            )
        ),
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
    threads: cores
    resources:
        cpus_per_task=cores,
        mem_mb=lambda w, attempt: retried(4000, full=24000)(w, attempt) * pretraining_devices(w),
        runtime=retried(420),
        gpu=lambda w: pretraining_devices(w),
    params:
        settings=lambda w: as_json(plan(w).pretraining_settings(w.pretraining)),
        key=lambda w: plan(w).pretrained_key(w.pretraining, int(w.seed)),
        loads=lambda w: loads(plan(w).pretrained_code()),
        launcher=lambda w: launcher(pretraining_devices(w)),
        trains=TRAINS,
        initial=lambda w: f"{w.root}/checkpoints/{pretraining(w)['initial']}",
        folder=lambda w: plan(w).pretrained_folder(w.pretraining, w.seed),
        resume=lambda w: f"{w.root}/resume/pretrained/{w.pretraining}/seed{w.seed}",
    shell:
        "{params.launcher} -m robustdr stage train {params.loads}"
        " --trains {params.trains} --settings {params.settings:q} --seed {wildcards.seed} --key {params.key}"
        " --data {input.corpus:q} --initial {params.initial:q} --resume {params.resume:q} --output {params.folder:q}"
        " > {log:q} 2>&1"
