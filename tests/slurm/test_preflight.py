"""`--profile slurm` begins with a preflight, which looks at each kind of machine by a job of its own."""

import json
import os

import pytest
import yaml

from slurm.cluster import Cluster
from workflow.conftest import Project
from workflow.small import edit, shrink

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

CARD = "results/mini/collections/wordnet-mini/card.json"
SLURM = ["--profile", "slurm", "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "10"]
PARTITIONS = {"cpu": {"max_runtime": 100000}, "gpu": {"max_runtime": 100000, "max_gpu": 2}}


@pytest.fixture
def project(cluster: Cluster, tmp_path, monkeypatch) -> Project:
    made = Project(tmp_path)
    shrink(made.folder)
    edit(made.folder / "slurm/site.yaml", lambda tree: tree.update(partitions=PARTITIONS))
    edit(made.folder / "slurm/config.yaml", lambda tree: tree.update({"slurm-init-seconds-before-status-checks": 2}))
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    return made


def jobs_of(cluster: Cluster, rule: str) -> list[str]:
    known = cluster.run("squeue", "--noheader", "--states=all")
    return [job["JobId"] for job in cluster.jobs().get(rule, [])] if known else []


def test_a_run_begins_with_a_look_at_the_machine(cluster: Cluster, project):
    status, output = project.snakemake(*SLURM, CARD)
    assert status == 0, output
    assert "1 kind(s) of machine were asked for, and looked at by a job each" in output
    assert int(jobs_of(cluster, "machine")[-1]) < int(jobs_of(cluster, "card")[-1])
    (looked,) = (project.folder / "results/machines").glob("*.json")
    assert json.loads(looked.read_text())["torch"] and looked.name.startswith("0gpu-1core-8000mb-60min")


def test_a_machine_without_what_jobs_need_is_named_and_no_job_starts(cluster: Cluster, project):
    """At a scale that needs GPUs: those of this SLURM are counted, and nothing computes on them."""
    before = len(jobs_of(cluster, "card"))
    path = project.folder / "config/scales/mini.yaml"
    scale = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**scale, "miniature": ""}))
    edit(
        project.folder / "config/collections.yaml",
        lambda tree: [source.pop("miniature", None) for source in tree.values()],
    )
    status, output = project.snakemake(*SLURM, "results/mini/measures/wordnet-mini/dr_oq/seed1.parquet")
    assert status == 1, output
    assert "1 GPU(s)" in output and "cannot use a GPU" in output
    assert "the preflight found what is listed above; no job was started" in output.splitlines()[-1]
    assert len(jobs_of(cluster, "card")) == before and not (project.folder / "results/mini/collections").exists()


def test_a_dry_run_submits_nothing(cluster: Cluster, project):
    before = len(jobs_of(cluster, "machine"))
    status, output = project.snakemake(*SLURM, "-n", CARD)
    assert status == 0 and "kind(s) of machine" not in output and os.path.isdir(project.folder / "config")
    assert len(jobs_of(cluster, "machine")) == before
