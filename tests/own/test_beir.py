"""Folders in BEIR's layout, one for each variation, read by other tools' readers and by ours."""

import json

import ir_measures
import pytest
from ir_datasets.datasets.beir import BeirDocs, BeirQrels, BeirQueries, BeirTitleDoc
from ir_datasets.formats import GenericQuery
from ir_datasets.util import Cache

from robustdr.cli import main
from robustdr.core.files import read_queries

QUERIES = {"q1": "what is the meaning of a river", "q2": "what is a golden house"}
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n"


@pytest.fixture()
def folder(tmp_path):
    data = tmp_path / "given"
    (data / "qrels").mkdir(parents=True)
    texts = {"d1": "a river", "d2": "a house"}
    for name, rows in {"corpus": texts, "queries": QUERIES}.items():
        lines = (json.dumps({"_id": id, "title": "", "text": text}) + "\n" for id, text in rows.items())
        (data / f"{name}.jsonl").write_text("".join(lines))
    (data / "qrels/test.tsv").write_text(QRELS)
    return data


def test_each_variation_is_a_folder_that_ir_datasets_reads_as_those_of_beir(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    out = tmp_path / "out"
    assert main(["vary", "--beir", str(folder), "--variation", "swap_words", "--seed", "3", "-o", str(out)]) == 0
    command = ["vary", str(folder / "queries.jsonl"), "--variation", "swap_words", "--seed", "3"]
    assert main([*command, "-o", str(tmp_path / "alone.tsv")]) == 0
    expected = read_queries(tmp_path / "alone.tsv")
    assert expected.keys() == QUERIES.keys() and expected != QUERIES
    varied = out / "swap_words"
    docs = BeirDocs("made", Cache(None, varied / "corpus.jsonl"), BeirTitleDoc)
    assert [*docs.docs_iter()] == [("d1", "a river", ""), ("d2", "a house", "")]
    queries = BeirQueries("made", Cache(None, varied / "queries.jsonl"), GenericQuery)
    assert {query.query_id: query.text for query in queries.queries_iter()} == expected
    qrels = [*BeirQrels(Cache(None, varied / "qrels/test.tsv"), {}).qrels_iter()]
    run = [ir_measures.ScoredDoc(qid, docid, score) for qid in expected for docid, score in (("d1", 2), ("d2", 1))]
    assert ir_measures.calc_aggregate([ir_measures.RR @ 10], qrels, run) == {ir_measures.RR @ 10: 0.75}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beir", "FOLDER", "--variation", "typos"], "'typos' is unknown (did you mean typo"),
        (["--beir", "FOLDER", "--tokenizer", "x"], "--beir: allowed beside it: --variation, --language, --seed"),
        (["--beir", "OUT"], "no corpus.jsonl; a folder has corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv"),
        ([], "vary: needs queries and --variation, or --beir"),
    ],
)
def test_unusable_options(folder, tmp_path, capsys, options, message):
    out = str(tmp_path / "out")
    arguments = [{"FOLDER": str(folder), "OUT": out}.get(word, word) for word in options]
    assert main(["vary", *arguments, "-o", out]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
