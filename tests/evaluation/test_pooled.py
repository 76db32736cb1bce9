"""Means over collections: published numbers of a textbook's data, and what must hold of any data."""

import numpy as np
import pytest

from robustdr.evaluation.pooled import pooled

# dat.bcg of the R package metafor: 13 trials of a vaccine, log risk ratios and their variances (Viechtbauer, 2010).
BCG = [
    -0.8893,
    -1.5854,
    -1.3481,
    -1.4416,
    -0.2175,
    -0.7861,
    -1.6209,
    0.0120,
    -0.4694,
    -1.3713,
    -0.3394,
    0.4459,
    -0.0173,
]
VARIANCES = [0.3256, 0.1946, 0.4154, 0.0200, 0.0512, 0.0069, 0.2230, 0.0040, 0.0564, 0.0730, 0.0124, 0.5325, 0.0714]


def test_the_published_estimates_of_a_known_meta_analysis():
    """metafor's rma(yi, vi, data = dat.bcg, method = "REML", test = "knha") prints these."""
    result = pooled(BCG, np.sqrt(VARIANCES))
    assert result["mean"] == pytest.approx(-0.7145, abs=2e-4)
    assert result["spread"] ** 2 == pytest.approx(0.3132, abs=2e-3)
    assert result["interval"] == pytest.approx([-1.1082, -0.3209], abs=1e-3)
    assert result["p"] == pytest.approx(0.0019, abs=1e-4)


def test_the_interval_covers_as_often_as_it_says():
    """Ten collections from one distribution, 400 times."""
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        errors = generator.uniform(0.01, 0.05, 10)
        low, high = pooled(0.4 + generator.normal(0, 0.08, 10) + generator.normal(0, errors), errors)["interval"]
        covered += low <= 0.4 <= high
    assert 0.92 <= covered / 400 <= 0.98


def test_equal_collections_have_no_spread_and_the_mean_of_all():
    result = pooled([0.4, 0.4, 0.4], [0.02, 0.02, 0.02])
    assert result["mean"] == pytest.approx(0.4) and result["spread"] == pytest.approx(0, abs=1e-4)
    assert pooled([0.0, 0.0], [0.0, 0.0])["p"] == 1.0


def test_a_large_collection_does_not_decide_where_collections_differ():
    """A mean of queries would be near the large one."""
    assert pooled([0.2, 0.6], [0.001, 0.05])["mean"] == pytest.approx(0.4, abs=0.01)
    with pytest.raises(ValueError, match="1 collections"):
        pooled([0.2], [0.1])
