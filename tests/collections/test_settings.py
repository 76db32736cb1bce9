"""What reaches the stages that read collections: each source of the project, and none that says what no kind knows."""

import json
import re
from pathlib import Path

import pytest

from robustdr.collections import KINDS, deciding_keys
from robustdr.collections.settings import Source
from robustdr.core.settings import read_settings
from robustdr.experiments.config import load
from robustdr.stages.__main__ import main

ROOT = Path(__file__).parents[2]
QUESTIONS = {"kind": "questions", "path": "q.parquet", "question": "q", "answers": "a"}
COLLECTIONS = load(ROOT / "config").collections


@pytest.mark.parametrize("name", COLLECTIONS)
def test_the_corpus_and_every_split_of_a_collection_are_read_as_they_stand(name):
    for split in (None, *COLLECTIONS[name]["splits"]):
        source = deciding_keys(COLLECTIONS[name], split)
        assert read_settings(Source, json.dumps(source)) == source


def test_another_file_of_titled_passages_makes_another_corpus_and_the_same_splits():
    titled = COLLECTIONS["msmarco-passage-titled"]
    moved = {**titled, "titled": {"path": "titled.jsonl"}}
    assert deciding_keys(titled, "dev") == deciding_keys(moved, "dev") and deciding_keys(titled, None) != deciding_keys(
        moved, None
    )


def test_the_head_of_the_configuration_lists_every_kind():
    head = (ROOT / "config/collections.yaml").read_text().partition("\n\n")[0]
    assert sorted(re.findall(r"^#   ([a-z]+)  ", head, re.MULTILINE)) == KINDS


@pytest.mark.parametrize(
    "name, change, message",
    [
        ("wordnet-mini", {"familiar": 3}, r"key: 'familiar' is unknown \(did you mean familiarity"),
        ("wordnet-mini", {"passages": "10000"}, r"passages: '10000' should be a valid integer"),
        (
            "wordnet-mini",
            {"splits": {"dev": {"query": 3}}},
            r"splits\.dev: key: 'query' is unknown \(did you mean queries",
        ),
        ("antique", {"corpus": None}, r"corpus: None should be a valid string"),
        (
            "antique",
            {"splits": {"test": {"id": "antique", "count": "3"}}},
            r"splits\.test\.count: '3' should be a valid integer",
        ),
        ("antique", {"splits": {"test": {"queries": "q.tsv"}}}, r"splits\.test: key: 'queries' is unknown"),
        (
            "antique",
            {"splits": {"test": QUESTIONS | {"answer": "a"}}},
            r"splits\.test: key: 'answer' is unknown \(did you mean answers",
        ),
        (
            "antique",
            {"splits": {"test": {"kind": "beir"}}},
            r"splits\.test\.kind: 'beir' is unknown; allowed: irds, local, questions",
        ),
        ("wikiqa", {"columns": {"qid": "id", "query": "q", "text": "t"}}, r"columns: 'grade' is missing"),
        ("antique", {"kind": "locale"}, r"kind: 'locale' is unknown \(did you mean local"),
    ],
)
def test_a_key_that_is_misspelt_or_missing_or_of_another_type_stops_the_stage(tmp_path, capsys, name, change, message):
    output = tmp_path / "corpus.jsonl"
    source = json.dumps({**COLLECTIONS[name], **change})
    assert main(["corpus", "--code", "corpus", "--source", source, "--output", str(output)]) == 2
    assert re.search(f"settings of Source: .*{message}", capsys.readouterr().err)
    assert not output.exists()
