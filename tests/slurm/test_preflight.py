"""`--profile slurm` begins with a preflight, which looks at each kind of machine by a job of its own."""

import ast
import json
import re
import subprocess
import sys

import pytest

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
    assert int(jobs_of(cluster, "machine")[-1]) < int(jobs_of(cluster, "check")[-1])
    (looked,) = (project.folder / "results/machines").glob("*.json")
    assert json.loads(looked.read_text())["torch"] and looked.name.startswith("0gpu-1core-8000mb-240min")


def reasons(project, *needs: str) -> list[str]:
    """What a preflight says of machines with these needs, a line each."""
    program = (
        "from robustdr.keys.node import Need; from robustdr.preflight.machines import unfit;"
        f"print([missing.problem for missing in unfit([{', '.join(needs)}])])"
    )
    environment = {**project.environment, "PYTHONPATH": str(project.folder / "workflow")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project.folder, env=environment, capture_output=True, text=True
    )
    return ast.literal_eval(done.stdout)


def test_a_machine_without_what_jobs_need_is_named(cluster: Cluster, project):
    """The GPUs of this SLURM are counted, and nothing computes on them."""
    (reason,) = reasons(project, "Need(2000, 10)", "Need(2000, 10, gpus=1)")
    assert (
        reason.startswith("a job with 1 GPU(s), 1 core(s), 2000 MB and 10 minutes: ") and "cannot use a GPU" in reason
    )


def test_what_slurm_refuses_is_told_in_its_words(cluster: Cluster, project):
    """No node of its partitions has so many cores, or so much memory."""
    many_cores, much_memory = reasons(project, "Need(2000, 10, cores=200)", "Need(900_000_000, 10)")
    assert many_cores.startswith("a job with 0 GPU(s), 200 core(s), 2000 MB and 10 minutes: SLURM sbatch failed")
    assert "More processors requested than permitted" in many_cores
    assert "900000000 MB" in much_memory and "Memory specification can not be satisfied" in much_memory


def test_no_job_starts_where_a_machine_does_not_serve(cluster: Cluster, project):
    before, lock = len(jobs_of(cluster, "check")), project.folder / "requirements.lock"
    lock.write_text(re.sub("^torch==[^ ]+", "torch==9.9.9", lock.read_text(), flags=re.MULTILINE))
    status, output = project.snakemake(*SLURM, CARD)
    assert status == 1 and "requirements.lock pins torch==9.9.9" in output, output
    assert "the preflight found what is listed above; no job was started" in output.splitlines()[-1]
    assert len(jobs_of(cluster, "check")) == before and not (project.folder / "results/mini/collections").exists()


def test_a_dry_run_submits_nothing(cluster: Cluster, project):
    before = len(jobs_of(cluster, "machine"))
    status, output = project.snakemake(*SLURM, "-n", CARD)
    assert status == 0 and "kind(s) of machine" not in output
    assert len(jobs_of(cluster, "machine")) == before
