# Audit: printed numbers against each other. It needs no collection and no scale.
CLAIMED = ("claims", "experiment")  # what a paper's claims are judged by, where it has any
REPORTED = overlay.found([HOUSE, *([OVERLAY] if OVERLAY else [])], "papers/*/reported.yaml")
REPORTED_SCHEMA = HOUSE / "schemas/reported.schema.json"


rule audit:
    input:
        reported=audited_file("reported"),
        claims=lambda w: [path for part in CLAIMED if (path := audited_file(part)(w))],
        schema=REPORTED_SCHEMA,
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
        mem_mb=retried(500),
        runtime=retried(10),
    params:
        code=code("robustdr.audit.command"),
        contents=contents(*(audited_file(part) for part in ("reported", *CLAIMED)), REPORTED_SCHEMA),
    shell:
        "{{ python -m robustdr audit {input.reported:q} --format md --output {output.md:q};"
        " python -m robustdr audit {input.reported:q} --format json --output {output.json:q}; }} > {log:q} 2>&1"


rule audit_summary:
    input:
        reported=REPORTED.values(),
        schema=REPORTED_SCHEMA,
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
        mem_mb=retried(500),
        runtime=retried(10),
    params:
        code=code("robustdr.audit.command"),
        contents=contents(*REPORTED.values(), REPORTED_SCHEMA),
    shell:
        "python -m robustdr audit {input.reported:q} --summary --output {output.md:q} > {log:q} 2>&1"
