# Audit: printed numbers against each other. It needs no collection and no scale.
REPORTED = {
    path.parent.name: path for folder in (HOUSE, OVERLAY) if folder for path in folder.glob("papers/*/reported.yaml")
}
REPORTED = dict(sorted(REPORTED.items()))
# What a paper's claims are judged by on its own numbers, where it has any.
BESIDE = {
    paper: [path for name in ("claims", "experiment") if (path := reported.with_name(f"{name}.yaml")).is_file()]
    for paper, reported in REPORTED.items()
}


rule audit:
    input:  # `local`: no storage has the configuration
        reported=lambda w: local(REPORTED[w.audited]),
        claims=lambda w: local(BESIDE[w.audited]),
    output:
        md=report("results/audit/{audited}.md", category="Audit", subcategory="{audited}"),
        json="results/audit/{audited}.json",
    log:
        "results/logs/audit/{audited}.log",
    benchmark:
        "results/benchmarks/audit/{audited}.tsv"
    wildcard_constraints:
        audited="|".join(REPORTED),
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code("audit"),
        contents=lambda w: [sha256(path) for path in (REPORTED[w.audited], *BESIDE[w.audited])],
    message:
        "Audit the printed numbers of {wildcards.audited}"
    shell:
        "python -m robustdr.stages audit --made-of {params.code} --reported {input.reported:q}"
        " --output {output.md:q} --data {output.json:q} > {log:q} 2>&1"


rule audit_summary:
    input:
        reported=local(list(REPORTED.values())),
    output:
        md=report("results/audit/summary.md", category="Audit"),
    log:
        "results/logs/audit/summary.log",
    benchmark:
        "results/benchmarks/audit/summary.tsv"
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        code=code("audit_summary"),
        contents=[sha256(path) for path in REPORTED.values()],
    message:
        "Sum up the audits of all papers"
    shell:
        "python -m robustdr.stages audit-summary --made-of {params.code} --reported {input.reported:q}"
        " --output {output.md:q} > {log:q} 2>&1"
