"""Every collection of full scale is read from the files of its release, by the packages of its environment alone."""

import json
import subprocess
import sys

import pytest
import yaml
from tests.full import corpora
from tests.full.world import tree

from robustdr.core.files import read_answers, read_qrels, read_queries
from robustdr.keys.provenance import normalised

# Reads a corpus and splits as stages do. What the environment does not name cannot be imported, not even late.
READ = """
import json, sys
from importlib.metadata import packages_distributions
from pathlib import Path

OWNERS, LISTED = packages_distributions(), json.loads(sys.argv[2])

class Refusing:
    def find_spec(self, name, path=None, target=None):
        owners = {owner.lower().replace("_", "-").replace(".", "-") for owner in OWNERS.get(name.partition(".")[0], ())}
        if owners and not owners & {"robustdr", *LISTED}:
            raise ImportError(f"the environment does not name {owners}")

sys.meta_path.insert(0, Refusing())
from robustdr.collections import write_corpus, write_split
from robustdr.collections.settings import Source
from robustdr.core.settings import read_settings

for place, source in json.loads(sys.argv[1]).items():
    source, place = read_settings(Source, json.dumps(source)), Path(place)
    write_corpus(source, place / "corpus.jsonl")
    for split, part in source["splits"].items():
        judged = ["answers.jsonl"] if part.get("kind") == "questions" else ["qrels.txt"]
        more = ["answers.jsonl"] if part.get("answers") is True else []
        write_split(source, split, [place / split / file for file in ["queries.tsv", *judged, *more]])
"""
# Of each collection: passages, and queries by split.
COUNTS = {
    "msmarco-passage": (241, {"train": 48, "dev": 20, "trec-dl-2019": 8, "trec-dl-2020": 6}),
    "msmarco-document": (121, {"train": 48, "dev": 20}),
    "trec-dl-2019": (241, {"test": 8}),
    "dl-typo": (241, {"test": 12}),
    "antique": (161, {"train": 48, "test": 10, "reranked": 10, "official-test": 8}),
    "antique-leak": (161, {"train": 58}),  # the training and the test queries of antique
    "antique-binary": (161, {"train": 58, "test": 8}),
    "wikiqa": (None, {"train": 38, "dev": 8, "test": 16}),
    "natural-questions": (260, {"train": 48, "dev": 8, "test": 20}),
    "trivia-qa": (260, {"train": 48, "dev": 8, "test": 20}),
    "orcas": (121, {"train": 48}),
}


@pytest.fixture(scope="module")
def collections(full):
    """The folder with what was read of every collection that full scale names and that is public."""
    entries = tree(full.folder / "config/collections.yaml") | tree(full.folder / "collections.yaml")
    packages = yaml.safe_load((full.folder / "envs/data.yaml").read_text())["dependencies"][-1]["pip"]
    listed = [normalised(pin.partition("==")[0]) for pin in packages]
    sources = {f"read/{name}": entries[name] for name in COUNTS}
    command = [sys.executable, "-c", READ, json.dumps(sources), json.dumps(listed)]
    environment = full.environment | {"PYTHONPATH": str(full.folder / "workflow")}
    done = subprocess.run(command, cwd=full.folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return full.folder / "read"


def test_full_scale_names_these_collections(full):
    assert COUNTS.keys() <= {*full.world.scale["collections"].values()}


@pytest.mark.parametrize("name", COUNTS)
def test_all_passages_and_judged_queries_are_read(collections, name):
    passages, splits = COUNTS[name]
    found = (collections / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert passages is None or len(found) == passages
    assert {split: len(read_queries(collections / name / split / "queries.tsv")) for split in splits} == splits


def test_texts_come_out_of_their_markup(collections):
    def passage(name, docid):
        lines = (collections / name / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        return next(found for found in map(json.loads, lines) if found["docid"] == docid)

    assert passage("msmarco-passage", "0")["text"] == corpora.PASSAGES[0].text + " It’s so."
    article = passage("natural-questions", "1")
    assert article["title"] == f'"{corpora.ARTICLES[0].title}"' and '"boats"' in article["text"]
    assert passage("msmarco-document", "D1")["title"] == corpora.PAGES[1].title


def test_judgements_and_answers_keep_their_meaning(collections):
    grades = read_qrels(collections / "natural-questions/train/qrels.txt")
    assert sorted(grades["0"].values()) == [-1, 0, 0, 0, 0, 0, 1] and max(grades["1"].values()) == 2
    assert sorted(read_qrels(collections / "antique-binary/test/qrels.txt")["1880028"].values()) == [0, 0, 1, 1]
    answers = read_answers(collections / "trivia-qa/test/answers.jsonl")
    assert answers["3"] == [corpora.ARTICLES[143].answer, f"the {corpora.ARTICLES[143].answer}"]
