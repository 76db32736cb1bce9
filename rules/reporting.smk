# Reporting: tables, figures, claims, and the site that shows them together with their queries.
TABLES, FIGURES = (shown(CONFIG, folder, CONFIG.papers) for folder in ("tables", "figures"))


for SCALE, ROOT, GRAPH in SCALES:
    TABLE = Found(lambda w, g=GRAPH: tables.table(g, *TABLES[w.table]))

    rule:
        name:
            f"table_{SCALE}"
        input:
            unpack(inputs(TABLE)),
        output:
            md=report(
                f"{ROOT}/tables/{{table}}.md",
                caption="../report/table.rst",
                category="Tables",
                subcategory=lambda w: TABLES[w.table][0],
            ),
            others=expand(f"{ROOT}/tables/{{{{table}}}}.{{format}}", format=["csv", "json", "tex"]),
            record=f"{ROOT}/tables/{{table}}.json.sha256",
        log:
            f"{ROOT}/logs/table/{{table}}.log",
        benchmark:
            f"{ROOT}/benchmarks/table/{{table}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    FIGURE = Found(lambda w, g=GRAPH: tables.figure(g, *FIGURES[w.figure]))

    rule:
        name:
            f"figure_{SCALE}"
        input:
            unpack(inputs(FIGURE)),
        output:
            svg=report(
                f"{ROOT}/figures/{{figure}}.svg",
                caption="../report/figure.rst",
                category="Figures",
                subcategory=lambda w: FIGURES[w.figure][0],
            ),
            png=f"{ROOT}/figures/{{figure}}.png",
            record=f"{ROOT}/figures/{{figure}}.svg.sha256",
        log:
            f"{ROOT}/logs/figure/{{figure}}.log",
        benchmark:
            f"{ROOT}/benchmarks/figure/{{figure}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    CLAIMS = Found(lambda w, g=GRAPH: tables.claims(g, w.paper, ASKED.get(w.paper, (w.paper,))))

    rule:
        name:
            f"claims_{SCALE}"
        input:
            unpack(inputs(CLAIMS)),
        output:
            md=report(
                f"{ROOT}/claims/{{paper}}.md", caption="../report/claims.rst", category="Claims", subcategory="{paper}"
            ),
            json=f"{ROOT}/claims/{{paper}}.json",
            record=f"{ROOT}/claims/{{paper}}.json.sha256",
        log:
            f"{ROOT}/logs/claims/{{paper}}.log",
        benchmark:
            f"{ROOT}/benchmarks/claims/{{paper}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    QUERIES = Found(lambda w, g=GRAPH: site.queries(g, PAPERS, w.system, w.collection))

    rule:
        name:
            f"queries_{SCALE}"
        input:
            unpack(inputs(QUERIES)),
        output:
            explored=f"{ROOT}/report/data/{{collection}}/systems/{{system}}.js",
            record=f"{ROOT}/report/data/{{collection}}/systems/{{system}}.js.sha256",
        log:
            f"{ROOT}/logs/queries/{{collection}}.{{system}}.log",
        benchmark:
            f"{ROOT}/benchmarks/queries/{{collection}}.{{system}}.tsv"
        conda:
            "../envs/evaluate.yaml"
        threads: 1
        resources:
            mem_mb=QUERIES.memory,
            runtime=QUERIES.minutes,
        params:
            command=QUERIES.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    TEXTS = Found(lambda w, g=GRAPH: site.texts(g, PAPERS, w.collection))

    rule:
        name:
            f"texts_{SCALE}"
        input:
            unpack(inputs(TEXTS)),
        output:
            queries=f"{ROOT}/report/data/{{collection}}/queries.js",
            passages=expand(f"{ROOT}/report/data/{{{{collection}}}}/passages{{part}}.js", part=range(PARTS)),
            record=f"{ROOT}/report/data/{{collection}}/queries.js.sha256",
        log:
            f"{ROOT}/logs/texts/{{collection}}.log",
        benchmark:
            f"{ROOT}/benchmarks/texts/{{collection}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    SITE = Found(lambda w, g=GRAPH: site.page(g, PAPERS))

    rule:
        name:
            f"site_{SCALE}"
        input:
            unpack(lambda w, of=SITE: of.find(w).options),
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
            f"{ROOT}/logs/site/report.log",
        benchmark:
            f"{ROOT}/benchmarks/site/report.tsv"
        localrule: True
        conda:
            "../envs/report.yaml"
        threads: 1
        resources:
            mem_mb=SITE.memory,
            runtime=SITE.minutes,
        params:
            command=SITE.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"

    rule:
        name:
            f"headline_{SCALE}"
        input:
            tables=expand(f"{ROOT}/tables/{{name}}.json", name=shown(CONFIG, "tables", PAPERS)),
        output:
            json=f"{ROOT}/report/headline.json",
            drops=f"{ROOT}/report/drops.csv",
        log:
            f"{ROOT}/logs/headline.log",
        benchmark:
            f"{ROOT}/benchmarks/headline.tsv"
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
