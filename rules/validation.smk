# qvg's human validation: its Tables 2 and 3 counted from the authors' released labels, where config.yaml says where they are.


rule validation:
    input:
        labels=lambda w: ancient(label_files(w)),  # a parameter holds their digests
        reported=HOUSE / "papers/qvg/reported.yaml",
        schema=REPORTED_SCHEMA,
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
        mem_mb=retried(500),
        runtime=retried(10),
    params:
        folder=lambda w: config["qvg_labels"],
        code=code("validate_labels"),
        labels=lambda w: [sha256(path) for path in label_files(w)],
        contents=contents(HOUSE / "papers/qvg/reported.yaml", REPORTED_SCHEMA),
    shell:
        "python -m robustdr stage validate-labels --table {wildcards.validated} --labels {params.folder:q}"
        " --reported {input.reported:q} --output {output.md:q} > {log:q} 2>&1"
