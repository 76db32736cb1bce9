"""`robustdr evaluate` run as a user runs it: a model that the project trained, and one behind a server."""

import json
import shutil
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import torch
from sentence_transformers import CrossEncoder
from tests.encoding.embedding_server import Server
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from robustdr.collections.reading import read_corpus
from robustdr.core.files import read_queries
from robustdr.evaluation.measures import read_measures
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.retrieval.runs import read_run
from robustdr.systems.trained import lengths

pytestmark = pytest.mark.slow
ROOT = "results/mini"
AT, MODEL = f"{ROOT}/collections/wordnet-mini", f"{ROOT}/models/wordnet-mini/dr_oq/seed1"
FILES = ["--corpus", f"{AT}/corpus.jsonl", "--queries", f"{AT}/dev/queries.tsv", "--qrels", f"{AT}/dev/qrels.txt"]
ASKED = [*FILES, "--split", "dev", "--variations", "swap_words", "--measure", "RR@10", "--cores", "2"]


@pytest.fixture(scope="module")
def project(finished, tmp_path_factory):
    """With one trained retriever and its measures."""
    return finished.copy(tmp_path_factory.mktemp("tiny") / "project")


def run(project, *arguments, last=1):
    """Exit status, and the last lines of what is said of the outcome."""
    command = [sys.executable, "-m", "robustdr", "evaluate", *arguments]
    environment = project.environment | {"PYTHONPATH": str(project.folder / "workflow")}
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, timeout=900)
    return done.returncode, *(done.stderr if done.returncode else done.stdout).splitlines()[-last:]


def measured(folder):
    """The values of every query by query set and query."""
    frame = pd.concat(map(read_measures, folder.glob("*.parquet")))
    rows = frame[frame["measure"] == "RR@10"]
    return dict(zip(zip(rows["query_set"], rows["qid"], strict=True), rows["value"], strict=True))


def test_a_model_that_the_project_trained_has_the_project_s_own_numbers(project):
    token_lengths = lengths(graph(load(project.folder / "config"), "mini").lineage, "dr_oq")
    length_options = [
        "--query-length",
        str(token_lengths["query_length"]),
        "--passage-length",
        str(token_lengths["passage_length"]),
    ]
    assert run(project, "--model", MODEL, *length_options, *ASKED, "-o", "out") == (0, "out/index.html")
    own_measures = project.folder / "out/results/own/measures/own"
    for system, project_folder in {"own/seed0": "dr_oq/seed1", "own_bm25/seed0": "bm25/seed0"}.items():
        expected = measured(project.folder / f"{ROOT}/measures/wordnet-mini/{project_folder}")
        assert measured(own_measures / system) == expected and 0 < sum(expected.values()) < len(expected)
    report = json.loads((project.folder / "out/report.json").read_text())
    expected = measured(project.folder / f"{ROOT}/measures/wordnet-mini/dr_oq/seed1")
    original = [value for (query_set, _), value in sorted(expected.items()) if query_set == "dev.original"]
    assert report["systems"]["own"]["original"] == np.mean(original)
    pages = project.folder / "out" / report["pages"]
    assert {"site.css", "queries.html", "own_table1.html"} <= {path.name for path in pages.iterdir()}


