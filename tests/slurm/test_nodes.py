"""A training on two nodes of a real SLURM: srun starts torchrun on each, and they meet."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from tests.training.models import weights

from slurm.cluster import Cluster
from slurm.test_cluster import PARTITIONS, SLURM
from workflow.conftest import Project
from workflow.small import edit, shrink

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

MODEL = Path("results/mini/models/wordnet-mini/dr_oq/seed1")
ONE = {"partitions": {**PARTITIONS, "gpu": {**PARTITIONS["gpu"], "max_gpu": 1}}}
TWO = {"partitions": PARTITIONS, "gpus_per_node": 1, "nodes_per_training": 2}


def test_two_nodes_train_the_model_of_one_process(tmp_path, two_nodes: Cluster, monkeypatch):
    project = Project(tmp_path)
    shrink(project.folder)
    budget = {"epochs": 1.0, "batch_size": 8, "devices": 2}
    edit(project.folder / "config/scales/mini.yaml", lambda tree: tree["budgets"]["passage"].update(budget))
    edit(project.folder / "slurm/site.yaml", lambda tree: tree.update(ONE))
    status, output = project.snakemake(f"{MODEL}.sha256")
    assert status == 0, output
    one = weights(project.folder / MODEL)
    shutil.rmtree(project.folder / MODEL)
    edit(project.folder / "slurm/site.yaml", lambda tree: tree.update(TWO))
    for name, value in two_nodes.environment.items():
        monkeypatch.setenv(name, value)
    status, output = project.snakemake(*SLURM, "--", f"{MODEL}.sha256")
    assert status == 0, output
    (job,) = two_nodes.jobs()["train"]
    assert (job["NumNodes"], job["NodeList"], job["JobState"]) == ("2", "node[0-1]", "COMPLETED")
    cost = project.folder / "results/mini/costs/models/wordnet-mini/dr_oq/seed1.json"
    assert json.loads(cost.read_text(encoding="utf-8"))["processes"] == 2
    for name, weight in weights(project.folder / MODEL).items():
        if not name.endswith("key.bias"):  # attention does not depend on it: its gradient is noise
            assert torch.allclose(weight, one[name], atol=2e-5), name
