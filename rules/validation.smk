# qvg's human validation: its Tables 2 and 3 counted from the authors' released labels, where config.yaml says where they are.


rule validation:
    input:
        labels=lambda w: local(ancient(labels.configured(SETTINGS.qvg_labels, w.validated))),  # a parameter holds their digests
        reported=local(HOUSE / "papers/qvg/reported.yaml"),
    output:
        md=report("results/tables/qvg_{validated}.md", category="Audit", subcategory="qvg"),
        csv="results/tables/qvg_{validated}.csv",
        json="results/tables/qvg_{validated}.json",
    log:
        "results/logs/validation/{validated}.log",
    benchmark:
        "results/benchmarks/validation/{validated}.tsv"
    wildcard_constraints:
        validated="table[23]",
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        folder=lambda w: SETTINGS.qvg_labels,
        code=code("validate_labels"),
        labels=lambda w: [sha256(path) for path in labels.configured(SETTINGS.qvg_labels, w.validated)],
        contents=lambda w: sha256(HOUSE / "papers/qvg/reported.yaml"),
    message:
        "Count qvg's {wildcards.validated} from the released labels"
    shell:
        "python -m robustdr.stages validate-labels --made-of {params.code} --table {wildcards.validated}"
        " --labels {params.folder:q}"
        " --reported {input.reported:q} --output {output.md:q} > {log:q} 2>&1"
