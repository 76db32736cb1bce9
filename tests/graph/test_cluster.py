"""What a training asks of a cluster whose nodes have fewer GPUs than its recipe."""

import pytest
import yaml
from tests.workflow.conftest import ROOT

from robustdr.experiments.config import load
from robustdr.graph import cluster
from robustdr.graph.graph import graph


@pytest.fixture()
def pretraining(tmp_path, monkeypatch):
    """`pretraining(site)`: the node of a pre-training for eight devices, where slurm/site.yaml says this."""

    def make(site):
        (tmp_path / "slurm").mkdir(exist_ok=True)
        (tmp_path / "slurm/site.yaml").write_text(yaml.safe_dump(site))
        monkeypatch.chdir(tmp_path)
        cluster.site.cache_clear()
        full = graph(load(ROOT / "config"), "full")
        return type(full).pretrained.__wrapped__(full, "pretrained_mlm", 1)  # not from the cache of another site

    yield make
    cluster.site.cache_clear()


def partition(gpus):
    return {"partitions": {"cpu": {}, "gpu": {"max_gpu": gpus}}}


@pytest.mark.parametrize(
    "site, gpus, nodes",
    [
        ({"partitions": {}}, 8, 1),
        (partition(4), 4, 1),
        (partition(3), 2, 1),
        (partition(16), 8, 1),
        (partition(64) | {"gpus_per_node": 4}, 4, 1),
        (partition(64) | {"gpus_per_node": 4, "nodes_per_training": 2}, 8, 2),
        (partition(64) | {"gpus_per_node": 8, "nodes_per_training": 2}, 8, 1),
        (partition(3) | {"nodes_per_training": 2}, 4, 2),
        (partition(1) | {"nodes_per_training": 3}, 2, 2),
    ],
)
def test_a_training_takes_the_gpus_that_divide_its_batch_and_fit_its_nodes(pretraining, site, gpus, nodes):
    """Memory and cores are those of a node, and so are the GPUs that its processes look for."""
    node = pretraining(site)
    need, each = node.need, gpus // nodes
    assert (need.gpus, need.nodes, need.minutes) == (gpus, nodes, 420 * 8 // gpus)
    assert (need.memory, need.cores) == (24000 * each, max(8, 5 * each)) and node.options["gpus"] == each


def test_the_partitions_are_those_of_the_site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cluster.site.cache_clear()
    assert cluster.partitions() == {}
    (tmp_path / "slurm").mkdir()
    (tmp_path / "slurm/site.yaml").write_text("partitions: {gpu: {max_gpu: 4}}\n")
    cluster.site.cache_clear()
    assert cluster.partitions() == {"gpu": {"max_gpu": 4}} and cluster.gpus_for(8) == (4, 1)
    cluster.site.cache_clear()
