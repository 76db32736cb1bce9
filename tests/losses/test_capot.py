"""CAPOT, worked by hand."""

import pytest
import torch

from losses.equations import tensor
from robustdr import losses
from robustdr.losses.batch import Batch


@pytest.fixture()
def small() -> Batch:
    """Two queries, each the other's negative: 5 apart, 1 and 0 from their variations, 4 and 1 from their anchors.

    Dot products with the anchors: variations 3 and 6, negatives 0 and 0, the anchors themselves 9 and 9.
    """
    return Batch(
        query=tensor([[1, 0], [0, 2]]),
        variation=tensor([[1, 1], [0, 2]]),
        anchor=tensor([[3, 0], [0, 3]]),
        negative=torch.tensor([1, 0]),
    )


def values(batch: Batch, **settings) -> dict[str, float]:
    return {name: term.item() for name, term in losses.create("capot", **settings)(batch).items()}


def test_queries_are_all_that_it_needs():
    assert losses.check("capot") == {"query", "variation", "anchor", "negative"}


def test_printed_by_hand(small):
    # Triplet: 1 − 0.5 + 1 and 0 − 0.5 + 1. Anchor: 2 · (4 + 1) / 2. Ranking: 0 − 3 and 0 − 6 are below 0.
    assert values(small) == pytest.approx({"triplet": 1.0, "anchor": 5.0, "ranking": 0.0}, abs=1e-12)
    # Triplet: 2 − 1 + 0.5; 0 − 1 + 0.5 is below 0. Ranking: 0 − 3 + 5; 0 − 6 + 5 is below 0.
    weighed = values(small, tau_positive=2.0, tau_negative=0.2, margin=0.5, tau_ranking=0.7, margin_ranking=5.0)
    assert weighed == pytest.approx({"triplet": 0.75, "anchor": 5.0, "ranking": 0.7}, abs=1e-12)


def test_a_mined_negative_is_the_nearest_by_the_frozen_vectors():
    """By the vectors in training, each of the first two queries is nearest to the third."""
    assert losses.check("capot_mined") == {"query", "variation", "anchor"}
    query = tensor([[1, 0], [4, 0], [1, 1]])
    batch = Batch(query=query, variation=query, anchor=tensor([[0, 0], [1, 0], [9, 0]]), negative=None)
    # Negatives: the second, the first, the second. Triplet: 1 − 0.1 · 9, twice, and 1 − 0.1 · 10.
    (triplet,) = losses.create("capot_mined", tau_anchor=0.0, tau_ranking=0.0)(batch).values()
    assert triplet.item() == pytest.approx((0.1 + 0.1 + 0.0) / 3, abs=1e-12)


def test_the_triplet_loss_may_push_alone(small):
    # 0 − 0.2 · 5 + 4, twice.
    assert values(small, tau_positive=0.0, tau_negative=0.2, margin=4.0)["triplet"] == pytest.approx(3.0, abs=1e-12)


def test_text_by_hand(small):
    # Ranking: 9 − 3 and 9 − 6.
    terms = values(small, variant="text")
    assert terms == pytest.approx({"triplet": 1.0, "anchor": 5.0, "ranking": 4.5}, abs=1e-12)


def test_released_sibling_by_hand():
    # Cosines: with the variations 24/25 and 1, of the queries 4/5. Embedding: 0.04 + 0.1 · (0.8 − 0.2), 0 + 0.06.
    # Anchor: 2 · (1 + 0) / 2. Ranking: 0.8 − 0.96 + 0.5 and 0.8 − 1 + 0.5.
    batch = Batch(
        query=tensor([[3, 4], [0, 2]]),
        variation=tensor([[4, 3], [0, 5]]),
        anchor=tensor([[3, 3], [0, 2]]),
        negative=torch.tensor([1, 0]),
    )
    terms = values(batch, variant="released_sibling", margin_ranking=0.5)
    assert terms == pytest.approx({"cosine_embedding": 0.08, "anchor": 1.0, "ranking": 0.32}, abs=1e-12)


def test_a_triplet_that_keeps_its_distance_pulls_no_more(small):
    small.variation.requires_grad_()
    losses.create("capot", tau_positive=2.0, tau_negative=0.2, margin=0.5)(small)["triplet"].backward()
    # The first: 2 · 2 · (f(x⁺) − f(x)) / 2 queries = (0, 2); the second's hinge is closed.
    assert small.variation.grad.tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize(
    "absent, settings",
    [
        ("triplet", {"tau_positive": 0.0, "tau_negative": 0.0}),
        ("anchor", {"tau_anchor": 0.0}),
        ("ranking", {"tau_ranking": 0.0}),
    ],
)
def test_a_term_of_weight_zero_is_absent_and_the_others_stay(small, absent, settings):
    whole = values(small)
    assert values(small, **settings) == {name: value for name, value in whole.items() if name != absent}
