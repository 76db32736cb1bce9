"""What reaches the stages that read collections: each source of the project, and none that says what no kind knows."""

import json
import re
from pathlib import Path
from typing import get_type_hints

import pytest

from robustdr.cli import main
from robustdr.collections import part, settings
from robustdr.collections.settings import Source
from robustdr.core.settings import read
from robustdr.experiments.config import load

ROOT = Path(__file__).parents[2]
QUESTIONS = {"kind": "questions", "path": "q.parquet", "question": "q", "answers": "a"}
COLLECTIONS = load(ROOT / "config").collections


@pytest.mark.parametrize("name", COLLECTIONS)
def test_the_corpus_and_every_split_of_a_collection_are_read_as_they_stand(name):
    for split in (None, *COLLECTIONS[name]["splits"]):
        source = part(COLLECTIONS[name], split)
        assert read(Source, json.dumps(source)) == source


@pytest.mark.parametrize("kind", ["WordNet", "Beir", "Irds", "Local", "Pairs"])
@pytest.mark.parametrize("of", ["", "Split"])
def test_the_schema_and_the_stages_know_the_same_keys(kind, of):
    schema = json.loads((ROOT / "config/schemas/collections.schema.json").read_text())["$defs"]
    known = getattr(settings, kind + of)
    defined = schema[kind.lower() + of.replace("S", "_s")]
    assert set(get_type_hints(known)) == set(defined["properties"])
    assert known.__required_keys__ == set(defined["required"])


@pytest.mark.parametrize(
    "name, change, message",
    [
        ("wordnet-mini", {"familiar": 3}, r"wordnet\.familiar: Extra inputs are not permitted"),
        ("wordnet-mini", {"passages": "10000"}, r"wordnet\.passages: Input should be a valid integer"),
        ("wordnet-mini", {"splits": {"dev": {"query": 3}}}, r"wordnet\.splits\.dev\.queries: Field required"),
        ("antique", {"corpus": None}, r"irds\.corpus: Input should be a valid string"),
        ("antique", {"splits": {"test": {"id": "antique", "count": "3"}}}, r"irds\.splits\.test\.irds\.count"),
        ("antique", {"splits": {"test": {"queries": "q.tsv"}}}, r"irds\.splits\.test\.irds\.id: Field required"),
        ("antique", {"splits": {"test": QUESTIONS | {"answer": "a"}}}, r"irds\.splits\.test\.questions\.answer: Extra"),
        ("antique", {"splits": {"test": {"kind": "beir"}}}, "'beir' found using .* does not match any"),
        ("wikiqa", {"columns": {"qid": "id", "query": "q", "text": "t"}}, r"pairs\.columns\.grade: Field required"),
        ("antique", {"kind": "locale"}, "'locale' found using 'kind' does not match any of the expected tags"),
    ],
)
def test_a_key_that_is_misspelt_or_missing_or_of_another_type_stops_the_stage(tmp_path, capsys, name, change, message):
    output = tmp_path / "corpus.jsonl"
    source = json.dumps({**COLLECTIONS[name], **change})
    assert main(["stage", "corpus", "--code", "corpus", "--source", source, "--output", str(output)]) == 2
    assert re.search(f"settings of Source: .*{message}", capsys.readouterr().err)
    assert not output.exists()
