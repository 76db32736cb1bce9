"""KNRM against its formula in NumPy, word by word."""

import numpy as np
import pytest

from rankers.word_vectors import PAIRS, check_gradients, pooled, randomised, vectors_of, weights
from robustdr.rankers.ranker import load

MU = [-0.9, -0.7, -0.5, -0.3, -0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
SIGMA = [0.1] * 10 + [0.001]


def reference(ranker):
    def score(pair, values):
        mu, sigma = values.get("kernels.mu", MU), values.get("kernels.sigma", SIGMA)
        features = pooled(*vectors_of(ranker, pair), mu, sigma)
        return (values["linear.weight"][0] @ features + values["linear.bias"])[0]

    return score


@pytest.mark.parametrize("trained", [True, False])
def test_scores_equal_the_formula(word_vectors, trained):
    ranker = randomised("knrm", word_vectors, trained_kernels=trained)
    predicted = ranker(ranker.tokenise(PAIRS, 20, 20)).detach().numpy()
    score, values = reference(ranker), weights(ranker)
    assert predicted == pytest.approx([score(pair, values) for pair in PAIRS], rel=0, abs=1e-6)


def test_a_match_by_hand(word_vectors):
    """The exact match alone counts: ln(2 + 1e-6) for gold twice, ln(1e-6) for no gold."""
    ranker = load("knrm", word_vectors, trained_kernels=False)
    ranker.linear.weight.data = ranker.linear.weight.data * 0
    ranker.linear.weight.data[0, 10] = 1
    ranker.linear.bias.data[0] = 0.5
    pairs = [("gold", "Gold of gold"), ("gold", ""), ("", "gold"), ("gold tree", "gold tree gold")]
    expected = [0.5 + np.log(2 + 1e-6), 0.5 + np.log(1e-6), 0.5, 0.5 + np.log(2 + 1e-6) + np.log(1 + 1e-6)]
    assert ranker.score(ranker.tokenise(pairs, 20, 20)).tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("told", "trained"), [({}, True), ({"trained_kernels": False}, False)])
def test_gradients_equal_differences(word_vectors, told, trained):
    ranker = randomised("knrm", word_vectors, **told)
    assert {name for name, _ in ranker.named_parameters()} == {
        "linear.weight",
        "linear.bias",
        *(["kernels.mu", "kernels.sigma"] if trained else []),
    }
    check_gradients(ranker, reference(ranker))
