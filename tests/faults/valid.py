"""Small valid files of every kind that a command reads, for a fuzzer to break."""

import gzip
import json
import shutil
from pathlib import Path

import yaml
from docx import Document
from tests.faults.fuzzing import CONFIG
from tests.reporting.small_site import CLAIMS

from robustdr.collections.rows import rows_of, write_rows
from robustdr.evaluation.measures import write_measures
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.keys.integrity import record
from robustdr.reporting.queries import write_data
from robustdr.retrieval.bm25_index import write_index
from robustdr.retrieval.runs import write_run
from robustdr.retrieval.settings import BM25IndexSettings

PASSAGES = {"d1": ("", "a river flows to the sea"), "d2": ("stone", "a stone house"), "d3": ("", "music of the sea")}
QUERIES = {"q1": "what is a stone", "q2": "river of gold", "q3": "the meaning of music"}
RUN = {"q1": [("d3", 3.5), ("d1", 2.25), ("d2", 1.0)], "q2": [("d1", 9.0), ("d2", -1.5)], "q3": [("d3", 0.5)]}
CLAIMED = {
    "claims": [
        {"claim": "Typos harm", "source": "§4", "role": "passages", "measure": "RR@10",
         "level": 0.05, "reported": ["t1"],
         "test": {"name": "loses", "system": "bm25", "query_sets": ["misspell"]}},
    ]
}  # fmt: skip
REPORTED = """\
paper: mine
title: A paper
tables:
  t1:
    caption: Results
    where: {collection: passages, split: dev, measure: RR@10}
    unit: percent
    row: query_set
    columns: [{system: bm25, value: value, and: drop}, {system: dpr}, {system: dpr, value: deviation, unit: number}]
    cells: |
      original  | 50.0         | 61.5 | 0.12
      misspell  | 40.0/-20.0%  | 51.5 | 0.20
      typo      | 30.0†/-40.0% | 41.5 | -
      mean      | 35.0/-30.0%  | 46.5 | 0.3
    marks: {"†": worse than dpr}
    relations:
      - {for: {query_set: mean}, mean_of: {query_set: [misspell, typo]}}
"""
CELLS = ["Model", "MRR@10", "R@1000"], ["BM25", "18.7", "85.7"], ["DPR", "31.4 (-2.1%)", "95.2†"]
TEX = r"""\documentclass{article}
\newcommand{\best}[1]{\textbf{#1}}
\begin{table}\caption{Results on \emph{dev}.}\label{tab:one}
\begin{tabular}{l|rr}
\toprule & \multicolumn{2}{c}{Dev} \\ \cmidrule{2-3}
Model & MRR@10 & R@1000 \\ \midrule
\multirow{2}{*}{BM25} & 18.7 & 85.7 \\ & 1{,}234 & $12.3_{\pm 0.1}$ \\
DPR & \best{31.4} & 95.2$^\dagger$ \\ \bottomrule
\end{tabular}\end{table}
"""
HTML = (
    "<html><body><table><caption>Table 1: Results</caption><tr><th rowspan=2>Model<th colspan=2>Dev</tr>"
    "<tr><th>MRR@10<th>R@1000</tr><tr><td>BM25<td>18.7<td>85.7</tr><tr><td>DPR<td><b>31.4</b><td>95.2<sup>†</sup></tr>"
    "</table></body></html>\n"
)
MARKDOWN = (
    "Table 1: Results\n\n| Model | MRR@10 | R@1000 |\n| --- | ---: | ---: |\n"
    "| BM25 | 18.7 | 85.7 |\n| DPR | **31.4** | 95.2 |\n"
)
ROW = {
    "table": "toy_table1", "system": "bm25", "label": "BM25", "collection": "toy", "role": "toy", "split": "dev",
    "query_set": "original", "measure": "RR@10", "measured": "RR@10", "seed": 0, "value": "value",
    "reproduced": 0.5, "drop_agreement": "", "against": "", "difference": None, "printed_at": "",
}  # fmt: skip


def lines(path: Path, *written: str) -> None:
    path.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")


def packed(path: Path) -> None:
    Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def collection(folder: Path) -> None:
    """A corpus with its index, queries, judgements, answers, and a run in its three forms."""
    folder.mkdir(parents=True)
    lines(folder / "queries.tsv", *(f"{qid}\t{text}" for qid, text in QUERIES.items()))
    lines(folder / "queries.jsonl", *(json.dumps({"qid": qid, "text": text}) for qid, text in QUERIES.items()))
    lines(folder / "qrels.txt", "q1 0 d2 1", "q1 0 d1 0", "q2 0 d1 2", "q3 0 d3 1")
    lines(folder / "answers.jsonl", *(json.dumps({"qid": qid, "answers": ["sea", "a stone"]}) for qid in QUERIES))
    named = [dict(zip(("docid", "title", "text"), (docid, *of), strict=True)) for docid, of in PASSAGES.items()]
    lines(folder / "corpus.jsonl", *map(json.dumps, named))
    lines(folder / "corpus.tsv", *(f"{docid}\t{title or 'none'}\t{text}" for docid, (title, text) in PASSAGES.items()))
    for name in ("queries.tsv", "qrels.txt", "corpus.jsonl"):
        packed(folder / name)
    write_rows(folder / "corpus.jsonl", rows_of(folder / "corpus.jsonl"))
    for name in ("run.trec", "run.trec.gz", "run.arrow"):
        write_run(folder / name, RUN, {"tag": "t", "method": {"depth": 3}})


def write_audit(folder: Path) -> None:
    folder.mkdir()
    (folder / "reported.yaml").write_text(REPORTED, encoding="utf-8")
    (folder / "claims.yaml").write_text(yaml.safe_dump(CLAIMED, allow_unicode=True), encoding="utf-8")


