"""DRMM against its formula in NumPy, word by word."""

import math

import numpy as np
import pytest

from rankers.word_vectors import PAIRS, check_gradients, cosine, randomised, vectors_of, weights
from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load

PASSAGES = ["gold and music", "Gold, gold, GOLD", "the king", "", "river of gold"]
FREQUENCIES = {"gold": 3, "music": 1, "king": 1, "river": 1, "water": 0}


def reference(ranker, bins=11):
    frequencies = ranker.frequencies.numpy()

    def score(pair, values):
        queries, passages = vectors_of(ranker, pair)
        ((rows, _),) = ranker.tokenise([pair], 20, 20)
        outputs, importance = [], []
        for query, row in zip(queries, rows, strict=True):
            histogram = [0] * bins
            for passage in passages:
                histogram[math.floor((cosine(query, passage) + 1.00001) / 2 * (bins - 1))] += 1
            logarithms = np.array([np.log(count + 1e-5) for count in histogram])
            hidden = values["mlp.0.weight"] @ logarithms + values["mlp.0.bias"]
            hidden = np.array([max(0, value) for value in hidden])
            outputs.append((values["mlp.2.weight"] @ hidden + values["mlp.2.bias"])[0])
            importance.append(np.exp(np.log((len(PASSAGES) + 1) / (frequencies[row] + 1))))
        return sum(g * o for g, o in zip(importance, outputs, strict=True)) / sum(importance) if rows else 0.0

    return score


@pytest.mark.parametrize("settings", [{}, {"bins": 5, "hidden": 3}])
def test_scores_equal_the_formula(word_vectors, settings):
    ranker = randomised("drmm", word_vectors, **settings)
    ranker.count(PASSAGES)
    predicted = ranker(ranker.tokenise(PAIRS, 20, 20)).detach().numpy()
    score, values = reference(ranker, settings.get("bins", 11)), weights(ranker)
    assert predicted == pytest.approx([score(pair, values) for pair in PAIRS], rel=0, abs=1e-6)


def test_gradients_equal_differences(word_vectors):
    ranker = randomised("drmm", word_vectors)
    ranker.count(PASSAGES)
    check_gradients(ranker, reference(ranker))


def test_exact_matches_alone_are_in_the_last_bin(word_vectors):
    """With a first layer that reads the last bin alone: ln(3 + 1e-5) for three matches, 0 by ReLU for none."""
    ranker = load("drmm", word_vectors, hidden=1)
    first, _, second = ranker.mlp
    first.weight.data = first.weight.data * 0
    first.weight.data[0, 10] = second.weight.data[0, 0] = 1
    first.bias.data[0] = second.bias.data[0] = 0
    gold, river, tree = (ranker.vectors[ranker.vocabulary[word]] for word in ("gold", "river", "tree"))
    across = river - gold * (river @ gold) / (gold @ gold)
    tree.copy_(gold / gold.norm() + across / across.norm() * 0.003)  # cosine 1 − 4.5e-6: exact too
    pairs = [
        ("gold", "gold gold river gold"),
        ("gold", "tree gold"),
        ("gold", "river king"),
        ("gold", ""),
        ("", "gold"),
    ]
    expected = [math.log(3 + 1e-5), math.log(2 + 1e-5), 0, 0, 0]
    assert ranker.score(ranker.tokenise(pairs, 20, 20)).tolist() == pytest.approx(expected, abs=1e-6)


def test_passages_that_have_a_word_are_counted(word_vectors):
    ranker = load("drmm", word_vectors)
    assert RANKERS.facts("drmm").counts
    for _ in range(2):  # the second time from zero
        ranker.count(iter(PASSAGES))
        assert {word: int(ranker.frequencies[ranker.vocabulary[word]]) for word in FREQUENCIES} == FREQUENCIES
    assert int(ranker.frequencies[0]) == 0


def test_a_rare_word_weighs_more(word_vectors):
    """Weights are as 6/2 for king, in one of five passages, to 6/4 for gold, in three."""
    ranker = load("drmm", word_vectors, hidden=1)
    pairs = [("gold", "gold"), ("king", "gold"), ("gold king", "gold")]

    def scores():
        return ranker.score(ranker.tokenise(pairs, 20, 20)).tolist()

    gold, king, both_words = scores()
    assert both_words == pytest.approx((gold + king) / 2, abs=1e-6)  # nothing counted yet
    ranker.count(PASSAGES)
    assert scores() == pytest.approx([gold, king, gold / 3 + king * 2 / 3], abs=1e-6)
