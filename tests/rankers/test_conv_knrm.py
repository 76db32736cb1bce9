"""Conv-KNRM against its formula in NumPy, n-gram by n-gram."""

import numpy as np
import pytest

from rankers.word_vectors import PAIRS, check_gradients, pooled, randomised, vectors_of, weights
from robustdr.rankers.ranker import load


def ngrams(vectors, n, weight, bias):
    """Of each word, the filters' sums over it and the n − 1 words after it; there is nothing behind the last."""
    ngram_vectors = []
    for start in range(len(vectors)):
        value = bias.copy()
        for step in range(n):
            if start + step < len(vectors):
                value = value + weight[:, :, step] @ vectors[start + step]
        ngram_vectors.append(value)
    return ngram_vectors


def reference(ranker):
    def score(pair, values):
        query, passage = vectors_of(ranker, pair)
        convolutions = [(values[f"convolutions.{i}.weight"], values[f"convolutions.{i}.bias"]) for i in range(3)]
        features = []
        for i, of_passage in enumerate(convolutions):
            for j, of_query in enumerate(convolutions):
                query_ngrams, passage_ngrams = ngrams(query, j + 1, *of_query), ngrams(passage, i + 1, *of_passage)
                features.extend(pooled(query_ngrams, passage_ngrams, values["kernels.mu"], values["kernels.sigma"]))
        return (values["linear.weight"][0] @ np.array(features) + values["linear.bias"])[0]

    return score


def test_scores_equal_the_formula(word_vectors):
    ranker = randomised("conv_knrm", word_vectors, filters=5)
    predicted = ranker(ranker.tokenise(PAIRS, 20, 20)).detach().numpy()
    score, values = reference(ranker), weights(ranker)
    assert predicted == pytest.approx([score(pair, values) for pair in PAIRS], rel=0, abs=1e-6)


def test_gradients_equal_differences(word_vectors):
    ranker = randomised("conv_knrm", word_vectors, filters=2)
    assert {"kernels.mu", "kernels.sigma"} <= dict(ranker.named_parameters()).keys()
    check_gradients(ranker, reference(ranker))


def test_a_phrase_by_hand(word_vectors):
    """Only exact matches of two words count: `gold tree` once in `gold tree king`, `tree` at an end nowhere."""
    ranker = load("conv_knrm", word_vectors, filters=8, trained_kernels=False)
    ranker.linear.weight.data = ranker.linear.weight.data * 0
    ranker.linear.weight.data[0, 4 * 11 + 10] = 1  # two words of the passage, two of the query, exact matches
    ranker.linear.bias.data[0] = 0
    (score,) = ranker.score(ranker.tokenise([("gold tree", "gold tree king")], 20, 20)).tolist()
    assert score == pytest.approx(np.log(1 + 1e-6) + np.log(1e-6), abs=1e-5)


def test_as_many_filters_as_asked_for(word_vectors):
    assert [convolution.out_channels for convolution in load("conv_knrm", word_vectors).convolutions] == [128] * 3
    assert [convolution.out_channels for convolution in load("conv_knrm", word_vectors, filters=7).convolutions] == [
        7
    ] * 3
