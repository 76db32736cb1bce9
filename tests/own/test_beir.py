"""Folders in BEIR's layout, one for each variation, read by other tools' readers and by ours."""

import json

import ir_measures
import pytest
from ir_datasets.formats import GenericQuery, JsonlQueries
from ir_datasets.util import Cache

from robustdr.cli import main
from robustdr.core.files import read_queries

QUERIES = {"q1": "what is the meaning of a river", "q2": "what is a golden house"}
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n"


@pytest.fixture()
def folder(tmp_path):
    made = tmp_path / "given"
    (made / "qrels").mkdir(parents=True)
    texts = {"d1": "a river", "d2": "a house"}
    for name, rows in {"corpus": texts, "queries": QUERIES}.items():
        lines = (json.dumps({"_id": id, "title": "", "text": text}) + "\n" for id, text in rows.items())
        (made / f"{name}.jsonl").write_text("".join(lines))
    (made / "qrels/test.tsv").write_text(QRELS)
    return made


def test_each_variation_is_a_folder_with_the_queries_that_vary_makes(folder, tmp_path):
    out = tmp_path / "out"
    assert main(["vary", "--beir", str(folder), "--variation", "swap_words", "--seed", "3", "-o", str(out)]) == 0
    alone = ["vary", str(folder / "queries.jsonl"), "--variation", "swap_words", "--seed", "3"]
    assert main([*alone, "-o", str(tmp_path / "alone.tsv")]) == 0
    expected = read_queries(tmp_path / "alone.tsv")
    assert expected.keys() == QUERIES.keys() and expected != QUERIES
    made = out / "swap_words"
    mapping = {"query_id": "_id", "text": "text"}
    read = JsonlQueries(Cache(None, made / "queries.jsonl"), query_cls=GenericQuery, mapping=mapping)
    assert {query.query_id: query.text for query in read.queries_iter()} == expected
    assert (made / "corpus.jsonl").read_bytes() == (folder / "corpus.jsonl").read_bytes()
    judged = [line.split("\t") for line in (made / "qrels/test.tsv").read_text().splitlines()[1:]]
    qrels = [ir_measures.Qrel(qid, docid, int(grade)) for qid, docid, grade in judged]
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
    said = [{"FOLDER": str(folder), "OUT": out}.get(word, word) for word in options]
    assert main(["vary", *said, "-o", out]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
