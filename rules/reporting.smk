# Reporting: tables, figures, claims, and the site that shows them together with their queries.


rule table:
    input:
        unpack(
            lambda w: artifacts(
                measures=list(reports.table_settings(plan(w), w.paper, w.table).keys),
                statistics=varied_statistics(w),
                queries=compared_queries(w),
            )
        ),
        costs=lambda w: reports.table_costs(plan(w), w.paper, w.table),
        reported=paper_file("reported.yaml"),
    output:
        md=report(
            "{root}/tables/{paper}_{table}.md", caption="../report/table.rst", category="Tables", subcategory="{paper}"
        ),
        others=expand("{{root}}/tables/{{paper}}_{{table}}.{format}", format=["csv", "json", "tex"]),
    log:
        "{root}/logs/table/{paper}_{table}.log",
    benchmark:
        "{root}/benchmarks/table/{paper}_{table}.tsv"
    wildcard_constraints:
        paper=r"(?!qvg_table[23]\b)[a-z]+",  # those are counted from labels, see `validation`
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(30),
    params:
        settings=lambda w: as_json(reports.table_settings(plan(w), w.paper, w.table)),
        code=code("table"),
        reported=reported_argument,
        contents=contents(paper_file("reported.yaml")),
    shell:
        "python -m robustdr stage table --settings {params.settings:q} --measures {input.measures:q}"
        " --statistics {input.statistics:q} --queries {input.queries:q} --costs {input.costs:q} {params.reported}"
        " --output {output.md:q} > {log:q} 2>&1"


rule figure:
    input:
        unpack(lambda w: artifacts(measures=list(reports.figure_settings(plan(w), w.paper, w.figure).keys))),
        reported=paper_file("reported.yaml"),
    output:
        svg=report(
            "{root}/figures/{paper}_{figure}.svg",
            caption="../report/figure.rst",
            category="Figures",
            subcategory="{paper}",
        ),
        png="{root}/figures/{paper}_{figure}.png",
    log:
        "{root}/logs/figure/{paper}_{figure}.log",
    benchmark:
        "{root}/benchmarks/figure/{paper}_{figure}.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(30),
    params:
        settings=lambda w: as_json(reports.figure_settings(plan(w), w.paper, w.figure)),
        code=code("figure"),
        reported=reported_argument,
        contents=contents(paper_file("reported.yaml")),
    shell:
        "python -m robustdr stage figure --settings {params.settings:q} --measures {input.measures:q} {params.reported}"
        " --output {output.svg:q} > {log:q} 2>&1"


rule claims:
    input:
        unpack(lambda w: artifacts(measures=list(reports.claims_settings(plan(w), w.paper).keys))),
        claims=paper_file("claims.yaml"),
        reported=paper_file("reported.yaml"),
    output:
        md=report("{root}/claims/{paper}.md", caption="../report/claims.rst", category="Claims", subcategory="{paper}"),
        json="{root}/claims/{paper}.json",
    log:
        "{root}/logs/claims/{paper}.log",
    benchmark:
        "{root}/benchmarks/claims/{paper}.tsv"
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=retried(4000),
        runtime=retried(30),
    params:
        settings=lambda w: as_json(reports.claims_settings(plan(w), w.paper)),
        code=code("claims"),
        reported=reported_argument,
        contents=contents(paper_file("claims.yaml"), paper_file("reported.yaml")),
    shell:
        "python -m robustdr stage claims --settings {params.settings:q} --measures {input.measures:q}"
        " --claims {input.claims:q} {params.reported} --output {output.md:q} > {log:q} 2>&1"


