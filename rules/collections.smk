# Collections: passages, queries and judgements of every split, checked together and described by a card.
# What downloads runs on the host that submits: compute nodes often have no network.
DOWNLOAD = node_at(
    "{root}/fetched/{collection}/passages.json", lambda graph, w: graph.downloaded_passages(w.collection)
)


rule download_passages:
    input:
        unpack(inputs(DOWNLOAD)),
    output:
        fetched="{root}/fetched/{collection}/passages.json",
        record=DOWNLOAD.record,
    log:
        "{root}/logs/download_passages/{collection}.log",
    benchmark:
        "{root}/benchmarks/download_passages/{collection}.tsv"
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=DOWNLOAD.memory,
        runtime=DOWNLOAD.minutes,
    params:
        settings=DOWNLOAD.settings,
    message:
        "Download the passages of {wildcards.collection}"
    shell:
        "python -m robustdr.stages download-passages @{params.settings:q} > {log:q} 2>&1"


# Millions of passages are read and written by a job that is submitted, without a network.
PASSAGES = node_at("{root}/collections/{collection}/corpus.jsonl", lambda graph, w: graph.corpus(w.collection))


rule write_passages:
    input:
        unpack(inputs(PASSAGES)),
    output:
        passages="{root}/collections/{collection}/corpus.jsonl",
        rows="{root}/collections/{collection}/corpus.rows.arrow",
        record=PASSAGES.record,
    log:
        "{root}/logs/write_passages/{collection}.log",
    benchmark:
        "{root}/benchmarks/write_passages/{collection}.tsv"
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=PASSAGES.memory,
        runtime=PASSAGES.minutes,
    params:
        settings=PASSAGES.settings,
    message:
        "Write the passages of {wildcards.collection}"
    shell:
        "python -m robustdr.stages corpus @{params.settings:q} > {log:q} 2>&1"


QUERIES = node_at(
    "{root}/collections/{collection}/{split}/queries.tsv", lambda graph, w: graph.split((w.collection, w.split))
)


rule download_queries:
    input:
        unpack(inputs(QUERIES)),
    output:
        queries="{root}/collections/{collection}/{split}/queries.tsv",
        record=QUERIES.record,
    log:
        "{root}/logs/download_queries/{collection}/{split}.log",
    benchmark:
        "{root}/benchmarks/download_queries/{collection}/{split}.tsv"
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=QUERIES.memory,
        runtime=QUERIES.minutes,
    params:
        settings=QUERIES.settings,
    message:
        "Bring the {wildcards.split} queries of {wildcards.collection}, and what judges them"
    shell:
        "python -m robustdr.stages split @{params.settings:q} > {log:q} 2>&1"


# A card is a check, of a collection's passages or of a split: whatever reads them waits for it.
CARD = node_at("{root}/collections/{place}/card.json", lambda graph, w: graph.card_at(w.place))


rule check:
    input:
        unpack(inputs(CARD)),
    output:
        card="{root}/collections/{place}/card.json",
        record=CARD.record,
    log:
        "{root}/logs/check/{place}.log",
    benchmark:
        "{root}/benchmarks/check/{place}.tsv"
    wildcard_constraints:
        place=r"[a-z0-9-]+(/[a-z0-9-]+)?",
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        mem_mb=CARD.memory,
        runtime=CARD.minutes,
    params:
        settings=CARD.settings,
    message:
        "Check {wildcards.place}"
    shell:
        "python -m robustdr.stages card @{params.settings:q} > {log:q} 2>&1"
