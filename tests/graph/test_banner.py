"""The banner of a miniature: its amounts, worked out by hand."""

from dataclasses import replace

import pytest

from robustdr.graph.banner import banner, places, untestable, updates
from robustdr.graph.lineage import Lineage


@pytest.fixture
def lineage(config):
    """1,000 training questions; 1,000 // (16 · 2) = 31 updates an epoch: 62 in DR_OQ's two, 16 in RoDR's half."""
    scale = config.scales["mini"]
    first = replace(scale.budgets["passage"], epochs=2.0, batch_size=16, devices=2)
    budgets = {**scale.budgets, "passage": first, "passage-second-stage": replace(first, epochs=0.5)}
    source = config.collections["wordnet-mini"]
    source = {**source, "passages": 5000, "splits": {"train": {"queries": 1000}, "dev": {"queries": 700}}}
    scales = {**config.scales, "mini": replace(scale, miniature="Toys.", budgets=budgets, seeds=2)}
    collections = {**config.collections, "wordnet-mini": source}
    return Lineage(replace(config, scales=scales, collections=collections), "mini")


@pytest.mark.parametrize(("system", "count"), [("dr_oq", 62), ("rodr", 78), ("rodr.at50", 70), ("bm25", 0)])
def test_updates_are_those_of_all_stages(lineage, system, count):
    assert updates(lineage, system) == count


def test_a_banner_says_how_much_there_is(lineage):
    amounts = "wordnet-mini, for msmarco-passage, has 5,000 passages and questions (train 1,000, dev 700)"
    on = "msmarco-passage"
    found = banner(lineage, [("dr_oq", on), ("rodr", on), ("bm25", on)])
    assert found == f"Toys. Amounts: {amounts}; about 62 to 78 updates; seeds: 2."
    assert banner(lineage, [("dr_oq", on)]) == f"Toys. Amounts: {amounts}; about 62 updates; seeds: 2."
    assert banner(lineage, [("bm25", on)]) == f"Toys. Amounts: {amounts}."


def test_a_collection_that_is_none_has_no_banner(full):
    assert banner(full.lineage, [("rodr", "msmarco-passage")]) == ""


def test_real_text_says_what_is_real_and_its_sizes_are_not_compared_with_the_paper_s(config):
    """How many questions its collections have is known once they are read: the text of the scale says it."""
    text = Lineage(config, "text")
    assert banner(text, [("dr_oq", "msmarco-passage")]) == text.scale.miniature != ""
    assert places(text, "rodr")["msmarco-passage"] == "msmarco-passage (here: squad-sentences)"
    assert updates(text, "dr_oq") == 0


def test_a_scale_that_has_what_its_base_lacks_can_test_claims_about_it(config):
    """`unpretrained` starts from random weights; `text` from a sentence encoder, which has learned to retrieve."""
    replaced, testable = (untestable(Lineage(config, name), "toroder") for name in ("text", "unpretrained"))
    start = config.scales["text"].proxies["base-without-retrieval"]
    about_the_start = {key for key, words in replaced.items() if start in words}
    assert about_the_start and not any(start in words for words in testable.values())
    assert any(key not in testable for key in about_the_start)
