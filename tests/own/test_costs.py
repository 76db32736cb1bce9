"""Costs of systems: times of queries with all loaded, and sums of parts."""

import numpy as np
import pytest

from robustdr.encoding.encoder import Encoder
from robustdr.own import latency
from robustdr.retrieval.settings import Index, SearchSettings


def test_a_sample_is_even_and_repeats_few_queries():
    assert latency.sample([str(number) for number in range(500)])[:3] == ["0", "10", "20"]
    assert len(latency.sample(["a", "b"])) == latency.SAMPLE and {*latency.sample(["a", "b"])} == {"a", "b"}


def test_parts_are_added_query_by_query():
    """Medians of sums are no sums of medians: 1 + 5, 2 + 4 and 9 + 1."""
    whole = latency.total([{"single": [1, 2, 9], "batched": 0.5}, {"single": [5, 4, 1], "batched": 1.5}])
    assert whole == {"single": [6, 6, 10], "batched": 2.0}
    assert latency.summary(whole) == {"p50": 6.0, "p95": pytest.approx(9.6), "throughput": 500.0}


def test_a_query_alone_takes_longer_than_one_of_a_batch_and_loading_does_not_count(tiny_model, monkeypatch):
    settings = SearchSettings(16, 16, 10, Index("Flat", 1), 0, "float32", 1)
    loads = []
    monkeypatch.setattr(latency, "Encoder", lambda *a: loads.append(a) or Encoder(*a))
    times = latency.of_vectors(settings, tiny_model, 100, ["what is a stone", "the river"] * 25)
    assert len(loads) == 1 and len(times["single"]) == 50 and min(times["single"]) > 0
    assert 0 < times["batched"] < np.median(times["single"])
