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
THINGS, SIDES = ("nuclear energy", "free speech", "a school uniform", "red meat"), {"pro": "good", "con": "bad"}


def jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """The options that name each form of the collection."""
    folder = tmp_path_factory.mktemp("village")
    texts = {docid: f"{title}: {text}" for docid, (title, text) in PASSAGES.items()}
    (folder / "qrels").mkdir()
    files = {
        "corpus.tsv": "".join(f"{docid}\t{text}\n" for docid, text in texts.items()),
        "queries.tsv": "".join(f"{qid}\t{text}\n" for qid, (text, _) in QUERIES.items()),
        "qrels.txt": "".join(f"{qid} 0 {docid} 1\n" for qid, (_, docid) in QUERIES.items()),
        "corpus.jsonl": jsonl({"_id": docid, "title": "", "text": text} for docid, text in texts.items()),
        "queries.jsonl": jsonl({"_id": qid, "text": text} for qid, (text, _) in QUERIES.items()),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t1\n" for q, (_, d) in QUERIES.items()),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    three = {"--corpus": "corpus.tsv", "--queries": "queries.tsv", "--qrels": "qrels.txt"}
    return {
        "TSV": [word for option, name in three.items() for word in (option, str(folder / name))],
        "BEIR": ["--data", str(folder)],
    }


def evaluate(folder, *arguments):
    """The finished command; its report is in `folder`."""
    command = [sys.executable, "-m", "robustdr", "evaluate", *arguments, "-o", str(folder)]
    environment = {**os.environ, **OFFLINE, "PYTHONPATH": str(ROOT / "workflow")}
    return subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True, timeout=900)


def test_every_form_of_a_german_collection_has_the_same_runs_and_draws_are_averaged(forms, tiny_model, tmp_path):
    arguments = ["--model", str(tiny_model), "--variations", "typo", "no_stopwords", "--draws", "2"]
    runs_by_form = {}
    for name, form_options in forms.items():
        done = evaluate(tmp_path / name, *form_options, *arguments)
        assert done.returncode == 0, done.stderr
        assert "language of the queries: German (de), Latin script" in done.stderr
        runs = tmp_path / name / "results/own/runs"
        runs_by_form[name] = {file.relative_to(runs): file.read_bytes() for file in runs.rglob("*.arrow")}
        runs_by_form[name] |= {file.relative_to(runs): file.read_bytes() for file in runs.rglob("*.trec.gz")}
    assert runs_by_form["TSV"] == runs_by_form["BEIR"] and len(runs_by_form["TSV"]) == 3 * 5 * 2
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
    done = evaluate(tmp_path / "out", *forms["TSV"], "--model", str(tiny_model), "--variations", "stem")
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert "stem" in done.stderr.splitlines()[-1] and "German" in done.stderr.splitlines()[-1]


def test_what_is_true_of_the_files_stands_before_the_numbers(tmp_path):
    """As in ArguAna: each query is a passage too, and a judged passage is missing; a run lacks half of the queries."""
    data, runs = tmp_path / "data", tmp_path / "runs/own"
    texts = {f"t{n}-{side}": f"{thing} is {word}" for n, thing in enumerate(THINGS) for side, word in SIDES.items()}
    (data / "qrels").mkdir(parents=True)
    runs.mkdir(parents=True)
    rows = [{"_id": id, "title": "", "text": text} for id, text in texts.items()]
    (data / "corpus.jsonl").write_text(jsonl(rows))
    queries = [id for id in texts if id.endswith("pro")]
    (data / "queries.jsonl").write_text(jsonl({"_id": id, "text": texts[id]} for id in queries))
    pairs = [*((id, id.replace("pro", "con")) for id in queries), (queries[0], "gone"), ("nobody", "t0-con")]
    lines = [f"{qid}\t{docid}\t1.0\n" for qid, docid in pairs]
    (data / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    for name in ("original", "swap_words"):
        ranked = [f"{id} Q0 {id} 1 2 x\n{id} Q0 {id.replace('pro', 'con')} 2 1 x\n" for id in queries[:2]]
        (runs / f"test.{name}.trec").write_text("".join(ranked))
    options = ["--data", str(data), "--runs", str(runs.parent), "--model", "engine", "--variations", "swap_words"]
    done = evaluate(tmp_path / "out", *options, "--measures", "RR@10", "R@10", "--language", "en")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["systems"]["own"]["original"] == 0.5  # the passage of the query itself, at rank 1, is no result
    frame = read_measures(tmp_path / "out/results/own/measures/own/own/seed0/test.original.parquet")
    recall = frame[(frame["measure"] == "R@10") & (frame["query_set"] == "test.original")].set_index("qid")["value"]
    assert recall.to_dict() == {"t0-pro": 0.5, "t1-pro": 1, "t2-pro": 0, "t3-pro": 0}
    notes = "\n".join(report["notes"])
    for part in (
        "engine lacks 2 of 4 queries, which count 0 (in each of its 2 runs)",
        "4 passages have the id of a query; they are no results of this query",
        "judges passage 'gone', which is not in",
        "judges query 'nobody', which is not in",
    ):
        assert part in notes and part in done.stderr
    page = (tmp_path / "out/report.md").read_text()
    assert "engine lacks 2 of 4 queries" in page and page.index("engine lacks") < page.index("| query set")
    (runs / "test.swap_words.trec").write_text("")
    done = evaluate(tmp_path / "out", *options, "--measures", "RR@10", "R@10", "--language", "en")
    assert done.returncode == 2 and "test.swap_words.trec: an empty run" in done.stderr.splitlines()[-1]
