"""What papers need of a scale: query sets, variations of training queries, snapshots."""

from tests.changes import changed

from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import graph
from robustdr.variations.settings import VariationSettings

AT = ("msmarco-passage", "train")


def test_every_paper_s_query_sets_of_a_system_are_searched_at_once(config, mini):
    """DR_OQ is rodr's, and stands in ToRoDer's claims and in the table of all methods too."""
    (names, measures), *_ = mini.demand.evaluations("dr_oq").values()
    wanted = [config.papers[paper].evaluation["msmarco-passage"] for paper in ("rodr", "toroder", "all")]
    assert names[0] == ORIGINAL and set(names[1:]) == {name for evaluation in wanted for name in evaluation.variations}
    assert len(names) == len(set(names)) and measures == ["RR@10", "R@50"]


def test_fresh_variations_are_drawn_once_for_every_epoch(config, mini, full):
    """Five begun epochs of typos need five draws; where two generators take turns, three of each."""
    demand = full.demand
    assert full.lineage.budget("bert_st").epochs == 4.772
    assert demand.training_variations("bert_st") == ["typo", *(f"typo.draw{n}" for n in range(2, 6))]
    assert [full.variation_settings(AT, name).seed for name in demand.training_variations("bert_st")] == [1, 2, 3, 4, 5]
    assert full.variation_settings(AT, "typo.draw3") == VariationSettings("typos:Typo", {}, 3)
    two = graph(changed(config, "systems", "bert_st", "variations", ["typo", "misspell"]), "full")
    drawn = [f"{name}{draw}" for draw in ("", ".draw2", ".draw3") for name in ("typo", "misspell")]
    assert two.demand.training_variations("bert_st") == drawn
    assert mini.demand.training_variations("bert_st") == ["typo"]  # one epoch
    assert demand.training_variations("st") == config.systems["st"].variations
    drawn = [full.query_set(AT, name).key for name in demand.training_variations("bert_st")]
    assert len(set(drawn)) == 5


def test_a_snapshot_has_the_recipe_of_its_system_and_a_key_of_its_own(config, mini):
    percents = mini.demand.snapshots()["rodr"]
    names = ["rodr", *(f"rodr.at{percent}" for percent in percents)]
    assert len(names) == len(config.papers["rodr"].figures["figure2"].points)
    assert all(mini.lineage.recipe(name) is mini.lineage.recipe("rodr") for name in names)
    assert len({mini.model(name, 1).key for name in names}) == len(names)
