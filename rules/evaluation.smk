# Evaluation: all query sets of one model in one process.


rule evaluate:
    input:
        unpack(
            lambda w: artifacts(
                runs=evaluated(w, lambda split, kind: plan(w).run(w.system, w.seed, w.collection, split, kind)),
                judgements=evaluated(w, lambda split, kind: plan(w).split_files(w.collection, split)[1]),
                corpus=searched_for_answers(w),
            )
        ),
    output:
        measures="{root}/measures/{collection}/{system}/seed{seed}.parquet",
        record="{root}/measures/{collection}/{system}/seed{seed}.parquet.sha256",
    log:
        "{root}/logs/evaluate/{collection}.{system}.{seed}.log",
    benchmark:
        "{root}/benchmarks/evaluate/{collection}.{system}.{seed}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000, full=16000),
        runtime=retried(30, full=90),
    params:
        settings=lambda w: as_json(plan(w).evaluate_settings(w.system, w.collection)),
        key=lambda w: plan(w).measures_key(w.system, int(w.seed), w.collection),
        corpus=lambda w, input: f"--corpus {shlex.quote(input.corpus)}" if input.corpus else "",
    shell:
        "python -m robustdr stage evaluate --settings {params.settings:q} --key {params.key} --runs {input.runs:q}"
        " --judgements {input.judgements:q} {params.corpus} --output {output.measures:q} > {log:q} 2>&1"
