"""What a training asks of a cluster whose nodes have fewer GPUs than its recipe."""

import pytest
from tests.workflow.conftest import ROOT

from robustdr.experiments.config import load
from robustdr.graph import cluster
from robustdr.graph.graph import graph


@pytest.mark.parametrize(
    "limits, gpus",
    [({}, 8), ({"cpu": {}, "gpu": {"max_gpu": 4}}, 4), ({"gpu": {"max_gpu": 3}}, 2), ({"gpu": {"max_gpu": 16}}, 8)],
)
def test_a_training_takes_the_gpus_that_divide_its_batch_and_fit_a_node(monkeypatch, limits, gpus):
    monkeypatch.setattr(cluster, "partitions", lambda: limits)
    full = graph(load(ROOT / "config"), "full")
    node = type(full).pretrained.__wrapped__(full, "pretrained_mlm", 1)  # not from the cache of other limits
    assert node.need.gpus == gpus
    assert node.need.minutes == 420 * 8 // gpus and node.need.memory == 24000 * gpus and node.need.cores == 5 * gpus


def test_the_partitions_are_those_of_the_site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cluster.partitions.cache_clear()
    assert cluster.partitions() == {}
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm/site.yaml").write_text("partitions: {gpu: {max_gpu: 4}}\n")
    cluster.partitions.cache_clear()
    assert cluster.partitions() == {"gpu": {"max_gpu": 4}} and cluster.gpus_for(8) == 4
    cluster.partitions.cache_clear()
