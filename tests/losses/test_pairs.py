"""The losses of rankers over pairs and single passages, worked by hand."""

import math

import pytest

from losses.equations import tensor
from robustdr import losses
from robustdr.losses.batch import Batch


@pytest.fixture()
def scored() -> Batch:
    """Two queries with two negatives each: differences ln 3, 0 and ln 4, ln 1; of the variations 2, 0.25 and −1, 0."""
    return Batch(
        query_scores=tensor([[math.log(3), 0, math.log(3)], [math.log(4), 0, math.log(4)]]),
        variation_scores=tensor([[2, 0, 1.75], [0, 1, 0]]),
    )


def test_pairwise_softmax_is_the_weight_of_the_negative(scored):
    # 1/4, 1/2, 1/5, 1/2
    assert losses.create("pairwise")(scored)["pairwise"].item() == pytest.approx(1.45 / 4, abs=1e-12)


def test_hinge(scored):
    # max(0, 1 − d): 0, 0.75, 2, 1
    terms = losses.create("pairwise", of="hinge", queries="variation")(scored)
    assert terms["pairwise"].item() == pytest.approx(3.75 / 4, abs=1e-12)


def test_bpr(scored):
    # −ln of 3/4, 1/2, 4/5, 1/2
    expected = (math.log(4 / 3) + math.log(2) + math.log(5 / 4) + math.log(2)) / 4
    assert losses.create("bpr")(scored)["bpr"].item() == pytest.approx(expected, abs=1e-12)


def test_binary_cross_entropy(scored):
    # σ(ln 3) = 3/4, σ(0) = 1/2, σ(ln 4) = 4/5: the positives by themselves, the negatives by their complements.
    expected = (math.log(4 / 3) + math.log(2) + math.log(4) + math.log(5 / 4) + math.log(2) + math.log(5)) / 6
    assert losses.create("bce")(scored)["bce"].item() == pytest.approx(expected, abs=1e-12)
