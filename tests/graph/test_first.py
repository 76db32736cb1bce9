"""The rehearsal of full scale: the same graph on parts of the collections."""

import pytest
from tests.changes import changed
from tests.planned import of_papers

from robustdr.graph.banner import banner
from robustdr.graph.graph import graph
from robustdr.keys.node import histories

PART = ("results/first/", "results/")


@pytest.fixture(scope="module")
def first(config):
    return graph(config, "first")


def behind(made, paper):
    return list(histories(of_papers(made, [paper])))


@pytest.mark.parametrize("paper", ["rodr", "capot", "qvg", "toroder", "intent", "all"])
def test_every_rule_and_the_kinds_of_gpus_of_full_scale_are_used(first, full, paper):
    nodes = {name: behind(made, paper) for name, made in (("first", first), ("full", full))}
    gate = {"published"}  # cut collections give no published score
    assert {node.rule for node in nodes["first"]} == {node.rule for node in nodes["full"]} - gate
    most = {name: max(node.need.gpus for node in of) for name, of in nodes.items()}
    assert most["first"] == most["full"] or paper != "toroder"
    measured = {name: {node.path for node in of if node.rule == "evaluate"} for name, of in nodes.items()}
    assert {path.replace(*PART) for path in measured["first"]} <= measured["full"]


def test_a_training_makes_a_few_updates_and_a_checkpoint_on_the_way(first):
    scale = first.lineage.scale
    for name, budget in scale.budgets.items():
        steps = round(budget.epochs * (scale.cut.queries // (budget.batch_size * budget.devices)))
        mend = f"config/scales/first.yaml: budgets: {name}: {steps} updates; give it `epochs` for 5 to 20 of them"
        assert 4 < steps <= 20 and budget.checkpoint_every < steps, mend


def test_passages_that_any_split_judges_are_in_the_part(first, full):
    corpus = first.corpus("msmarco-passage")
    judged = {node.path.removeprefix("results/first/collections/") for node in corpus.inputs["judged"].nodes}
    assert {"msmarco-passage/train/qrels.txt", "msmarco-passage/dev/qrels.txt", "trec-dl-2019/test/qrels.txt"} <= judged
    assert first.corpus("trec-dl-2019") is corpus and corpus.options["more"] == 50000
    assert first.split(("msmarco-passage", "dev")).options["most"] == 500
    assert "judged" not in full.corpus("msmarco-passage").inputs
    assert first.corpus("natural-questions").inputs["judged"].paths


def test_another_part_is_another_collection(config, first):
    for key in ("queries", "passages"):
        other = graph(changed(config, "scales", "first", "cut", key, 7), "first")
        assert other.corpus("antique").key != first.corpus("antique").key
        same = other.split(("antique", "test")).key == first.split(("antique", "test")).key
        assert same == (key == "passages")


def test_every_table_says_that_its_numbers_are_of_parts(first, full):
    said = banner(first.lineage, [("dr_oq", "msmarco-passage")])
    assert "at most 500 queries of a split, the passages that they judge and 50,000 others" in said
    assert not banner(full.lineage, [("dr_oq", "msmarco-passage")])
