"""A job of SLURM that starts a language model's server for itself, and leaves none behind."""

import sys
from pathlib import Path

import pytest
from tests.variations import chat_server

from robustdr.core.files import read_queries
from slurm.cluster import Cluster
from slurm.test_cluster import PARTITIONS, SLURM
from workflow.conftest import Project
from workflow.small import edit

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

QUERIES = Path("results/mini/collections/wordnet-candidates/test/queries.tsv")
VARIED = Path("results/mini/variations/wordnet-candidates/test/llm.tsv")
TRAINS = VARIED.with_name("llm.version1.tsv")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """WikiQA's stand-in with few questions; the server is the tests' own, a fifth of whose answers fail."""
    project = Project(tmp_path_factory.mktemp("project"))

    def collections(tree):
        few = {name: {**split, "queries": 20} for name, split in tree["wordnet-candidates"]["splits"].items()}
        tree["wordnet-candidates"] |= {"passages": 300, "splits": few}

    def scale(tree):
        command = f"{sys.executable} {chat_server.__file__} --port {{port}} --failing 0.2 --late 3"
        parameters = {"engine": "server", "server": command, "model": chat_server.SERVED, "timeout": 2.0}
        tree["variations"] = {"llm": {"parameters": parameters, "devices": 1}}

    edit(project.folder / "config/collections.yaml", collections)
    edit(project.folder / "config/scales/mini.yaml", scale)
    edit(project.folder / "slurm/site.yaml", lambda tree: tree.update(partitions=PARTITIONS))
    status, output = project.snakemake(str(QUERIES), "results/mini/checkpoints/base.sha256")
    assert status == 0, output
    return project


def test_the_server_runs_on_the_gpu_of_the_job_that_asks_it(project, cluster: Cluster, monkeypatch):
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    status, output = project.snakemake(*SLURM, str(VARIED))
    assert status == 0, output
    (job,) = cluster.jobs()["vary"]
    assert (job["TresPerJob"], job["Partition"], job["JobState"]) == ("gres:gpu:1", "gpu", "COMPLETED")
    queries, attacks, trains = (read_queries(project.folder / path) for path in (QUERIES, VARIED, TRAINS))
    assert len(queries) == 20
    for qid, text in queries.items():
        versions = {line[4:-1] for line in chat_server.versions(text).splitlines()}
        assert len({attacks[qid], trains[qid]} & versions) == 2
    running = [Path(f"/proc/{name.name}/cmdline") for name in Path("/proc").iterdir() if name.name.isdigit()]
    assert not any(chat_server.__file__.encode() in path.read_bytes() for path in running if path.exists())
