"""Counts in the text and the tables of a paper against the data's own files."""

import json

import pytest

from robustdr.cli import main as robustdr

PAPER = """\
# A study

Pebbles has {train} training queries and 4 test questions. It has 1,205 passages.

Table 1: Questions of each collection.

| Collection | Train | Test |
| --- | --- | --- |
| Pebbles | 300 | 4 |
| Other | 700 | 80 |
"""


@pytest.fixture
def folder(tmp_path):
    """A collection of 1,205 passages; 300 queries for training, of which the test set has two, and two more."""
    (tmp_path / "pebbles/qrels").mkdir(parents=True)
    passages = "".join(json.dumps({"_id": f"d{i}", "text": "some words"}) + "\n" for i in range(1205))
    (tmp_path / "pebbles/corpus.jsonl").write_text(passages, encoding="utf-8")
    for split, numbers in {"train": range(300), "test": range(298, 302)}.items():
        lines = ["query-id\tcorpus-id\tscore\n", *(f"q{i}\td{i}\t1\n" for i in numbers)]
        (tmp_path / f"pebbles/qrels/{split}.tsv").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def review(folder, train, capsys):
    (folder / "paper.md").write_text(PAPER.format(train=train), encoding="utf-8")
    assert (
        robustdr(["review", str(folder / "paper.md"), "--data", str(folder / "pebbles"), "-o", str(folder / "out")])
        == 0
    )
    return json.loads((folder / "out/review.json").read_text(encoding="utf-8"))


def test_counts_of_sentences_and_tables_against_files(folder, capsys):
    ties = review(folder, "310", capsys)["prose"]
    said = {(tie["number"], tie["verdict"], tie["given"]) for tie in ties if tie["cells"].startswith("data [")}
    assert ("310", "look", "300") in said and ("1,205", "agrees", "1205") in said
    of_table = {(tie["number"], tie["verdict"]) for tie in ties if tie["sentence"].startswith("table1 [")}
    assert ("300", "agrees") in of_table and not any(number in ("700", "80") for number, _ in of_table)


def test_queries_that_two_splits_share(folder, capsys):
    expected = "pebbles: 2 queries are among the 4 of test and 300 of train: no test on either is independent"
    assert review(folder, "300", capsys)["data"] == [expected]
    assert expected in (folder / "out/index.html").read_text(encoding="utf-8")


def test_a_folder_without_judgements_is_one_line(folder, capsys):
    (folder / "paper.md").write_text(PAPER.format(train="300"), encoding="utf-8")
    arguments = ["review", str(folder / "paper.md"), "--data", str(folder), "-o", str(folder / "out")]
    assert robustdr(arguments) == 2 and "no qrels/SPLIT.tsv" in capsys.readouterr().err
