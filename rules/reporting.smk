# Reporting: tables, figures, claims, and the site that shows them together with their queries.
TABLES, FIGURES = (shown(CONFIG, folder, CONFIG.papers) for folder in ("tables", "figures"))
SHOWN = {folder: shown(CONFIG, folder, PAPERS) for folder in ("tables", "figures")}
JUDGED = [paper for paper in ASKED if CONFIG.claims[paper].claims]

TABLE = Found(lambda w: tables.table(graph(w), *TABLES[w.table]))
FIGURE = Found(lambda w: tables.figure(graph(w), *FIGURES[w.figure]))
CLAIMS = Found(lambda w: tables.claims(graph(w), w.paper, ASKED.get(w.paper, (w.paper,))))
QUERIES = Found(lambda w: site.queries(graph(w), w.system, w.collection))
TEXTS = Found(lambda w: site.texts(graph(w), PAPERS, w.collection))


rule table:
    input:
        unpack(inputs(TABLE)),
    output:
        md=report(
            "{root}/tables/{table}.md",
            caption="../report/table.rst",
            category="Tables",
            subcategory=lambda w: TABLES[w.table][0],
        ),
        others=expand("{{root}}/tables/{{table}}.{format}", format=["csv", "json", "tex"]),
        record="{root}/tables/{table}.json.sha256",
    log:
        "{root}/logs/table/{table}.log",
    benchmark:
        "{root}/benchmarks/table/{table}.tsv"
    wildcard_constraints:
        table="|".join(TABLES),
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=TABLE.memory,
        runtime=TABLE.minutes,
    params:
        command=TABLE.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.md:q} > {log:q} 2>&1"


rule figure:
    input:
        unpack(inputs(FIGURE)),
    output:
        svg=report(
            "{root}/figures/{figure}.svg",
            caption="../report/figure.rst",
            category="Figures",
            subcategory=lambda w: FIGURES[w.figure][0],
        ),
        png="{root}/figures/{figure}.png",
        record="{root}/figures/{figure}.svg.sha256",
    log:
        "{root}/logs/figure/{figure}.log",
    benchmark:
        "{root}/benchmarks/figure/{figure}.tsv"
    wildcard_constraints:
        figure="|".join(FIGURES),
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=FIGURE.memory,
        runtime=FIGURE.minutes,
    params:
        command=FIGURE.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.svg:q} > {log:q} 2>&1"


rule claims:
    input:
        unpack(inputs(CLAIMS)),
    output:
        md=report("{root}/claims/{paper}.md", caption="../report/claims.rst", category="Claims", subcategory="{paper}"),
        json="{root}/claims/{paper}.json",
        record="{root}/claims/{paper}.json.sha256",
    log:
        "{root}/logs/claims/{paper}.log",
    benchmark:
        "{root}/benchmarks/claims/{paper}.tsv"
    localrule: True
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=CLAIMS.memory,
        runtime=CLAIMS.minutes,
    params:
        command=CLAIMS.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.md:q} > {log:q} 2>&1"


rule queries:
    input:
        unpack(inputs(QUERIES)),
    output:
        explored="{root}/report/data/{collection}/systems/{system}.js",
        record="{root}/report/data/{collection}/systems/{system}.js.sha256",
    log:
        "{root}/logs/queries/{collection}.{system}.log",
    benchmark:
        "{root}/benchmarks/queries/{collection}.{system}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=QUERIES.memory,
        runtime=QUERIES.minutes,
    params:
        command=QUERIES.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.explored:q} > {log:q} 2>&1"


rule texts:
    input:
        unpack(inputs(TEXTS)),
    output:
        queries="{root}/report/data/{collection}/queries.js",
        passages=expand("{{root}}/report/data/{{collection}}/passages{part}.js", part=range(PARTS)),
        record="{root}/report/data/{collection}/queries.js.sha256",
    log:
        "{root}/logs/texts/{collection}.log",
    benchmark:
        "{root}/benchmarks/texts/{collection}.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=TEXTS.memory,
        runtime=TEXTS.minutes,
    params:
        command=TEXTS.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.queries:q} --passages {output.passages:q}"
        " > {log:q} 2>&1"


# One rule for each scale: hundreds of pages that begin with a wildcard are tried for every file that Snakemake looks up.
for ROOT, GRAPH in GRAPHS.items():

    rule:
        name:
            "_".join(["site", GRAPH.lineage.scale_name])
        input:
            tables=expand(f"{ROOT}/tables/{{name}}.json", name=SHOWN["tables"]),
            figures=expand(f"{ROOT}/figures/{{name}}.svg", name=SHOWN["figures"]),
            claims=expand(f"{ROOT}/claims/{{paper}}.json", paper=JUDGED),
            audits=[f"results/audit/{paper}.json" for paper in ASKED if paper in REPORTED],
            replicates=[str(site.REPLICATES)] if site.REPLICATES.is_file() else [],
            data=lambda w, g=GRAPH: [
                path
                for collection in site.explored(g, PAPERS)
                for made in [site.texts(g, PAPERS, collection)]
                for path in (made.path, *(read.path for read in made.inputs["explored"].nodes))
            ],
        output:
            html=f"{ROOT}/report/index.html",
            pages=expand(f"{ROOT}/report/{{page}}", page=site.pages(CONFIG, PAPERS)),
            record=f"{ROOT}/report/index.html.sha256",
        log:
            f"{ROOT}/logs/site.log",
        benchmark:
            f"{ROOT}/benchmarks/site.tsv"
        localrule: True
        conda:
            "../envs/report.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            settings=lambda w, g=GRAPH: as_json(site.site_settings(g, PAPERS)),
            code=code("site"),
            contents=lambda w: [sha256(path) for path in sorted(PAGES.iterdir())],
        shell:
            "python -m robustdr.stages site --made-of {params.code} --settings {params.settings:q} --tables {input.tables:q}"
            " --figures {input.figures:q} --claims {input.claims:q} --audits {input.audits:q}"
            " --replicates {input.replicates:q} --output {output.html:q}"
            " --pages {output.pages:q} > {log:q} 2>&1"


rule headline:
    input:
        tables=expand("{{root}}/tables/{name}.json", name=SHOWN["tables"]),
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
        mem_mb=1000,
        runtime=10,
    params:
        # By paper and role, the measure that the paper names first.
        measures=json.dumps(
            {
                paper: {role: entry.measures[0] for role, entry in CONFIG.papers[paper].evaluation.items()}
                for paper in ASKED
            }
        ),
        code=code("headline"),
    shell:
        "python -m robustdr.stages headline --made-of {params.code} --measures {params.measures:q}"
        " --tables {input.tables:q} --output {output.json:q} --drops {output.drops:q} > {log:q} 2>&1"
