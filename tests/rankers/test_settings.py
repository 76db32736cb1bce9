"""What rankers say of themselves, and what they do of it."""

import pytest

from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load


def test_one_ranker_counts_words_and_one_represents_queries():
    facts = {name: RANKERS.facts(name) for name in RANKERS.names()}
    assert [name for name, told in facts.items() if told.counts] == ["drmm"]
    assert [name for name, told in facts.items() if told.represents] == ["intent_bert"]


@pytest.mark.parametrize("name", ["knrm", "conv_knrm"])
@pytest.mark.parametrize(("told", "trained"), [({}, True), ({"trained_kernels": False}, False)])
def test_kernels_are_trained_unless_the_recipe_says_otherwise(word_vectors, name, told, trained):
    ranker = load(name, word_vectors, training=True, **told)
    assert {"kernels.mu", "kernels.sigma"} <= ranker.state_dict().keys()
    learns = {name for name, parameter in ranker.named_parameters() if parameter.requires_grad}
    assert ({"kernels.mu", "kernels.sigma"} <= learns) == trained
