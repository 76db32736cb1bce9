"""Self-teaching, localised contrastive estimation and distillation, worked by hand."""

import math

import pytest
import torch

from losses.equations import tensor
from robustdr import losses
from robustdr.losses.batch import Batch

LN3 = math.log(3)


@pytest.fixture()
def small() -> Batch:
    """Two queries with two passages each, in one dimension.

    Scores of the first query, [−ln 3, 0, 0, 0], are proportional to (1/3, 1, 1, 1): (1/10, 3/10, 3/10, 3/10) over the
    batch, (1/4, 3/4) over its own group. All others are 0: 1/4 each over the batch, (1/2, 1/2) over a group. The
    teacher's distributions over the groups are (3/4, 1/4) and (1/2, 1/2).
    """
    return Batch(
        passages=tensor([[1], [0], [0], [0]]),
        positive=torch.tensor([0, 2]),
        query=tensor([[-LN3], [0]]),
        variation=tensor([[0], [0]]),
        teacher_scores=tensor([[LN3, 0], [5, 5]]),
    )


NLL = (math.log(10) + math.log(4)) / 2  # the positives have 1/10 and 1/4
SELF_TEACHING = (0.1 * math.log(0.4) + 0.9 * math.log(1.2)) / 2  # 1/10 and 3 · 3/10 against 1/4 each; 0


def test_self_teaching_by_hand(small):
    terms = losses.create("self_teaching")(small)
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(
        {"nll": NLL, "self_teaching": SELF_TEACHING}, abs=1e-12
    )


def test_lce_by_hand(small):
    # In their groups the positives have 1/4 and 1/2; with the variations 1/2 and 1/2.
    assert losses.create("lce")(small)["nll"].item() == pytest.approx((math.log(4) + math.log(2)) / 2, abs=1e-12)
    assert losses.create("lce", queries="variation")(small)["nll"].item() == pytest.approx(math.log(2), abs=1e-12)


def test_lce_without_other_queries_is_the_contrastive_loss(small):
    single = Batch(passages=small.passages[:2], positive=small.positive[:1], query=small.query[:1])
    assert losses.create("lce")(single)["nll"].item() == pytest.approx(
        losses.create("contrastive")(single)["nll"].item()
    )


def test_distillation_by_hand(small):
    # (3/4, 1/4) from (1/4, 3/4): 3/4 ln 3 − 1/4 ln 3; from (1/2, 1/2): 3/4 ln 3/2 + 1/4 ln 1/2; the second query: 0.
    terms = losses.create("distillation", alpha=0.5)(small)
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(
        {
            "distillation": LN3 / 2 / 2,
            "distillation_variation": (0.75 * math.log(1.5) + 0.25 * math.log(0.5)) / 2,
            "nll": 0.5 * NLL,
            "self_teaching": 0.5 * SELF_TEACHING,
        },
        abs=1e-12,
    )


def test_distillation_without_alpha_has_no_other_terms(small):
    assert set(losses.create("distillation", alpha=0.0)(small)) == {"distillation", "distillation_variation"}


def test_group_scores_are_the_diagonal_blocks_of_all_scores(small):
    assert small.scores("query").tolist() == [[-LN3, 0, 0, 0], [0, 0, 0, 0]]
    assert small.group_scores("query").tolist() == [[-LN3, 0], [0, 0]]
