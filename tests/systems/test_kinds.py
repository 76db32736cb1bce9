"""A new kind of system is one file and a recipe: nothing else knows its name."""

import json
import re
from dataclasses import replace
from pathlib import Path

from tests.workflow.small import edit, tiny

from robustdr.experiments.config import load
from robustdr.graph.plan import Plan
from robustdr.retrieval.runs import read_run
from robustdr.systems import DEFAULT, KINDS

ROOT = Path(__file__).parents[2]
TOY = '''
"""Ranks the passages that begin with a query's letters at some place."""

from typing import ClassVar

from pydantic.dataclasses import dataclass

from robustdr.collections.reading import read_corpus
from robustdr.core.settings import STRICT
from robustdr.systems.kind import Kind, Need


@dataclass(frozen=True, config=STRICT)
class Settings:
    place: int


class Toy(Kind):
    name = "toy"
    keys: ClassVar = {"place": {"type": "integer", "minimum": 0}}
    rules: ClassVar = {"required": ["label", "place"]}
    ranks = __name__

    def settings(self, plan, system, collection, depth):
        return Settings(plan.recipe(system)["place"])

    def need(self, plan, system, split):
        return Need(1000, 10)


def rankings(settings, corpus, files, query_sets):
    docids = sorted(docid for docid, _ in read_corpus(corpus))
    for queries in query_sets:
        yield {qid: [(docids[settings.place], 1.0 + len(text))] for qid, text in queries.items()}
'''
TABLE = "results/mini/tables/rodr_table2.md"


def test_a_toy_kind_is_planned_run_evaluated_and_tabulated(tmp_path):
    project = tiny(tmp_path)
    (tmp_path / "workflow/robustdr/systems/toy.py").write_text(TOY)

    def experiment(tree):
        tree["systems"]["toy"] = {"label": "Toy", "kind": "toy", "place": 2}
        tree["tables"]["table2"]["systems"] = ["bm25", "toy"]

    edit(tmp_path / "config/papers/rodr/experiment.yaml", experiment)
    status, output = project.snakemake("--", TABLE)
    assert status == 0, output
    run = read_run(tmp_path / "results/mini/runs/wordnet-mini/toy/seed0/dev.swap_words.arrow")
    corpus = (tmp_path / "results/mini/collections/wordnet-mini/corpus.jsonl").read_text().splitlines()
    third = sorted(json.loads(line)["docid"] for line in corpus)[2]
    assert len(run) == 25 and {docid for ranking in run.values() for docid, _ in ranking} == {third}
    cells = json.loads((tmp_path / TABLE).with_suffix(".json").read_text())["cells"]
    assert {cell["reproduced"] is not None for cell in cells if cell["system"] == "toy"} == {True}
    assert project.plan("--", TABLE) == ({}, set())

    edit(tmp_path / "config/papers/rodr/experiment.yaml", lambda tree: tree["systems"]["toy"].update(place=3))
    assert project.plan("--", TABLE)[0] == {"rank": 1, "evaluate": 1, "table": 1}  # its own alone


def test_a_rewriter_is_made_from_what_it_stands_in_front_of():
    config = load(ROOT / "config")
    recipe = {"label": "Spelled", "kind": "rewrite", "rewriter": "symspell", "ranker": "rodr", "paper": "rodr"}

    def plan(edits):
        return Plan(replace(config, systems={**config.systems, "spelled": {**recipe, "edits": edits}}), "mini")

    one, two = plan(1), plan(2)
    at = ("wordnet-mini", "dev", "misspell")
    assert one.seeds("spelled") == [1] and one.lineage("spelled") == one.lineage("rodr")
    spelled, plain = (one.kind(name).reads(one, name, 1, at[:2], ["misspell"]) for name in ("spelled", "rodr"))
    assert spelled == plain
    assert len({one.run_key("spelled", 1, *at), two.run_key("spelled", 1, *at), one.run_key("rodr", 1, *at)}) == 3
    assert one.run_key("rodr", 1, *at) == two.run_key("rodr", 1, *at)


def test_nothing_but_a_kind_knows_its_name():
    """Outside its room, the work behind it, and where the scale's own key for BM25 is read."""
    own = {"systems", "retrieval"}
    files = [path for path in (ROOT / "workflow/robustdr").rglob("*.py") if path.parent.name not in own]
    files += [ROOT / "Snakefile", *(ROOT / "rules").glob("*.smk")]
    for name in KINDS:
        quoted = re.compile(rf"""["']{name}["']""")
        assert [path.name for path in files if quoted.search(path.read_text())] == [], name


def test_a_recipe_without_a_kind_is_a_dense_retriever():
    assert DEFAULT in KINDS and "loss" in KINDS[DEFAULT].keys