def write_recomputed(folder: Path) -> None:
    collection(folder)
    (folder / "runs").mkdir()
    for name in ("original.trec", "misspell.trec.gz"):
        write_run(folder / "runs" / name, RUN, {"tag": "bm25"})
    tree = yaml.safe_load(REPORTED)
    tree["tables"]["t1"]["runs"] = [
        {"for": {"query_set": name.partition(".")[0], "system": "bm25", "value": "value"}, "run": name}
        for name in ("original.trec", "misspell.trec.gz")
    ]
    (folder / "reported.yaml").write_text(yaml.safe_dump(tree, allow_unicode=True), encoding="utf-8")


def write_config(folder: Path) -> None:
    """The project's configuration with one paper, and an overlay with a collection, a scale and the paper again."""
    for name in ("collections.yaml", "scales/mini.yaml"):
        (folder / "base" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CONFIG / name, folder / "base" / name)
    own = folder / "own"
    (own / "scales").mkdir(parents=True)
    shutil.copytree(CONFIG / "papers/rodr", own / "papers/rodr")
    split = {"queries": "queries.tsv", "qrels": "qrels.txt"}
    mine = {"kind": "local", "corpus": "corpus.jsonl", "licence": "none", "description": "Mine.",
            "splits": {"dev": split}}  # fmt: skip
    (own / "collections.yaml").write_text(yaml.safe_dump({"mine": mine}))
    scale = {"extends": "mini", "description": "Mine.", "retrieval": {"depth": 10}, "seeds": 1}
    (own / "scales/own.yaml").write_text(yaml.safe_dump(scale))


def write_model(folder: Path, model: Path) -> None:
    collection(folder)
    shutil.copytree(model, folder / "model")


def write_compared(folder: Path) -> None:
    table = {
        "title": "A table", "compared": True, "means": {"toy": {"mean": ["original", "misspell"]}},
        "layout": {"corner": "", "rows": ["BM25"], "columns": ["original", "misspell", "mean"], "unit": "percent",
                   "fields": [[["50.0", "50.0", 0], ["", "25.0", 1], ["", "–", None]]]},
        "cells": [ROW, {**ROW, "query_set": "misspell", "reproduced": 0.5}],
    }  # fmt: skip
    for name in ("a", "b"):
        root = folder / name
        for part in ("tables", "claims", "models/toy/bm25/seed1"):
            (root / part).mkdir(parents=True)
        (root / "tables/toy_table1.json").write_text(json.dumps(table))
        (root / "claims/toy.json").write_text(json.dumps({"scale": "mini", "miniature": "Toys.", **CLAIMS}))
        card = f"# A model\n\n```yaml\nloss: {{name: {name}}}\nbudget: {{epochs: 2.0}}\n```\n"
        (root / "models/toy/bm25/seed1/README.md").write_text(card)
        collection(root / "sets")
        runs = {f"dev.{at}": (root / "sets/run.trec", root / "sets/qrels.txt") for at in ("original", "misspell")}
        measures = root / "measures/toy/bm25/seed1/all.parquet"
        write_measures(EvaluateSettings({at: ["RR@10"] for at in runs}, relevance_level=1), runs, measures)
        shutil.rmtree(root / "sets")
        record(measures, key=name, hardware=["a CPU"], installed={"numpy": name})
        steps = {"steps": [{"name": "evaluate", "what": "measures of bm25", "key": name}]}
        write_data(root / "report/data/toy/systems/bm25.js", "bm25", steps)


def write_recorded(folder: Path) -> None:
    results = folder / "results"
    results.mkdir(parents=True)
    lines(results / "read.txt", "one")
    lines(results / "made.txt", "two")
    record(results / "read.txt", key="a" * 16, hardware=["a CPU"])
    installed = {"numpy": "1", "torch": "2"}
    record(results / "made.txt", key="b" * 16, inputs=[results / "read.txt"], hardware=["a CPU"], installed=installed)


def write_export(folder: Path) -> None:
    collection(folder)
    lines(
        folder / "data.jsonl",
        *(
            json.dumps({"query_id": qid, "query": text, "query_variation": [text.upper(), "x"],
                        "positive_passages": {"d1": 0}, "negative_passages": {"d3": 2, "d2": 1}})
            for qid, text in QUERIES.items()
        ),
    )  # fmt: skip


def write_papers(folder: Path) -> None:
    folder.mkdir()
    for suffix, text in (("tex", TEX), ("html", HTML), ("md", MARKDOWN)):
        (folder / f"paper.{suffix}").write_text(text, encoding="utf-8")
    lines(folder / "paper.csv", *map(",".join, CELLS))
    lines(folder / "paper.tsv", *map("\t".join, CELLS))
    document = Document()
    document.add_paragraph("Table 1: Results")
    table = document.add_table(len(CELLS), len(CELLS[0]))
    for row, texts in zip(table.rows, CELLS, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(folder / "paper.docx")


def write_indexed(folder: Path) -> None:
    collection(folder)
    write_index(BM25IndexSettings(0.9, 0.4, None, "english"), folder / "corpus.jsonl", folder / "index")


WRITE = {
    "audit": write_audit,
    "recomputed": write_recomputed,
    "config": write_config,
    "compare": write_compared,
    "verify": write_recorded,
    "inputs": write_recorded,
    "export": write_export,
    "transcribe": write_papers,
    "bm25": write_indexed,
    **dict.fromkeys(("vary", "check", "run", "evaluated"), collection),
    **dict.fromkeys(("rerank", "encoder"), write_model),
}
