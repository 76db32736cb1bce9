# Audit: printed numbers against each other. It needs no collection and no scale.
CLAIMED = ("claims", "experiment")  # what a paper's claims are judged by, where it has any
AUDITED = sorted(path.parent.name for path in Path("config/papers").glob("*/reported.yaml"))


rule audit:
    input:
        reported="config/papers/{audited}/reported.yaml",
        claims=lambda w: [
            path for path in (f"config/papers/{w.audited}/{part}.yaml" for part in CLAIMED) if os.path.exists(path)
        ],
        schema="config/schemas/reported.schema.json",
    output:
        md=report("results/audit/{audited}.md", category="Audit", subcategory="{audited}"),
        json="results/audit/{audited}.json",
    log:
        "results/logs/audit/{audited}.log",
    benchmark:
        "results/benchmarks/audit/{audited}.tsv"
    wildcard_constraints:
        audited="|".join(AUDITED),
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=retried(500),
        runtime=retried(10),
    params:
        code=code("robustdr.audit.command"),
        contents=contents(
            *(f"config/papers/{{audited}}/{part}.yaml" for part in ("reported", *CLAIMED)),
            "config/schemas/reported.schema.json",
        ),
    shell:
        "{{ python -m robustdr audit {input.reported:q} --format md --output {output.md:q};"
        " python -m robustdr audit {input.reported:q} --format json --output {output.json:q}; }} > {log:q} 2>&1"


rule audit_summary:
    input:
        reported=expand("config/papers/{audited}/reported.yaml", audited=AUDITED),
        schema="config/schemas/reported.schema.json",
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
        contents=contents(
            *expand("config/papers/{audited}/reported.yaml", audited=AUDITED), "config/schemas/reported.schema.json"
        ),
    shell:
        "python -m robustdr audit {input.reported:q} --summary --output {output.md:q} > {log:q} 2>&1"