rule queries:
    input:
        unpack(
            lambda w: artifacts(
                measures=expand(
                    "{root}/measures/{collection}/{system}/seed{seed}.parquet", **w, seed=plan(w).seeds(w.system)
                ),
                runs=evaluated(
                    w, lambda split, kind: plan(w).run(w.system, plan(w).seeds(w.system)[0], w.collection, split, kind)
                ),
                judgements=evaluated(w, lambda split, kind: plan(w).split_files(w.collection, split)[1]),
                queries=list(
                    dict.fromkeys(evaluated(w, lambda split, kind: plan(w).query_set(w.collection, split, ORIGINAL)))
                ),
                corpus=searched_for_answers(w),
            )
        ),
    output:
        explored="{root}/report/data/{collection}/systems/{system}.js",
    log:
        "{root}/logs/queries/{collection}.{system}.log",
    benchmark:
        "{root}/benchmarks/queries/{collection}.{system}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=retried(1000, full=16000),
        runtime=retried(10, full=90),
    params:
        settings=lambda w: as_json(reports.queries_settings(plan(w), w.system, w.collection)),
        code=code("queries"),
        corpus=lambda w, input: f"--corpus {shlex.quote(input.corpus)}" if input.corpus else "",
    shell:
        "python -m robustdr stage queries --settings {params.settings:q} --measures {input.measures:q}"
        " --runs {input.runs:q} --judgements {input.judgements:q} --queries {input.queries:q} {params.corpus}"
        " --output {output.explored:q} > {log:q} 2>&1"


rule texts:
    input:
        unpack(
            lambda w: artifacts(
                queries=reports.explored_texts(plan(w), PAPERS, w.collection), corpus=plan(w).corpus(w.collection)
            )
        ),
        explored=lambda w: explored(w, w.collection),
    output:
        queries="{root}/report/data/{collection}/queries.js",
        passages=expand("{{root}}/report/data/{{collection}}/passages{part}.js", part=range(PARTS)),
    log:
        "{root}/logs/texts/{collection}.log",
    benchmark:
        "{root}/benchmarks/texts/{collection}.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(1000, full=4000),
        runtime=retried(10, full=60),
    params:
        code=code("texts"),
    shell:
        "python -m robustdr stage texts --explored {input.explored:q} --queries {input.queries:q} --corpus {input.corpus:q}"
        " --output {output.queries:q} --passages {output.passages:q} > {log:q} 2>&1"


rule site:
    input:
        tables=lambda w: [Path(table).with_suffix(".json") for table in tables(w.root)],
        figures=lambda w: figures(w.root),
        claims=lambda w: all_claims(w.root),
        audits=lambda w: [f"results/audit/{paper}.json" for paper in PAPERS if paper in REPORTED],
        data=lambda w: [
            path
            for collection in reports.explored(plan(w), PAPERS)
            for path in (f"{w.root}/report/data/{collection}/queries.js", *explored(w, collection))
        ],
    output:
        html="{root}/report/index.html",
        pages=expand("{{root}}/report/{page}", page=reports.site_pages(CONFIG, PAPERS)),
    log:
        "{root}/logs/site.log",
    benchmark:
        "{root}/benchmarks/site.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(1000),
        runtime=retried(10),
    params:
        settings=lambda w: as_json(reports.site_settings(plan(w), PAPERS)),
        code=code("site"),
        contents=lambda w: [sha256(path) for path in sorted(PAGES.iterdir())],
    shell:
        "python -m robustdr stage site --settings {params.settings:q} --tables {input.tables:q} --figures {input.figures:q}"
        " --claims {input.claims:q} --audits {input.audits:q} --output {output.html:q} > {log:q} 2>&1"


rule headline:
    input:
        tables=lambda w: [Path(table).with_suffix(".json") for table in tables(w.root)],
    output:
        json="{root}/report/headline.json",
        drops="{root}/report/drops.csv",
    log:
        "{root}/logs/headline.log",
    benchmark:
        "{root}/benchmarks/headline.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(1000),
        runtime=retried(10),
    params:
        measures=lambda w: as_json(reports.headline_measures(plan(w), PAPERS)),
        code=code("headline"),
    shell:
        "python -m robustdr stage headline --measures {params.measures:q} --tables {input.tables:q}"
        " --output {output.json:q} --drops {output.drops:q} > {log:q} 2>&1"


rule findings:
    input:
        claims=lambda w: all_claims(root_of(config["scale"])),
    output:
        md="docs/findings.md",
    log:
        "results/logs/findings.log",
    benchmark:
        "results/benchmarks/findings.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=retried(1000),
        runtime=retried(10),
    params:
        commit=commit,
        code=code("findings"),
    shell:
        "python -m robustdr stage findings --commit {params.commit:q} --claims {input.claims:q} --output {output.md:q}"
        " > {log:q} 2>&1"
