# Collections: corpus, queries and judgements of every split, checked together and described by a card.
# What downloads runs on the host that submits: compute nodes often have no network.


for SCALE, ROOT, GRAPH in SCALES:
    CORPUS = Found(lambda w, g=GRAPH: g.corpus(w.collection))

    rule:
        name:
            f"corpus_{SCALE}"
        input:
            unpack(inputs(CORPUS)),
        output:
            corpus=f"{ROOT}/collections/{{collection}}/corpus.jsonl",
            rows=f"{ROOT}/collections/{{collection}}/corpus.rows.arrow",
            record=f"{ROOT}/collections/{{collection}}/corpus.jsonl.sha256",
        log:
            f"{ROOT}/logs/corpus/{{collection}}.log",
        benchmark:
            f"{ROOT}/benchmarks/corpus/{{collection}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# One rule for each set of files that judge a split, because a rule's outputs are fixed: qrels, answers, or both.
for (SCALE, ROOT, GRAPH), (JUDGED_BY, PLACES) in product(SCALES, splits_by_judgements(CONFIG).items()):
    SPLIT = Found(lambda w, g=GRAPH: g.split(tuple(w.place.split("/"))))

    rule:
        name:
            "_".join(["split", SCALE, *JUDGED_BY])
        input:
            unpack(inputs(SPLIT)),
        output:
            queries=f"{ROOT}/collections/{{place}}/queries.tsv",
            judgements=expand(f"{ROOT}/collections/{{{{place}}}}/{{file}}", file=[JUDGEMENTS[how] for how in JUDGED_BY]),
            records=expand(
                f"{ROOT}/collections/{{{{place}}}}/{{file}}.sha256",
                file=["queries.tsv", *(JUDGEMENTS[how] for how in JUDGED_BY)],
            ),
        log:
            f"{ROOT}/logs/split/{{place}}.log",
        benchmark:
            f"{ROOT}/benchmarks/split/{{place}}.tsv"
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
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"


# A card is a check, of a collection's passages or of a split: whatever reads them waits for it.
for SCALE, ROOT, GRAPH in SCALES:
    CARD = Found(lambda w, g=GRAPH: g.card_at(w.place))

    rule:
        name:
            f"card_{SCALE}"
        input:
            unpack(inputs(CARD)),
        output:
            card=f"{ROOT}/collections/{{place}}/card.json",
            record=f"{ROOT}/collections/{{place}}/card.json.sha256",
        log:
            f"{ROOT}/logs/card/{{place}}.log",
        benchmark:
            f"{ROOT}/benchmarks/card/{{place}}.tsv"
        wildcard_constraints:
            place=r"[a-z0-9-]+(/[a-z0-9-]+)?",
        conda:
            "../envs/data.yaml"
        threads: 1
        resources:
            mem_mb=CARD.memory,
            runtime=CARD.minutes,
        params:
            command=CARD.command,
        shell:
            "python -m robustdr.stages {params.command} > {log:q} 2>&1"
