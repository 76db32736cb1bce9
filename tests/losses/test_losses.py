"""Losses by name; the contrastive loss and RoDR, worked by hand."""

import math

import pytest
import torch

from losses.equations import random_batch, tensor
from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.losses.batch import Batch

WEIGHTS = {"nll": 1.0, "query_alignment": 1.0, "passage_alignment": 0.2}


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


def test_what_a_loss_needs_can_depend_on_a_setting():
    assert losses.check("rodr", nll=1.0) == {"passages", "positive", "variation", "teacher_query", "teacher_passages"}
    assert losses.check("lce") == losses.check("lce", queries="query") == {"groups", "query"}
    assert losses.check("lce", queries="variation") == {"groups", "variation"}


def test_unknown_loss():
    with pytest.raises(UserError, match=r"loss: 'rodrr' is unknown \(did you mean rodr\?\); allowed: .*contrastive"):
        losses.check("rodrr")


def test_unknown_setting():
    with pytest.raises(UserError, match=r"loss rodr: key: 'nlll' is unknown .*allowed: nll, passage_alignment"):
        losses.create("rodr", nlll=1.0)
    with pytest.raises(UserError, match=r"loss self_teaching: key: 'alpha' is unknown; allowed: $"):
        losses.check("self_teaching", alpha=1.0)


def test_unknown_value_of_a_setting():
    with pytest.raises(UserError, match=r"loss capot: variant: 'txt' is unknown \(did you mean text\?\); allowed: pri"):
        losses.check("capot", variant="txt")
    with pytest.raises(UserError, match=r"loss lce: queries: '3' is unknown; allowed: query, variation"):
        losses.create("lce", queries=3)


@pytest.mark.parametrize(
    "value, message",
    [
        (0, "greater than 0"),
        (-0.1, "greater than 0"),
        (math.nan, "a finite number"),
        ("0.1", "a valid number"),
        (True, "a valid number"),
    ],
)
def test_a_temperature_is_a_number_above_0(value, message):
    for name in ("intent", "dual_contrastive"):
        with pytest.raises(UserError, match=rf"loss {name}: tau: {value!r} should be {message}"):
            losses.check(name, tau=value)
    assert losses.check("intent", tau=1) == losses.check("intent", tau=1e-3)


def test_a_weight_is_a_finite_number():
    with pytest.raises(UserError, match=r"loss intent: alpha: 'x' should be a valid number"):
        losses.create("intent", alpha="x")
    with pytest.raises(UserError, match=r"loss rodr: nll: inf should be a finite number"):
        losses.check("rodr", nll=math.inf)
