"""Losses against cases worked by hand, against the equations in NumPy, and their gradients against differences."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from robustdr import losses
from robustdr.errors import UserError
from robustdr.losses.batch import Batch

# The equations in plain NumPy, loop by loop as they are printed.


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


WEIGHTS = {"nll": 1.0, "query_alignment": 1.0, "passage_alignment": 0.2}


def tensor(rows) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64)


@pytest.fixture()
def small() -> Batch:
    """Two queries and two passages in two dimensions.

    Scores of the variations, [[ln 3, 0], [0, 0]], make the distributions (3/4, 1/4), (1/2, 1/2) over the passages and,
    column by column, (3/4, 1/4), (1/2, 1/2) over the queries. The teacher's scores are all 0: (1/2, 1/2) everywhere.
    """
    return Batch(
        passages=tensor([[1, 0], [0, 1]]),
        positive=torch.tensor([0, 1]),
        query=tensor([[math.log(9), 0], [0, 0]]),
        variation=tensor([[math.log(3), 0], [0, 0]]),
        teacher_query=tensor([[0, 0], [0, 0]]),
        teacher_passages=tensor([[1, 2], [3, 4]]),
    )


def test_contrastive_by_hand(small):
    # Original queries: the first has 9 / (9 + 1) on its positive, the second 1/2.
    terms = losses.create("contrastive")(small)
    assert terms["nll"].item() == pytest.approx((math.log(10 / 9) + math.log(2)) / 2, abs=1e-12)
    # Variations: 3/4 and 1/2.
    terms = losses.create("contrastive", queries="variation")(small)
    assert terms["nll"].item() == pytest.approx((math.log(4 / 3) + math.log(2)) / 2, abs=1e-12)


def test_rodr_by_hand(small):
    # KL((1/2, 1/2) ‖ (3/4, 1/4)) = 1/2 ln 2/3 + 1/2 ln 2 = 1/2 ln 4/3; the second query or passage agrees: 0.
    divergence = math.log(4 / 3) / 2
    terms = losses.create("rodr", nll=1.0, query_alignment=2.0, passage_alignment=3.0)(small)
    assert terms["nll"].item() == pytest.approx((math.log(4 / 3) + math.log(2)) / 2, abs=1e-12)  # Eq. 7
    assert terms["query_alignment"].item() == pytest.approx(2 * divergence / 2, abs=1e-12)  # w2 · Eq. 3
    assert terms["passage_alignment"].item() == pytest.approx(3 * divergence / 2, abs=1e-12)  # w3 · Eq. 6


def test_alignments_are_means_over_different_things():
    """One query, three passages: Eq. 3 divides by the one query; Eq. 6 compares distributions over one query, all 1."""
    batch = Batch(
        passages=tensor([[0], [0], [math.log(2)]]),
        positive=torch.tensor([0]),
        variation=tensor([[1]]),
        teacher_query=tensor([[0]]),
        teacher_passages=tensor([[1], [1], [1]]),
    )
    terms = losses.create("rodr", **WEIGHTS)(batch)
    # KL((1/3, 1/3, 1/3) ‖ (1/4, 1/4, 1/2)) = 2/3 ln 4/3 + 1/3 ln 2/3
    assert terms["query_alignment"].item() == pytest.approx(
        2 / 3 * math.log(4 / 3) + 1 / 3 * math.log(2 / 3), abs=1e-12
    )
    assert terms["passage_alignment"].item() == pytest.approx(0, abs=1e-12)


def random_batch(seed: int, queries: int, per_query: int, dimension: int) -> Batch:
    rng = np.random.default_rng(seed)

    def vectors(rows: int) -> torch.Tensor:
        return torch.from_numpy(rng.normal(size=(rows, dimension)))

    return Batch(
        passages=vectors(queries * per_query),
        positive=torch.arange(queries) * per_query,
        query=vectors(queries),
        variation=vectors(queries),
        teacher_query=vectors(queries),
        teacher_passages=vectors(queries * per_query),
    )


BATCHES = st.builds(random_batch, st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), st.integers(1, 8))


@given(BATCHES)
def test_losses_equal_the_equations(batch):
    arrays = {name: value.numpy() for name, value in vars(batch).items()}
    aligned = [arrays[name] for name in ("variation", "passages", "teacher_query", "teacher_passages")]
    found = losses.create("rodr", nll=0.5, query_alignment=0.1, passage_alignment=0.7)(batch)
    expected = {
        "nll": 0.5 * nll(arrays["variation"], arrays["passages"], arrays["positive"]),
        "query_alignment": 0.1 * query_alignment(*aligned),
        "passage_alignment": 0.7 * passage_alignment(*aligned),
    }
    assert {name: term.item() for name, term in found.items()} == pytest.approx(expected, abs=1e-6)
    for queries in ("query", "variation"):
        found = losses.create("contrastive", queries=queries)(batch)
        expected = nll(arrays[queries], arrays["passages"], arrays["positive"])
        assert found["nll"].item() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    "name, settings, fields",
    [
        ("contrastive", {}, ("query", "passages")),
        ("contrastive", {"queries": "variation"}, ("variation", "passages")),
        ("rodr", WEIGHTS, ("variation", "passages")),
    ],
)
def test_gradients_equal_finite_differences(name, settings, fields):
    batch = random_batch(3, queries=3, per_query=2, dimension=4)
    loss = losses.create(name, **settings)

    def total(*values: torch.Tensor) -> torch.Tensor:
        return torch.stack(
            list(loss(Batch(**{**vars(batch), **dict(zip(fields, values, strict=True))})).values())
        ).sum()

    assert torch.autograd.gradcheck(total, [getattr(batch, field).clone().requires_grad_() for field in fields])


def test_rodr_is_least_where_the_student_is_the_teacher():
    batch = random_batch(5, queries=4, per_query=2, dimension=6)
    batch.variation, batch.passages = batch.teacher_query, batch.teacher_passages
    terms = losses.create("rodr", **WEIGHTS)(batch)
    assert terms["query_alignment"].item() == pytest.approx(0, abs=1e-12)
    assert terms["passage_alignment"].item() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("absent", list(WEIGHTS))
def test_a_term_of_weight_zero_is_absent_and_the_others_stay(absent):
    batch = random_batch(7, queries=3, per_query=3, dimension=5)
    whole = losses.create("rodr", **WEIGHTS)(batch)
    cut = losses.create("rodr", **{**WEIGHTS, absent: 0.0})(batch)
    assert set(cut) == set(whole) - {absent}
    assert all(torch.equal(cut[name], whole[name]) for name in cut)


def test_without_alignment_rodr_is_the_second_stage_of_dr_oq_qv():
    batch = random_batch(9, queries=4, per_query=2, dimension=5)
    cut = losses.create("rodr", nll=1.0, query_alignment=0.0, passage_alignment=0.0)(batch)
    assert torch.equal(cut["nll"], losses.create("contrastive", queries="variation")(batch)["nll"])


def test_a_loss_says_what_it_needs():
    assert losses.create("contrastive").needs == {"query"}
    assert losses.create("contrastive", queries="variation").needs == {"variation"}
    assert losses.create("rodr").needs == {"variation", "teacher_query", "teacher_passages"}


def test_losses_by_name():
    assert {"contrastive", "rodr"} <= set(losses.names())
    assert losses.check("rodr", nll=1.0) == "RoDR"


def test_unknown_loss():
    with pytest.raises(UserError, match=r"loss: 'rodrr' is unknown \(did you mean rodr\?\); allowed: .*contrastive"):
        losses.check("rodrr")


def test_unknown_setting():
    with pytest.raises(UserError, match=r"loss rodr: setting: 'nlll' is unknown .*allowed: nll, passage_alignment"):
        losses.create("rodr", nlll=1.0)
