# Collections: corpus, queries and judgements of every split, checked together and described by a card.
# What downloads runs on the host that submits: compute nodes often have no network.
CORPUS = Found(lambda w: graph(w).corpus(w.collection))
SPLIT = Found(lambda w: graph(w).split(tuple(w.place.split("/"))))
CARD = Found(lambda w: graph(w).card(w.collection))


rule corpus:
    input:
        unpack(inputs(CORPUS)),
    output:
        corpus="{root}/collections/{collection}/corpus.jsonl",
        rows="{root}/collections/{collection}/corpus.rows.arrow",
        record="{root}/collections/{collection}/corpus.jsonl.sha256",
    log:
        "{root}/logs/corpus/{collection}.log",
    benchmark:
        "{root}/benchmarks/corpus/{collection}.tsv"
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=CORPUS.memory,
        runtime=CORPUS.minutes,
    params:
        command=CORPUS.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.corpus:q} > {log:q} 2>&1"


# One rule for each set of files that judge a split, because a rule's outputs are fixed: qrels, answers, or both.
for JUDGED_BY, PLACES in splits_by_judgements(CONFIG).items():

    rule:
        name:
            "_".join(["split", *JUDGED_BY])
        input:
            unpack(inputs(SPLIT)),
        output:
            queries="{root}/collections/{place}/queries.tsv",
            judgements=expand("{{root}}/collections/{{place}}/{file}", file=[JUDGEMENTS[how] for how in JUDGED_BY]),
            records=expand(
                "{{root}}/collections/{{place}}/{file}.sha256",
                file=["queries.tsv", *(JUDGEMENTS[how] for how in JUDGED_BY)],
            ),
        log:
            "{root}/logs/split/{place}.log",
        benchmark:
            "{root}/benchmarks/split/{place}.tsv"
        wildcard_constraints:
            place="|".join(PLACES),
        localrule: True
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=SPLIT.memory,
            runtime=SPLIT.minutes,
        params:
            command=SPLIT.command,
        shell:
            "python -m robustdr.stages {params.command} --output {output.queries:q} {output.judgements:q} > {log:q} 2>&1"


# The card is the check: whatever reads a collection waits for it.
rule card:
    input:
        unpack(inputs(CARD)),
    output:
        card="{root}/collections/{collection}/card.json",
        record="{root}/collections/{collection}/card.json.sha256",
    log:
        "{root}/logs/card/{collection}.log",
    benchmark:
        "{root}/benchmarks/card/{collection}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=CARD.memory,
        runtime=CARD.minutes,
    params:
        command=CARD.command,
    shell:
        "python -m robustdr.stages {params.command} --output {output.card:q} > {log:q} 2>&1"