def test_a_reranker_has_the_scores_of_its_library(project, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(project.folder / ROOT / "checkpoints/base")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    torch.manual_seed(3)
    config = BertConfig(vocab_size=len(tokenizer), num_labels=1, initializer_range=0.5, **sizes)
    BertForSequenceClassification(config).save_pretrained(tmp_path / "bare")
    tokenizer.save_pretrained(tmp_path / "bare")
    library = CrossEncoder(str(tmp_path / "bare"), device="cpu")
    library.save_pretrained(str(tmp_path / "cross"))
    command = ["--model", MODEL, "--reranker", str(tmp_path / "cross"), *ASKED, "-o", "reranked"]
    assert run(project, *command) == (0, "reranked/index.html")
    report = json.loads((project.folder / "reranked/report.json").read_text())
    assert {entry["system"] for entry in report["ranking"]} == {"own_bm25", "own", "own_hybrid", "own_reranked"}
    job_graph = graph(load(project.folder / "config", project.folder / "reranked/config"), "own")
    folder = project.folder / "reranked"
    queries = read_queries(folder / job_graph.query_set(("own", "dev"), "original").path)
    texts = dict(read_corpus(folder / job_graph.corpus("own").path))
    first_run, again = (
        read_run(folder / job_graph.run(system, 0, ("own", "dev"), "original").path)
        for system in ("own", "own_reranked")
    )
    for qid in [*queries][:5]:
        docids = [docid for docid, _ in first_run[qid]]
        scores = library.predict([(queries[qid], texts[docid]) for docid in docids], activation_fn=torch.nn.Identity())
        reranked = dict(again[qid])
        assert reranked.keys() == {*docids}
        assert np.corrcoef([reranked[docid] for docid in docids], scores)[0, 1] > 0.99  # bfloat16 where there is it


def test_small_data_in_one_process_has_the_bytes_of_a_job_a_process(project):
    """The same configuration, made again by the workflow as it is; and the workflow has nothing to add to the first."""
    assert run(project, "--model", MODEL, *ASKED, "-o", "out") == (0, "out/index.html")
    targets = ["results/own/measures/own/own/seed0/dev.original.parquet", "results/own/report/index.html"]
    bytes_by_folder = {}
    for folder in ("out", "again"):
        options = ["--directory", folder, "--configfile", "out/config/config.yaml"]
        status, output = project.snakemake(*options, "--", *targets)
        assert status == 0 and ("Nothing to be done" in output) == (folder == "out"), output
        results = project.folder / folder / "results"
        files = [file.relative_to(results) for file in results.rglob("*") if file.is_file()]
        stable_files = [
            file for file in files if not {"logs", "benchmarks", "report", "evaluate.lock"} & {*file.parts}
        ]  # these tell seconds, and the lock is the command's
        bytes_by_folder[folder] = {file: (results / file).read_bytes() for file in stable_files}
    assert bytes_by_folder["out"] == bytes_by_folder["again"] and len(bytes_by_folder["out"]) > 50


def test_an_encoder_behind_a_server(project, monkeypatch):
    """Its texts are asked for once, whatever fails; without it, what is there is reported again."""
    monkeypatch.setenv("MY_KEY", "s3cret")
    server = Server(key="s3cret", failing=0.2)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    prompts = ["--query-prompt", "query: ", "--passage-prompt", "passage: "]
    arguments = ["--server", server.url, "--model", "m", *prompts, "--key", "MY_KEY", *ASKED, "-o", "served"]
    assert run(project, *arguments) == (0, "served/index.html")
    server.shutdown()
    server.server_close()
    assert {count for text, count in Counter(server.given).items()} == {1}
    passages = sum(text.startswith("passage: ") for text in server.given)
    assert passages == 300 and passages < len(server.given) == sum(t.startswith(("query: ", "p")) for t in server.given)
    page = (project.folder / "served/report.md").read_text()
    assert f"vectors that the model m at {server.url} gave, with the prompts" in page
    assert run(project, *arguments) == (0, "served/index.html")  # nobody answers there any more
    shown_files = [path for path in (project.folder / "served").rglob("*") if path.is_file()]
    assert not any(b"s3cret" in path.read_bytes() for path in shown_files)


def test_a_system_behind_its_runs(project):
    """What is to be ranked is made and named until there is a run of it; its numbers are then those of the runs."""
    project_runs = project.folder / f"{ROOT}/runs/wordnet-mini/dr_oq/seed1"
    runs = project.folder / "runs/own"
    runs.mkdir(parents=True)
    arguments = ["--runs", "runs", "--model", "Engine", *ASKED, "-o", "ranked"]
    for kind, folder in (("original", "collections"), ("swap_words", "variations")):
        status, line = run(project, *arguments)
        assert status == 2 and f"runs/own/dev.{kind}.trec.gz is missing" in line
        queries = project.folder / line.rpartition(" ")[2]
        assert f"/{folder}/own/dev/" in str(queries) and len(queries.read_text().splitlines()) == 25
        shutil.copy(project_runs / f"dev.{kind}.trec.gz", runs)
    assert run(project, *arguments) == (0, "ranked/index.html")
    own_measures = measured(project.folder / "ranked/results/own/measures/own/own/seed0")
    assert own_measures == measured(project.folder / f"{ROOT}/measures/wordnet-mini/dr_oq/seed1")
    assert "Engine: the rankings in " in (project.folder / "ranked/report.md").read_text()


def test_a_server_that_is_not_there_is_said_at_the_end(project):
    status, line = run(project, "--server", "http://127.0.0.1:9/v1", "--model", "m", *ASKED, "-o", "none")
    assert status == 2 and line.startswith("robustdr: none/results/own/logs/retrieve_served/")
    assert ".log: http://127.0.0.1:9/v1 does not answer" in line
