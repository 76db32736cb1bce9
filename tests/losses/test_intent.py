"""intent's loss and the dual contrastive one, worked by hand."""

import math

import pytest
import torch

from losses.equations import tensor
from robustdr import losses
from robustdr.losses.batch import Batch
from robustdr.losses.intent import nt_xent

LN2, LN3 = math.log(2), math.log(3)


@pytest.fixture()
def two() -> Batch:
    """Two intents of one variation and one negative each.

    Differences of scores: ln 3, 0 and 0, ln 3. Cosines: the first query's with its variation 1, with the other intent 0
    and 0; the second's with its variation 0.6, with the other intent 0 and 0.
    """
    return Batch(
        query=tensor([[2, 0, 0], [0, 1, 0]]),
        variations=tensor([[[7, 0, 0]], [[0, 3, 4]]]),
        query_scores=tensor([[LN3, 0], [1, 1]]),
        variations_scores=tensor([[[2, 2]], [[LN3 + 1, 1]]]),
    )


def values(name: str, batch: Batch, **settings) -> dict[str, float]:
    return {term: value.item() for term, value in losses.create(name, **settings)(batch).items()}


def test_intent_by_hand(two):
    # BPR: −ln of 3/4, 1/2, 1/2, 3/4. NT-Xent, τ = 1/ln 2: e^{s/τ} = 2^s; 2 of 2 + 1 + 1 and 2^0.6 of 2^0.6 + 1 + 1.
    aligned = (math.log(4 / 2) + math.log((2**0.6 + 2) / 2**0.6)) / 2
    terms = values("intent", two, alpha=0.5, tau=1 / LN2)
    assert terms == pytest.approx({"bpr": (math.log(4 / 3) + LN2) / 2, "nt_xent": aligned / 2}, abs=1e-12)
    # Dot products: 14 and 3, and 0 with the other intents.
    aligned = (math.log((2**14 + 2) / 2**14) + math.log((2**3 + 2) / 2**3)) / 2
    assert values("intent", two, tau=1 / LN2, similarity="dot")["nt_xent"] == pytest.approx(aligned, abs=1e-12)


def test_the_original_query_is_the_anchor_and_other_intents_count_with_their_variations():
    # The first query is 1 from all; of the other intent the variation alone is near to the first intent's variation.
    batch = Batch(
        query=tensor([[1, 0], [1, 0]]),
        variations=tensor([[[1, 0], [0, 1]], [[0, 1], [1, 0]]]),
        query_scores=tensor([[0, 0], [0, 0]]),
        variations_scores=torch.zeros(2, 2, 2, dtype=torch.float64),
    )
    # τ = 1/ln 2: own variations 2 and 1, other intents 2, 1 and 2.
    expected = (math.log(7 / 2) + math.log(6 / 1)) / 2
    assert values("intent", batch, tau=1 / LN2)["nt_xent"] == pytest.approx(expected, abs=1e-12)


def test_one_intent_has_nothing_to_be_told_from(two):
    single = Batch(**{field: value[:1] for field, value in vars(two).items() if value is not None})
    single.query.requires_grad_(), single.variations.requires_grad_()
    terms = losses.create("intent")(single)
    assert terms["nt_xent"].item() == 0
    terms["nt_xent"].backward()
    assert not single.query.grad.any() and not single.variations.grad.any()


def test_duplicate_queries_are_as_near_as_their_variations():
    equal_queries = tensor([[1, 0], [1, 0], [1, 0]])
    batch = Batch(
        query=equal_queries,
        variations=equal_queries.unsqueeze(1),
        query_scores=equal_queries,
        variations_scores=equal_queries.unsqueeze(1),
    )
    # One text of five that are all alike: itself, and two of each other intent.
    assert values("intent", batch, tau=0.01)["nt_xent"] == pytest.approx(math.log(5), abs=1e-12)


def test_similar_vectors_do_not_overflow():
    batch = Batch(query=tensor([[900, 0], [0, 900]]), variations=tensor([[[900, 0]], [[900, 0]]]))
    loss = nt_xent(losses.LOSSES.settings("intent", {"similarity": "dot", "tau": 1.0}), batch)
    # The second: its variation is 810,000 further than the nearest of the other intent, which is 0 from it: ln 3 of 0s.
    assert loss.item() == pytest.approx((LN2 + LN3) / 2, abs=1e-9)


@pytest.fixture()
def searched() -> Batch:
    """Cosines: of the queries with their positives 1 and 0.8, with their negatives 0 and 0; positives with the other
    query 0 and 0.6."""
    return Batch(
        query=tensor([[2, 0, 0], [0, 3, 0]]),
        passages=tensor([[1, 0, 0], [0, 0, 1], [3, 4, 0], [0, 0, 5]]),
        positive=torch.tensor([0, 2]),
    )


def test_dual_contrastive_by_hand(searched):
    # τ = 0.2 / ln 2: e^{s/τ} = 2^{5s}. Forward: differences 1 and 0.8; backward: 1 and 0.2.
    terms = values("dual_contrastive", searched, tau=0.2 / LN2)
    assert terms == pytest.approx(
        {
            "query_to_passage": (math.log(33 / 32) + math.log(17 / 16)) / 2,
            "passage_to_query": 0.1 * (math.log(33 / 32) + math.log(3 / 2)) / 2,
        },
        abs=1e-12,
    )
    # Dot products: differences 2 and 12; 2 and 12 − 6.
    terms = values("dual_contrastive", searched, tau=1 / LN2, similarity="dot", weight=2.0)
    assert terms == pytest.approx(
        {
            "query_to_passage": (math.log(5 / 4) + math.log(1 + 2**-12)) / 2,
            "passage_to_query": math.log(5 / 4) + math.log(65 / 64),
        },
        abs=1e-12,
    )


def test_the_nearest_of_the_other_queries_is_the_negative(searched):
    searched.query = torch.cat([searched.query, tensor([[1, 1, 0]])])
    searched.passages = torch.cat([searched.passages, tensor([[0, 0, 1], [0, 0, 2]])])
    searched.positive = torch.tensor([0, 2, 4])
    terms = values("dual_contrastive", searched, tau=1 / LN2, similarity="dot", weight=3.0)
    # Positives with their own query 2, 12 and 0; with the others 0 and 1, 6 and 7, 0 and 0.
    expected = math.log(3 / 2) + math.log(33 / 32) + LN2
    assert terms["passage_to_query"] == pytest.approx(expected, abs=1e-12)


def test_one_query_has_no_other(searched):
    single = Batch(searched.passages[:2], searched.positive[:1], searched.query[:1].requires_grad_())
    terms = losses.create("dual_contrastive")(single)
    terms["passage_to_query"].backward()
    assert terms["passage_to_query"].item() == 0 and not single.query.grad.any()
