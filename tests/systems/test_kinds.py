"""A new kind of system is one file and a recipe: nothing else knows its name."""

import json
import re
from pathlib import Path

from tests.recipes import recipe, with_systems
from tests.workflow.small import TABLE, edit

from robustdr.experiments.config import load
from robustdr.experiments.kinds import KINDS, Recipe, kind_of
from robustdr.graph.graph import graph
from robustdr.retrieval.runs import read_run

ROOT = Path(__file__).parents[2]
TOY = '''
"""Ranks the passages that begin with a query's letters at some place."""

from pydantic.dataclasses import dataclass

from robustdr.collections.reading import read_corpus
from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Kind, Need, Recipe


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    place: int


class Toy(Kind):
    ranks = __name__

    def ranking(self, graph, system, collection, depth):
        return graph.lineage.recipe(system)

    def need(self, graph, system, split):
        return Need(1000, 10)


def rankings(settings, corpus, files, query_sets):
    docids = sorted(docid for docid, _ in read_corpus(corpus))
    for queries in query_sets:
        yield {qid: [(docids[settings.place], 1.0 + len(text))] for qid, text in queries.items()}
'''


def test_a_toy_kind_is_planned_run_evaluated_and_tabulated(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    folder = project.folder
    (folder / "workflow/robustdr/systems/toy.py").write_text(TOY)

    def experiment(tree):
        tree["systems"]["toy"] = {"label": "Toy", "kind": "toy", "place": 2}
        tree["tables"]["table2"]["systems"] = ["bm25", "toy"]

    edit(folder / "config/papers/rodr/experiment.yaml", experiment)
    status, output = project.snakemake("--", TABLE)
    assert status == 0, output
    run = read_run(folder / "results/mini/runs/wordnet-mini/toy/seed0/dev.swap_words.arrow")
    corpus = (folder / "results/mini/collections/wordnet-mini/corpus.jsonl").read_text().splitlines()
    third = sorted(json.loads(line)["docid"] for line in corpus)[2]
    assert len(run) == 25 and {docid for ranking in run.values() for docid, _ in ranking} == {third}
    cells = json.loads((folder / TABLE).with_suffix(".json").read_text())["cells"]
    assert {cell["reproduced"] is not None for cell in cells if cell["system"] == "toy"} == {True}
    assert project.plan("--", TABLE) == ({}, set())

    edit(folder / "config/papers/rodr/experiment.yaml", lambda tree: tree["systems"]["toy"].update(place=3))
    assert project.plan("--", TABLE)[0] == {"retrieve": 1, "evaluate": 1, "table": 1}  # its own alone


def test_a_rewriter_is_made_from_what_it_stands_in_front_of():
    config = load(ROOT / "config")
    spelled = {"label": "Spelled", "kind": "rewrite", "rewriter": "symspell", "ranker": "rodr"}

    def graph_with_edits(edits):
        return graph(with_systems(config, "rodr", {"spelled": {**spelled, "edits": edits}}), "mini")

    first, second = graph_with_edits(1), graph_with_edits(2)
    lineage, run_place = first.lineage, (("wordnet-mini", "dev"), "misspell")
    assert lineage.seeds("spelled") == [1] and lineage.lineage("spelled") == lineage.lineage("rodr")
    inputs_by_system = [
        lineage.kind(name).reads(first, name, 1, run_place[0], ["misspell"]) for name in ("spelled", "rodr")
    ]
    rewritten, plain = (
        {name: (entry.paths, entry.key) for name, entry in inputs.items()} for inputs in inputs_by_system
    )
    assert rewritten == plain | {"corrected": ([], [])}
    runs = first.run("spelled", 1, *run_place), second.run("spelled", 1, *run_place), first.run("rodr", 1, *run_place)
    assert len({run.key for run in runs}) == 3
    assert first.run("rodr", 1, *run_place).key == second.run("rodr", 1, *run_place).key


def test_nothing_but_a_kind_knows_its_name():
    """Outside its room, the work behind it, and where a recipe says what its kind is if it says nothing.

    `scale["bm25"]` is a key of a scale.
    """
    rooms = {"systems", "retrieval"}
    files = [path for path in (ROOT / "workflow/robustdr").rglob("*.py") if path.parent.name not in rooms]
    files += [ROOT / "Snakefile", *(ROOT / "rules").glob("*.smk")]
    for name in KINDS.names():
        quoted = re.compile(rf"""(?<!scale\[)["']{name}["']""")
        # `robustdr export tevatron` names the toolkit; a file of rewordings may have a column `rewrite`; a stage of
        # the chain has the rule `rerank`.
        others = {Recipe.kind: ["kinds.py"], "tevatron": ["cli.py"], "rewrite": ["forms.py"], "rerank": ["chain.py"]}
        assert [path.name for path in files if quoted.search(path.read_text())] == others.get(name, []), name


def test_a_recipe_without_a_kind_is_a_dense_retriever():
    assert kind_of(recipe(label="Mine", initial="base", budget="passage")).name == "dense"
