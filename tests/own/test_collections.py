"""`robustdr evaluate` on one collection in several forms, with draws, and on German texts."""

import json
import os
import subprocess
import sys

import pytest
from tests.workflow.conftest import OFFLINE, ROOT

from robustdr.core.files import read_queries
from robustdr.evaluation.measures import read_measures

pytestmark = pytest.mark.slow
PASSAGES = {
    "d1": ("Hafen", "Im alten Hafen liegen drei Schiffe, und die Fischer flicken ihre Netze."),
    "d2": ("Markt", "Auf dem Markt verkaufen die Bauern am Samstag Äpfel, Käse und frisches Brot."),
    "d3": ("Leuchtturm", "Der Leuchtturm wurde vor hundert Jahren gebaut und leuchtet jede Nacht."),
    "d4": ("Mühle", "In der Mühle am Bach wird das Korn der Dörfer zu Mehl gemahlen."),
    "d5": ("Schule", "Die Kinder gehen zu Fuß über die Brücke in die kleine Schule."),
    "d6": ("Gärten", "Hinter den Häusern blühen im Sommer die Gärten voller Rosen."),
    "d7": ("Bahn", "Der letzte Zug in die Stadt fährt um zehn Uhr vom Bahnhof ab."),
    "d8": ("Wald", "Im Wald über dem See wachsen Buchen, Tannen und viele Pilze."),
}
QUERIES = {
    "q1": ("wo liegt ein Schiff im Hafen", "d1"),
    "q2": ("was verkauft der Bauer auf dem Markt", "d2"),
    "q3": ("wann wurde der Leuchtturm gebaut", "d3"),
    "q4": ("wo wird das Korn gemahlen", "d4"),
    "q5": ("wie gehen die Kinder zu ihrer Schule", "d5"),
    "q6": ("welche Blumen blühen hinter dem Haus", "d6"),
    "q7": ("wann fährt der letzte Zug in die Stadt", "d7"),
    "q8": ("welche Bäume wachsen in den Wäldern über dem See", "d8"),
}
# The same collection for every process that is started with this file's folder on its path.
REGISTERS = """
import ir_datasets
from ir_datasets.formats import GenericDoc, JsonlDocs, TrecQrels, TsvQueries
from ir_datasets.util import Cache
from pathlib import Path

at = Path(__file__).parent
named = {"doc_id": "_id", "text": "text"}
docs = JsonlDocs(Cache(None, at / "texts.jsonl"), doc_cls=GenericDoc, mapping=named, lang="de")
queries, qrels = TsvQueries(Cache(None, at / "queries.tsv"), lang="de"), TrecQrels(Cache(None, at / "qrels.txt"), {})
ir_datasets.registry.register("village", ir_datasets.Dataset(docs, queries, qrels))
"""


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """The options that name each form of the collection; its passages have no titles, because the id's have none."""
    folder = tmp_path_factory.mktemp("village")
    texts = {docid: f"{title}: {text}" for docid, (title, text) in PASSAGES.items()}
    (folder / "qrels").mkdir()
    files = {
        "corpus.tsv": "".join(f"{docid}\t{text}\n" for docid, text in texts.items()),
        "queries.tsv": "".join(f"{qid}\t{text}\n" for qid, (text, _) in QUERIES.items()),
        "qrels.txt": "".join(f"{qid} 0 {docid} 1\n" for qid, (_, docid) in QUERIES.items()),
        "texts.jsonl": jsonl({"_id": docid, "text": text} for docid, text in texts.items()),
        "corpus.jsonl": jsonl({"_id": docid, "title": "", "text": text} for docid, text in texts.items()),
        "queries.jsonl": jsonl({"_id": qid, "text": text} for qid, (text, _) in QUERIES.items()),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t1\n" for q, (_, d) in QUERIES.items()),
        "sitecustomize.py": REGISTERS,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    three = {"--corpus": "corpus.tsv", "--queries": "queries.tsv", "--qrels": "qrels.txt"}
    return folder, {
        "TSV": [word for option, name in three.items() for word in (option, str(folder / name))],
        "BEIR": ["--data", str(folder)],
        "irds": ["--data", "irds:village"],
    }


def evaluate(folder, registered, *arguments):
    """The finished command; its report is in `folder`."""
    command = [sys.executable, "-m", "robustdr", "evaluate", *arguments, "-o", str(folder)]
    environment = {**os.environ, **OFFLINE, "PYTHONPATH": os.pathsep.join([str(ROOT / "workflow"), str(registered)])}
    return subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True, timeout=900)


def test_every_form_of_a_german_collection_has_the_same_runs_and_draws_are_averaged(forms, tiny_model, tmp_path):
    registered, options = forms
    arguments = ["--model", str(tiny_model), "--variations", "typo", "no_stopwords", "--draws", "2"]
    runs_by_form = {}
    for name, form_options in options.items():
        done = evaluate(tmp_path / name, registered, *form_options, *arguments)
        assert done.returncode == 0, done.stderr
        assert "language of the queries: German (de), Latin script" in done.stderr
        runs = tmp_path / name / "results/own/runs"
        runs_by_form[name] = {file.relative_to(runs): file.read_bytes() for file in runs.rglob("*.arrow")}
        runs_by_form[name] |= {file.relative_to(runs): file.read_bytes() for file in runs.rglob("*.trec.gz")}
    assert runs_by_form["TSV"] == runs_by_form["BEIR"] == runs_by_form["irds"] and len(runs_by_form["TSV"]) == 3 * 5 * 2
    varied = {
        name: read_queries(tmp_path / f"TSV/results/own/variations/own/test/{name}.tsv")
        for name in ("typo", "typo.draw2", "no_stopwords")
    }
    assert varied["no_stopwords"]["q1"] == "liegt Schiff Hafen" and varied["typo"] != varied["typo.draw2"]
    report = json.loads((tmp_path / "TSV/report.json").read_text())
    assert report["draws"] == 2
    assert report["systems"]["own_bm25"]["original"] == 1  # all found by German stems, as Schiff in Schiffe
    frame = read_measures(tmp_path / "TSV/results/own/measures/own/own/seed0/test.original.parquet")
    first, second = (frame[frame["query_set"] == f"test.typo{draw}"]["value"] for draw in ("", ".draw2"))
    assert first.mean() != second.mean()
    varied = report["systems"]["own"]["query_sets"]["typo"]
    assert varied["mean"] == pytest.approx((first.mean() + second.mean()) / 2)


def test_what_german_has_not_is_refused_by_name_at_once(forms, tiny_model, tmp_path):
    registered, options = forms
    done = evaluate(tmp_path / "out", registered, *options["TSV"], "--model", str(tiny_model), "--variations", "stem")
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert "stem" in done.stderr.splitlines()[-1] and "German" in done.stderr.splitlines()[-1]
