# Reporting: tables, figures, claims, and the site that shows them together with their queries.
TABLES, FIGURES = (requested_parts(CONFIG, folder, CONFIG.papers) for folder in ("tables", "figures"))
TABLE = node_at("{root}/tables/{table}.json", lambda graph, w: tables.table(graph, *TABLES[w.table]))


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
        others=multiext("{root}/tables/{table}", ".csv", ".json", ".tex"),
        record=TABLE.record,
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
        settings=TABLE.settings,
    message:
        "Write the table {wildcards.table}"
    shell:
        "python -m robustdr.stages table @{params.settings:q} > {log:q} 2>&1"


FIGURE = node_at("{root}/figures/{figure}.svg", lambda graph, w: tables.figure(graph, *FIGURES[w.figure]))


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
        record=FIGURE.record,
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
        settings=FIGURE.settings,
    message:
        "Draw the figure {wildcards.figure}"
    shell:
        "python -m robustdr.stages figure @{params.settings:q} > {log:q} 2>&1"


CLAIMS = node_at(
    "{root}/claims/{paper}.json", lambda graph, w: tables.claims(graph, w.paper, ASKED.get(w.paper, (w.paper,)))
)


rule claims:
    input:
        unpack(inputs(CLAIMS)),
    output:
        md=report(
            "{root}/claims/{paper}.md",
            caption="../report/claims.rst",
            category="Claims",
            subcategory="{paper}",
        ),
        json="{root}/claims/{paper}.json",
        record=CLAIMS.record,
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
        settings=CLAIMS.settings,
    message:
        "Judge the claims of {wildcards.paper}"
    shell:
        "python -m robustdr.stages claims @{params.settings:q} > {log:q} 2>&1"


EXPLORED = node_at(
    "{root}/report/data/{collection}/systems/{system}.js",
    lambda graph, w: site.queries(graph, PAPERS, w.system, w.collection),
)


rule queries:
    input:
        unpack(inputs(EXPLORED)),
    output:
        explored="{root}/report/data/{collection}/systems/{system}.js",
        record=EXPLORED.record,
    log:
        "{root}/logs/queries/{collection}.{system}.log",
    benchmark:
        "{root}/benchmarks/queries/{collection}.{system}.tsv"
    conda:
        "../envs/evaluate.yaml"
    threads: 1
    resources:
        mem_mb=EXPLORED.memory,
        runtime=EXPLORED.minutes,
    params:
        settings=EXPLORED.settings,
    message:
        "Write the queries of {wildcards.collection} behind the cells of {wildcards.system}"
    shell:
        "python -m robustdr.stages queries @{params.settings:q} > {log:q} 2>&1"


TEXTS = node_at("{root}/report/data/{collection}/queries.js", lambda graph, w: site.texts(graph, PAPERS, w.collection))


rule texts:
    input:
        unpack(inputs(TEXTS)),
    output:
        queries="{root}/report/data/{collection}/queries.js",
        record=TEXTS.record,
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
        settings=TEXTS.settings,
    message:
        "Write the texts of {wildcards.collection} that the report shows"
    shell:
        "python -m robustdr.stages texts @{params.settings:q} > {log:q} 2>&1"


REPORT = node_at("{root}/report/index.html", lambda graph, w: site.page(graph, PAPERS))


rule report:
    input:
        # The files that the pages show, and the records of the data that they load.
        unpack(inputs(REPORT, lambda w: site.data(GRAPHS[w.root], PAPERS))),
    output:
        html="{root}/report/index.html",
        record=REPORT.record,
    log:
        "{root}/logs/report/report.log",
    benchmark:
        "{root}/benchmarks/report/report.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=REPORT.memory,
        runtime=REPORT.minutes,
    params:
        settings=REPORT.settings,
    message:
        "Write the report of {wildcards.root}"
    shell:
        "python -m robustdr.stages site @{params.settings:q} > {log:q} 2>&1"


HEADLINE = node_at("{root}/report/headline.json", lambda graph, w: site.headline(graph, PAPERS))


rule headline:
    input:
        unpack(inputs(HEADLINE)),
    output:
        json="{root}/report/headline.json",
        drops="{root}/report/drops.csv",
        record=HEADLINE.record,
    log:
        "{root}/logs/headline/headline.log",
    benchmark:
        "{root}/benchmarks/headline/headline.tsv"
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=HEADLINE.memory,
        runtime=HEADLINE.minutes,
    params:
        settings=HEADLINE.settings,
    message:
        "Write the headline measures of {wildcards.root}"
    shell:
        "python -m robustdr.stages headline @{params.settings:q} > {log:q} 2>&1"
