# What a preflight asks of compute nodes: a job with the GPUs, cores, memory and time that jobs of a target ask for, so
# that the same nodes take it.
rule machine:
    output:
        "results/machines/{gpus}gpu-{cores}core-{memory}mb-{minutes}min.json",
    log:
        "results/logs/machine/{gpus}gpu-{cores}core-{memory}mb-{minutes}min.log",
    benchmark:
        "results/benchmarks/machine/{gpus}gpu-{cores}core-{memory}mb-{minutes}min.tsv"
    wildcard_constraints:
        gpus=r"\d+",
        cores=r"\d+",
        memory=r"\d+",
        minutes=r"\d+",
    conda:
        "../envs/index-gpu.yaml"
    threads: lambda w: int(w.cores)
    resources:
        cpus_per_task=lambda w: int(w.cores),
        mem_mb=lambda w: int(w.memory),
        runtime=lambda w: int(w.minutes),
        gpu=lambda w: int(w.gpus),
    params:
        precision=CONFIG.scales["full"].precision,
    message:
        "Look at a machine with {wildcards.gpus} GPU(s), {wildcards.cores} core(s) and {wildcards.memory} MB"
    shell:
        "python -m robustdr.stages machine --devices {wildcards.gpus} --precision {params.precision} --output {output:q}"
        " > {log:q} 2>&1"
