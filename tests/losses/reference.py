"""The equations of the losses in plain NumPy, loop by loop as they are printed, in double precision."""

import numpy as np


def distribution(scores):
    """Eq. 1, 2, 4, 5 of RoDR: e^s / Σ e^s."""
    exponentials = [np.exp(score) for score in scores]
    return [value / sum(exponentials) for value in exponentials]


def divergence(p, q):
    """KL(p ‖ q) of two distributions."""
    return sum(a * np.log(a / b) for a, b in zip(p, q, strict=True))


def nll(queries, passages, positive):
    """Eq. 7 of RoDR: the mean over the queries of −log p(positive | query)."""
    return -np.mean(
        [np.log(distribution([q @ p for p in passages])[at]) for q, at in zip(queries, positive, strict=True)]
    )


def query_alignment(variation, passages, teacher_query, teacher_passages):
    """Eq. 3 of RoDR: the mean over the queries of KL(p_o(· | q) ‖ p_n(· | q̄))."""
    return np.mean(
        [
            divergence(distribution([q @ p for p in teacher_passages]), distribution([v @ p for p in passages]))
            for q, v in zip(teacher_query, variation, strict=True)
        ]
    )


def passage_alignment(variation, passages, teacher_query, teacher_passages):
    """Eq. 6 of RoDR: the mean over the passages of KL(p_o(· | p) ‖ p_n(· | p))."""
    return np.mean(
        [
            divergence(distribution([q @ t for q in teacher_query]), distribution([v @ p for v in variation]))
            for t, p in zip(teacher_passages, passages, strict=True)
        ]
    )
